package bus

import (
	"bytes"
	"encoding/json"
	"errors"
)

// maxDepth is the nesting accepted in what this package decodes itself, the frame
// being the first level. The engine has the same limit.
const maxDepth = 128

var errFrame = errors.New("frame is not one JSON object with distinct keys")

// scanner walks over the top-level members of a frame once, without decoding
// their values: strings are skipped from quote to quote, nested values by
// counting brackets. It accepts every valid JSON object with distinct keys, and
// some invalid ones: whoever uses a value decodes and so validates it. It uses no
// recursion.
type scanner struct {
	b    []byte
	i    int
	keys keySet

	depth int // levels in the value returned last, 0 for a scalar
}

// open enters the object.
func (s *scanner) open() error {
	s.space()
	if !s.at('{') {
		return errFrame
	}
	s.i++
	return nil
}

// next returns the next member: its key decoded, its value as it stands. done
// reports the end of the object and of the frame.
func (s *scanner) next() (key, value []byte, done bool, err error) {
	s.space()
	switch {
	case s.at('}'):
		s.i++
		s.space()
		if s.i != len(s.b) {
			return nil, nil, false, errFrame
		}
		return nil, nil, true, nil
	case s.keys.n == 0:
	case s.at(','):
		s.i++
		s.space()
	default:
		return nil, nil, false, errFrame
	}
	start := s.i
	if s.i = skipString(s.b, s.i); s.i < 0 {
		return nil, nil, false, errFrame
	}
	key, ok := decodeKey(s.b[start:s.i])
	if !ok || !s.keys.add(key) {
		return nil, nil, false, errFrame
	}
	s.space()
	if !s.at(':') {
		return nil, nil, false, errFrame
	}
	s.i++
	s.space()
	start = s.i
	if s.i, s.depth = skipValue(s.b, s.i); s.i < 0 {
		return nil, nil, false, errFrame
	}
	return key, s.b[start:s.i], false, nil
}

func (s *scanner) at(c byte) bool { return s.i < len(s.b) && s.b[s.i] == c }

func (s *scanner) space() {
	for s.i < len(s.b) && isSpace(s.b[s.i]) {
		s.i++
	}
}

func isSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' }

// decodeKey returns the text of a quoted key; only escapes and bytes outside
// ASCII need the decoder.
func decodeKey(quoted []byte) ([]byte, bool) {
	text := quoted[1 : len(quoted)-1]
	for _, c := range text {
		if c == '\\' || c < 0x20 || c >= 0x80 {
			var s string
			if json.Unmarshal(quoted, &s) != nil {
				return nil, false
			}
			return []byte(s), true
		}
	}
	return text, true
}

// skipString returns the index behind the string whose opening quote stands at i,
// or -1. A quote ends the string unless an odd number of backslashes precedes it;
// a run of backslashes is looked at once, because the quote before it ends it.
func skipString(b []byte, i int) int {
	if i >= len(b) || b[i] != '"' {
		return -1
	}
	for from := i + 1; ; {
		k := bytes.IndexByte(b[from:], '"')
		if k < 0 {
			return -1
		}
		end := from + k
		slashes := 0
		for p := end - 1; p > i && b[p] == '\\'; p-- {
			slashes++
		}
		if slashes%2 == 0 {
			return end + 1
		}
		from = end + 1
	}
}

// skipValue returns the index behind the value at i, or -1, and how many levels
// of objects and arrays it has.
func skipValue(b []byte, i int) (end, depth int) {
	if i >= len(b) {
		return -1, 0
	}
	switch b[i] {
	case '"':
		return skipString(b, i), 0
	case '{', '[':
		return skipNested(b, i)
	}
	start := i
	for i < len(b) && b[i] != ',' && b[i] != '}' && b[i] != ']' && !isSpace(b[i]) {
		i++
	}
	if i == start {
		return -1, 0
	}
	return i, 0
}

func skipNested(b []byte, i int) (end, depth int) {
	level := 0
	for i < len(b) {
		switch b[i] {
		case '"':
			if i = skipString(b, i); i < 0 {
				return -1, depth
			}
			continue
		case '{', '[':
			level++
			depth = max(depth, level)
		case '}', ']':
			level--
			if level == 0 {
				return i + 1, depth
			}
		}
		i++
	}
	return -1, depth
}

// keySet holds the keys of one object: a short list, and a map for objects with
// many members, so that the cost stays linear.
type keySet struct {
	n    int
	few  [16][]byte
	many map[string]struct{}
}

// add reports whether key is new.
func (k *keySet) add(key []byte) bool {
	for _, seen := range k.few[:min(k.n, len(k.few))] {
		if bytes.Equal(seen, key) {
			return false
		}
	}
	if k.n < len(k.few) {
		k.few[k.n] = key
		k.n++
		return true
	}
	if _, seen := k.many[string(key)]; seen {
		return false
	}
	if k.many == nil {
		k.many = map[string]struct{}{}
	}
	k.many[string(key)] = struct{}{}
	k.n++
	return true
}
