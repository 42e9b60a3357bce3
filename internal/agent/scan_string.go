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
	escaped bool   // raw holds a backslash
}

// bytes returns the string it stands for; it allocates only when escaped.
func (t str) bytes() []byte {
	if !t.escaped {
		return t.raw
	}
	return appendUnescaped(make([]byte, 0, t.decoded), t.raw)
}

const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// special marks, in the high bit of each byte, the bytes of w that end a plain
// run: quote, backslash, control or non-ASCII. Only the lowest mark is exact,
// which is all that is used: borrows run upwards.
func special(w uint64) uint64 {
	q := w ^ (ones * '"')
	b := w ^ (ones * '\\')
	return ((q-ones)&^q | (b-ones)&^b | (w-ones*0x20)&^w | w) & highs
}

// str passes a string, validating escapes, surrogates and UTF-8. Eight plain
// ASCII bytes are passed at a time, since most of a history is inside strings.
func (s *scanner) str() (str, error) {
	data := s.data
	start := s.pos + 1
	i := start
	t := str{}
	shrink, canon := 0, 0 // what escapes take off the decoded and canonical length
	for {
		for i+8 <= len(data) {
			m := special(binary.LittleEndian.Uint64(data[i:]))
			if m == 0 {
				i += 8
				continue
			}
			i += bits.TrailingZeros64(m) >> 3
			break
		}
		if i >= len(data) {
			s.pos = i
			return t, s.syntax("a string is not closed")
		}
		switch c := data[i]; {
		case c == '"':
			t.raw = data[start:i]
			t.decoded = i - start - shrink
			t.canon = i - start - canon
			s.pos = i + 1
			return t, nil
		case c == '\\' && i+1 < len(data) && plainEscape[data[i+1]]:
			t.escaped = true
			shrink++
			i += 2
		case c == '\\':
			t.escaped = true
			n, dec, can := escape(data[i:])
			if n == 0 {
				s.pos = i
				return t, s.syntax("bad escape or lone surrogate in a string")
			}
			shrink += n - dec
			canon += n - can
			i += n
		case c < 0x20:
			s.pos = i
			return t, s.syntax("control character %#02x in a string", c)
		case c >= utf8.RuneSelf:
			run := i
			for i < len(data) && data[i] >= utf8.RuneSelf {
				i++
			}
			if !utf8.Valid(data[run:i]) {
				s.pos = run
				return t, s.syntax("invalid UTF-8 in a string")
			}
		default:
			i++
		}
	}
}

// plainEscape holds the second bytes of the escapes that the canonical form
// spells alike: two bytes for one. They are nearly all there are in a history.
var plainEscape = [256]bool{'"': true, '\\': true, 'b': true, 'f': true, 'n': true, 'r': true, 't': true}

// escape measures the escape at the start of b: its bytes in the text, of the
// UTF-8 it stands for, and in the canonical form. A surrogate pair is one
// escape. n is 0 when it is not valid.
func escape(b []byte) (n, decoded, canon int) {
	if len(b) < 2 {
		return 0, 0, 0
	}
	switch b[1] {
	case '"', '\\', 'b', 'f', 'n', 'r', 't':
		return 2, 1, 2
	case '/':
		return 2, 1, 1
	case 'u':
		r, n := unicodeEscape(b)
		if n == 0 {
			return 0, 0, 0
		}
		return n, utf8.RuneLen(r), canonRune(r)
	}
	return 0, 0, 0
}

// canonRune is the length of r inside a canonical string.
func canonRune(r rune) int {
	switch {
	case r == '"', r == '\\', r == '\b', r == '\f', r == '\n', r == '\r', r == '\t':
		return 2
	case r < 0x20:
		return 6
	}
	return utf8.RuneLen(r)
}

// unicodeEscape reads \uXXXX, or two of them that form a surrogate pair. n is
// 0 for a malformed escape and for a surrogate without its partner.
func unicodeEscape(b []byte) (r rune, n int) {
	hi, ok := hex4(b)
	if !ok {
		return 0, 0
	}
	if hi < 0xd800 || hi > 0xdfff {
		return hi, 6
	}
	if hi > 0xdbff || len(b) < 12 || b[6] != '\\' || b[7] != 'u' {
		return 0, 0
	}
	lo, ok := hex4(b[6:])
	if !ok || lo < 0xdc00 || lo > 0xdfff {
		return 0, 0
	}
	return (hi-0xd800)<<10 | (lo - 0xdc00) + 0x10000, 12
}

func hex4(b []byte) (rune, bool) {
	if len(b) < 6 {
		return 0, false
	}
	var r rune
	for _, c := range b[2:6] {
		switch {
		case c >= '0' && c <= '9':
			c -= '0'
		case c >= 'a' && c <= 'f':
			c -= 'a' - 10
		case c >= 'A' && c <= 'F':
			c -= 'A' - 10
		default:
			return 0, false
		}
		r = r<<4 | rune(c)
	}
	return r, true
}

// appendUnescaped appends the UTF-8 that a validated raw string stands for.
func appendUnescaped(dst, raw []byte) []byte {
	for i := 0; i < len(raw); {
		if raw[i] != '\\' {
			j := i + 1
			for j < len(raw) && raw[j] != '\\' {
				j++
			}
			dst = append(dst, raw[i:j]...)
			i = j
			continue
		}
		switch raw[i+1] {
		case 'b':
			dst = append(dst, '\b')
		case 'f':
			dst = append(dst, '\f')
		case 'n':
			dst = append(dst, '\n')
		case 'r':
			dst = append(dst, '\r')
		case 't':
			dst = append(dst, '\t')
		case 'u':
			r, n := unicodeEscape(raw[i:])
			dst = utf8.AppendRune(dst, r)
			i += n
			continue
		default: // quote, backslash, solidus
			dst = append(dst, raw[i+1])
		}
		i += 2
	}
	return dst
}
