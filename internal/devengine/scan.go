package devengine

import (
	"bytes"
	"errors"
	"slices"
)

// maxDepth is the deepest nesting of arrays and objects the engine decodes,
// counted from the root of the frame.
const maxDepth = 128

// Reasons why a text is undecodable. They are logged, never sent: the engine
// has no answer to a frame it cannot read.
var (
	errSyntax    = errors.New("malformed JSON")
	errDepth     = errors.New("nesting above 128")
	errUTF8      = errors.New("invalid UTF-8")
	errSurrogate = errors.New("lone surrogate")
	errNumber    = errors.New("number out of range")
	errDuplicate = errors.New("duplicate key")
	errTrailing  = errors.New("text behind the value")
)

// member is where one member of an object stands in the output: the key with
// its quotes is [key, colon), the value is [colon+1, end).
type member struct {
	key, colon, end int
	escaped         bool // the key holds a backslash, so it sorts by its decoded form
}

// scanner validates one JSON text and writes it again in the form the iii
// engine gives every payload: no white space, object keys sorted by their
// bytes, of repeated keys the last, escapes only where JSON demands them, and
// numbers as described at [scanner.number].
//
// It is one pass over the input. Members are appended as they come; where an
// object turns out unsorted its finished text is permuted once. A scanner may
// be used again after reset.
type scanner struct {
	in  []byte
	pos int
	out []byte

	members []member // of all open objects, as a stack
	scratch []byte   // for permuting

	last  slot // place of the caller's id in the newest object of depth 2
	split slot // the same for the member "data" of the root
}

// reset points s at a new text; out is appended to.
func (s *scanner) reset(in, out []byte) {
	s.in, s.pos, s.out = in, 0, out
	s.members = s.members[:0]
	s.split = slot{}
}

// trim lets go of the texts, and of memory that only a large one needed.
func (s *scanner) trim() {
	s.in, s.out = nil, nil
	if cap(s.scratch) > keepBuffer {
		s.scratch = nil
	}
}

// document scans a whole text.
func (s *scanner) document() error {
	if err := s.value(0); err != nil {
		return err
	}
	return s.end()
}

// end demands that only white space is left.
func (s *scanner) end() error {
	s.space()
	if s.pos != len(s.in) {
		return errTrailing
	}
	return nil
}

// peek is the byte at hand, 0 at the end: no JSON token holds a zero byte.
func (s *scanner) peek() byte {
	if s.pos < len(s.in) {
		return s.in[s.pos]
	}
	return 0
}

func (s *scanner) space() {
	for s.pos < len(s.in) {
		switch s.in[s.pos] {
		case ' ', '\t', '\n', '\r':
			s.pos++
		default:
			return
		}
	}
}

// value scans any value inside depth open containers.
func (s *scanner) value(depth int) error {
	s.space()
	switch c := s.peek(); {
	case c == '"':
		_, err := s.text()
		return err
	case c == '{':
		base, start, err := s.object(depth + 1)
		if err != nil {
			return err
		}
		s.order(base, start)
		if depth == 1 {
			s.last = placeCaller(s.out, s.members[base:], start)
		}
		s.members = s.members[:base]
		return nil
	case c == '[':
		return s.array(depth + 1)
	case c == '-' || '0' <= c && c <= '9':
		return s.number()
	case c == 't':
		return s.literal("true")
	case c == 'f':
		return s.literal("false")
	case c == 'n':
		return s.literal("null")
	}
	return errSyntax
}

func (s *scanner) literal(word string) error {
	if !bytes.HasPrefix(s.in[s.pos:], []byte(word)) {
		return errSyntax
	}
	s.pos += len(word)
	s.out = append(s.out, word...)
	return nil
}

func (s *scanner) array(depth int) error {
	if depth > maxDepth {
		return errDepth
	}
	s.pos++
	s.out = append(s.out, '[')
	s.space()
	if s.peek() == ']' {
		s.pos++
		s.out = append(s.out, ']')
		return nil
	}
	for {
		if err := s.value(depth); err != nil {
			return err
		}
		s.space()
		c := s.peek()
		s.pos++
		switch c {
		case ',':
			s.out = append(s.out, ',')
		case ']':
			s.out = append(s.out, ']')
			return nil
		default:
			return errSyntax
		}
	}
}

// object scans an object into out as it comes. Its members stand in
// s.members[base:], unsorted; start is where its text begins in out.
func (s *scanner) object(depth int) (base, start int, err error) {
	base, start = len(s.members), len(s.out)
	if depth > maxDepth {
		return base, start, errDepth
	}
	s.pos++
	s.out = append(s.out, '{')
	s.space()
	if s.peek() == '}' {
		s.pos++
		s.out = append(s.out, '}')
		return base, start, nil
	}
	for {
		s.space()
		if s.peek() != '"' {
			return base, start, errSyntax
		}
		m := member{key: len(s.out)}
		if m.escaped, err = s.text(); err != nil {
			return base, start, err
		}
		m.colon = len(s.out)
		s.space()
		if s.peek() != ':' {
			return base, start, errSyntax
		}
		s.pos++
		s.out = append(s.out, ':')
		s.last = slot{}
		if err = s.value(depth); err != nil {
			return base, start, err
		}
		m.end = len(s.out)
		if depth == 1 && string(s.out[m.key:m.colon]) == `"data"` {
			s.split = s.last
		}
		s.members = append(s.members, m)
		s.space()
		c := s.peek()
		s.pos++
		switch c {
		case ',':
			s.out = append(s.out, ',')
		case '}':
			s.out = append(s.out, '}')
			return base, start, nil
		default:
			return base, start, errSyntax
		}
	}
}

// order sorts the members of the object that has just been written at start,
// keeps the last of equal keys, and leaves their new places in
// s.members[base:].
func (s *scanner) order(base, start int) {
	ms := s.members[base:]
	sorted := true
	for i := 1; i < len(ms); i++ {
		if compareKeys(s.out, ms[i-1], ms[i]) >= 0 {
			sorted = false
			break
		}
	}
	if sorted {
		return
	}
	s.scratch = append(s.scratch[:0], s.out[start:]...)
	old := s.scratch
	for i := range ms {
		ms[i].key, ms[i].colon, ms[i].end = ms[i].key-start, ms[i].colon-start, ms[i].end-start
	}
	slices.SortStableFunc(ms, func(a, b member) int { return compareKeys(old, a, b) })
	s.out = s.out[:start+1]
	n := 0
	for i, m := range ms {
		if i+1 < len(ms) && compareKeys(old, m, ms[i+1]) == 0 {
			continue // a later one of the same key follows
		}
		if n > 0 {
			s.out = append(s.out, ',')
		}
		at := len(s.out)
		s.out = append(s.out, old[m.key:m.end]...)
		ms[n] = member{key: at, colon: at + m.colon - m.key, end: at + m.end - m.key, escaped: m.escaped}
		n++
	}
	s.out = append(s.out, '}')
	s.members = s.members[:base+n]
}

// compareKeys orders two keys of text by the bytes of what they spell.
func compareKeys(text []byte, a, b member) int {
	x, y := text[a.key:a.colon], text[b.key:b.colon]
	if a.escaped || b.escaped {
		return bytes.Compare([]byte(unquote(x)), []byte(unquote(y)))
	}
	return bytes.Compare(x[1:len(x)-1], y[1:len(y)-1])
}
