package agent

import "fmt"

// MaxDepth is the deepest nesting accepted, counted from the root of the frame
// or file that carries a request. The iii engine refuses deeper frames too.
const MaxDepth = 128

// kind is the JSON type of a value, told by its first byte.
type kind uint8

const (
	kindNull kind = iota + 1
	kindBool
	kindNumber
	kindString
	kindArray
	kindObject
)

func (k kind) String() string {
	switch k {
	case kindNull:
		return "null"
	case kindBool:
		return "a boolean"
	case kindNumber:
		return "a number"
	case kindString:
		return "a string"
	case kindArray:
		return "an array"
	case kindObject:
		return "an object"
	}
	return "nothing"
}

// scanner walks one JSON text and validates every byte it passes.
type scanner struct {
	data  []byte
	pos   int
	depth int // containers open around pos, those of the enclosing frame included
}

func (s *scanner) syntax(format string, args ...any) error {
	return &syntaxError{FieldError{Reason: fmt.Sprintf(format, args...) + fmt.Sprintf(" (at byte %d)", s.pos)}}
}

func (s *scanner) unexpected(want string) error {
	if s.pos >= len(s.data) {
		return s.syntax("the text ends early, want %s", want)
	}
	return s.syntax("unexpected %q, want %s", s.data[s.pos], want)
}

// space passes white space.
func (s *scanner) space() {
	for s.pos < len(s.data) {
		switch s.data[s.pos] {
		case ' ', '\n', '\r', '\t':
			s.pos++
		default:
			return
		}
	}
}

// kind tells what value starts here, or 0 when none does.
func (s *scanner) kind() kind {
	if s.pos >= len(s.data) {
		return 0
	}
	switch c := s.data[s.pos]; {
	case c == '"':
		return kindString
	case c == '{':
		return kindObject
	case c == '[':
		return kindArray
	case c == 't' || c == 'f':
		return kindBool
	case c == 'n':
		return kindNull
	case c == '-' || c >= '0' && c <= '9':
		return kindNumber
	}
	return 0
}

// enter opens a container.
func (s *scanner) enter() error {
	if s.depth >= MaxDepth {
		return s.syntax("nested deeper than %d levels", MaxDepth)
	}
	s.depth++
	s.pos++
	s.space()
	return nil
}

// leave closes the container when its closing byte stands here.
func (s *scanner) leave(closer byte) bool {
	if s.pos < len(s.data) && s.data[s.pos] == closer {
		s.depth--
		s.pos++
		return true
	}
	return false
}

// next passes the comma between elements; done means the container closed.
func (s *scanner) next(closer byte, want string) (done bool, err error) {
	s.space()
	if s.leave(closer) {
		return true, nil
	}
	if s.pos >= len(s.data) || s.data[s.pos] != ',' {
		return false, s.unexpected(want)
	}
	s.pos++
	s.space()
	return false, nil
}

// value passes any value and returns the bytes of its canonical form: compact,
// strings re-escaped, numbers as spelled.
func (s *scanner) value() (size int, err error) {
	switch s.kind() {
	case kindString:
		str, err := s.str()
		return str.canon + 2, err
	case kindNumber:
		start := s.pos
		err := s.number()
		return s.pos - start, err
	case kindObject:
		return s.object()
	case kindArray:
		return s.array()
	case kindBool:
		if s.data[s.pos] == 't' {
			return 4, s.literal("true")
		}
		return 5, s.literal("false")
	case kindNull:
		return 4, s.literal("null")
	}
	return 0, s.unexpected("a value")
}

func (s *scanner) object() (size int, err error) {
	if err := s.enter(); err != nil {
		return 0, err
	}
	size = 2
	for first := true; ; first = false {
		k, more, err := s.nextKey(first)
		if !more || err != nil {
			return size, err
		}
		n, err := s.value()
		if err != nil {
			return 0, err
		}
		size += k.canon + 3 + n // quotes and colon
		if !first {
			size++
		}
	}
}

func (s *scanner) array() (size int, err error) {
	if err := s.enter(); err != nil {
		return 0, err
	}
	size = 2
	if s.leave(']') {
		return size, nil
	}
	for {
		n, err := s.value()
		if err != nil {
			return 0, err
		}
		size += n
		done, err := s.next(']', "a comma or ]")
		if done || err != nil {
			return size, err
		}
		size++
	}
}

// nextKey passes what stands between two values of an object: comma, key and
// colon. more is false when the object closed instead.
func (s *scanner) nextKey(first bool) (k str, more bool, err error) {
	if first {
		if s.leave('}') {
			return k, false, nil
		}
	} else if i := s.pos; i+1 < len(s.data) && s.data[i] == ',' && s.data[i+1] == '"' {
		s.pos++
	} else if done, err := s.next('}', "a comma or }"); done || err != nil {
		return k, false, err
	}
	if s.pos >= len(s.data) || s.data[s.pos] != '"' {
		return k, false, s.unexpected("a key in quotes")
	}
	if k, err = s.str(); err != nil {
		return k, false, err
	}
	if s.pos >= len(s.data) || s.data[s.pos] != ':' {
		s.space()
		if s.pos >= len(s.data) || s.data[s.pos] != ':' {
			return k, false, s.unexpected("a colon")
		}
	}
	s.pos++
	s.space()
	return k, true, nil
}

func (s *scanner) literal(want string) error {
	if len(s.data)-s.pos < len(want) || string(s.data[s.pos:s.pos+len(want)]) != want {
		return s.syntax("unexpected word, want %s", want)
	}
	s.pos += len(want)
	return nil
}

// end checks that nothing but white space follows.
func (s *scanner) end() error {
	s.space()
	if s.pos < len(s.data) {
		return s.unexpected("the end of the text")
	}
	return nil
}
