package bus

import (
	"io"
	"time"
)

// Members returns the top-level members of a frame as the scanner finds them.
func Members(frame []byte) (map[string]string, error) {
	s := scanner{b: frame}
	if err := s.open(); err != nil {
		return nil, err
	}
	members := map[string]string{}
	for {
		key, value, done, err := s.next()
		if err != nil {
			return nil, err
		}
		if done {
			return members, nil
		}
		members[string(key)] = string(value)
	}
}

// Decoded returns what of a frame the read loop looks at.
func Decoded(frame []byte) (kind string, data []byte, err error) {
	m, err := decode(frame)
	return m.kind, m.data, err
}

// Quoted is the encoder of strings.
func Quoted(s string) string { return string(appendQuoted(nil, s)) }

// NewID makes an invocation id.
func NewID() string { return newID() }

// ReadPooled reads r as a frame and returns it with the size of its memory, which
// it gives back.
func ReadPooled(r io.Reader, limit int) (text string, memory int, err error) {
	b := getBuffer(smallestClass)
	err = b.readFrom(r, limit)
	text, memory = string(b.b), cap(b.b)
	b.release()
	return text, memory, err
}

// Pauses returns the first n pauses between connections when the random number is
// always the given one.
func Pauses(first, max time.Duration, random float64, n int) (pauses []time.Duration) {
	b := newBackoff(first, max)
	b.random = func() float64 { return random }
	for range n {
		pauses = append(pauses, b.next())
	}
	return pauses
}

// ConflictPauses returns the pauses of all tries.
func ConflictPauses(window time.Duration, tries int) (pauses []time.Duration) {
	for n := range tries {
		pauses = append(pauses, conflictPause(window, tries, n))
	}
	return pauses
}
