package agent

import (
	"encoding/binary"
	"math/bits"
	"unicode/utf8"
)

// str is a string as it stands in the text.
type str struct {
	raw     []byte // between the quotes, escapes unresolved
	decoded int    // bytes of the UTF-8 it stands for
	canon   int    // bytes between the quotes of the canonical form
	spelled spelling
}

// spelling says what a raw string differs from.
type spelling uint8

const (
	escaped   spelling = 1 << iota // from the UTF-8 it stands for: it holds escapes
	respelled                      // perhaps from its canonical form, too
)

// bytes returns the string it stands for; it allocates only when escaped.
func (t str) bytes() []byte {
	if t.spelled&escaped == 0 {
		return t.raw
	}
	return appendUnescaped(make([]byte, 0, t.decoded), t.raw)
}

// str passes a string, validating escapes, surrogates and UTF-8. Most of a
// history is inside strings, and most strings are short: those end within the
// words looked at here.
func (s *scanner) str() (t str, err error) {
	start := s.pos + 1
	for i := start; i+8 <= len(s.data) && i < start+24; i += 8 {
		m := special(binary.LittleEndian.Uint64(s.data[i:]))
		if m == 0 {
			continue
		}
		end := i + bits.TrailingZeros64(m)>>3
		if s.data[end] != '"' {
			break
		}
		s.pos = end + 1
		return str{raw: s.data[start:end], decoded: end - start, canon: end - start}, nil
	}
	return s.longStr(start)
}

// longStr passes the string whose first byte is at start. It looks for special
// bytes in 64 bytes at a time and then only at those.
func (s *scanner) longStr(start int) (t str, err error) {
	i := start
	pairs := 0 // escapes of two bytes that the canonical form has, too
blocks:
	for i+64 < len(s.data) {
		block := (*[65]byte)(s.data[i:])
		next := i + 64
		for m := specials((*[64]byte)(block[:])); m != 0; {
			n := bits.TrailingZeros64(m) & 63
			switch c := block[n]; {
			case c == '\\' && plainEscape[block[n+1]]:
				pairs++
				m &^= 3 << n
				next = max(next, i+n+2)
			case c == '"':
				return s.endStr(t, start, i+n, pairs), nil
			default:
				if i, err = s.special(&t, i+n); err != nil {
					return t, err
				}
				continue blocks
			}
		}
		i = next
	}
	for i < len(s.data) {
		if s.data[i] == '"' {
			return s.endStr(t, start, i, pairs), nil
		}
		if i, err = s.special(&t, i); err != nil {
			return t, err
		}
	}
	s.pos = i
	return t, s.syntax("a string is not closed")
}

// endStr completes a string. Its lengths hold what escapes have changed so far.
func (s *scanner) endStr(t str, start, end, pairs int) str {
	t.raw = s.data[start:end]
	t.decoded += end - start - pairs
	t.canon += end - start
	if pairs > 0 {
		t.spelled |= escaped
	}
	s.pos = end + 1
	return t
}

// special passes what longStr has no quick way for: unusual escapes and runs of
// non-ASCII, or near the end of the text any byte. The lengths in t become what
// has to be added to those of the raw text.
func (s *scanner) special(t *str, at int) (next int, err error) {
	data := s.data
	switch c := data[at]; {
	case c == '\\':
		n, decoded, canon := escape(data[at:])
		if n == 0 {
			s.pos = at
			return at, s.syntax("bad escape or lone surrogate in a string")
		}
		t.spelled |= escaped
		if c := data[at+1]; !plainEscape[c] {
			t.spelled |= respelled
		}
		t.decoded += decoded - n
		t.canon += canon - n
		return at + n, nil
	case c < 0x20:
		s.pos = at
		return at, s.syntax("control character %#02x in a string", c)
	case c < utf8.RuneSelf:
		return at + 1, nil
	}
	next = at + 1
	for next < len(data) && data[next] >= utf8.RuneSelf {
		next++
	}
	if !utf8.Valid(data[at:next]) {
		s.pos = at
		return at, s.syntax("invalid UTF-8 in a string")
	}
	return next, nil
}
