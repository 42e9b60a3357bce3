package devengine

import (
	"encoding/binary"
	"math/bits"
	"unicode/utf16"
	"unicode/utf8"
)

// text scans the string at hand and writes it with the fewest escapes JSON
// allows. It says whether the written form holds a backslash.
func (s *scanner) text() (escaped bool, err error) {
	in := s.in
	start, i := s.pos, s.pos+1 // what stands in [start, i) is copied as it is
	for {
		i = skipPlain(in, i)
		if i >= len(in) {
			return false, errSyntax
		}
		switch c := in[i]; {
		case c == '"':
			s.out = append(s.out, in[start:i+1]...)
			s.pos = i + 1
			return escaped, nil
		case c < 0x20:
			return false, errSyntax
		case c >= utf8.RuneSelf:
			for i < len(in) && in[i] >= utf8.RuneSelf {
				r, n := utf8.DecodeRune(in[i:])
				if r == utf8.RuneError && n == 1 {
					return false, errUTF8
				}
				i += n
			}
		default: // a backslash
			if i+1 >= len(in) {
				return false, errSyntax
			}
			switch in[i+1] {
			case '"', '\\', 'b', 'f', 'n', 'r', 't':
				escaped = true
				i += 2
			case '/':
				s.out = append(s.out, in[start:i]...)
				start = i + 1
				i += 2
			case 'u':
				r, n, err := unescape(in[i:])
				if err != nil {
					return false, err
				}
				s.out = append(s.out, in[start:i]...)
				was := len(s.out)
				s.out = appendRune(s.out, r)
				escaped = escaped || s.out[was] == '\\'
				i += n
				start = i
			default:
				return false, errSyntax
			}
		}
	}
}

// skipPlain returns the first index from i on whose byte is a quote, a
// backslash, a control character or no ASCII; len(in) when there is none. It
// looks at eight bytes at a time, since most of a payload is such text.
func skipPlain(in []byte, i int) int {
	const (
		low  = 0x0101010101010101
		high = 0x8080808080808080
	)
	for i+8 <= len(in) {
		w := binary.LittleEndian.Uint64(in[i:])
		quote, slash := w^(low*'"'), w^(low*'\\')
		// Each term sets the high bit of a byte that matches. A borrow can
		// also set one above a match, which does not disturb the lowest.
		hit := ((w-low*0x20)&^w | (quote-low)&^quote | (slash-low)&^slash | w) & high
		if hit != 0 {
			return i + bits.TrailingZeros64(hit)/8
		}
		i += 8
	}
	for i < len(in) && in[i] >= 0x20 && in[i] < utf8.RuneSelf && in[i] != '"' && in[i] != '\\' {
		i++
	}
	return i
}

// unescape decodes the \u escape that text begins with, and the second half
// of a pair; n is the length of what it read.
func unescape(text []byte) (r rune, n int, err error) {
	first, ok := hex4(text)
	if !ok {
		return 0, 0, errSyntax
	}
	if !utf16.IsSurrogate(first) {
		return first, 6, nil
	}
	second, ok := hex4(text[6:])
	if !ok {
		return 0, 0, errSurrogate
	}
	if r = utf16.DecodeRune(first, second); r == utf8.RuneError {
		return 0, 0, errSurrogate
	}
	return r, 12, nil
}

// hex4 reads `\uXXXX`.
func hex4(text []byte) (r rune, ok bool) {
	if len(text) < 6 || text[0] != '\\' || text[1] != 'u' {
		return 0, false
	}
	for _, c := range text[2:6] {
		switch {
		case '0' <= c && c <= '9':
			c -= '0'
		case 'a' <= c && c <= 'f':
			c -= 'a' - 10
		case 'A' <= c && c <= 'F':
			c -= 'A' - 10
		default:
			return 0, false
		}
		r = r<<4 | rune(c)
	}
	return r, true
}

// appendRune appends r as it stands inside a canonical string.
func appendRune(dst []byte, r rune) []byte {
	switch r {
	case '"', '\\':
		return append(dst, '\\', byte(r))
	case '\b':
		return append(dst, `\b`...)
	case '\f':
		return append(dst, `\f`...)
	case '\n':
		return append(dst, `\n`...)
	case '\r':
		return append(dst, `\r`...)
	case '\t':
		return append(dst, `\t`...)
	}
	if r < 0x20 {
		const digits = "0123456789abcdef"
		return append(dst, '\\', 'u', '0', '0', digits[r>>4], digits[r&15])
	}
	return utf8.AppendRune(dst, r)
}

// appendString appends text as a canonical JSON string. Bytes that are no
// UTF-8 become U+FFFD.
func appendString(dst []byte, text string) []byte {
	dst = append(dst, '"')
	for _, r := range text {
		dst = appendRune(dst, r)
	}
	return append(dst, '"')
}

// unquote decodes a canonical JSON string.
func unquote(text []byte) string {
	text = text[1 : len(text)-1]
	i := 0
	for i < len(text) && text[i] != '\\' {
		i++
	}
	if i == len(text) {
		return string(text)
	}
	out := append(make([]byte, 0, len(text)), text[:i]...)
	for ; i < len(text); i++ {
		c := text[i]
		if c == '\\' {
			i++
			switch c = text[i]; c {
			case 'b':
				c = '\b'
			case 'f':
				c = '\f'
			case 'n':
				c = '\n'
			case 'r':
				c = '\r'
			case 't':
				c = '\t'
			case 'u':
				r, _ := hex4(text[i-1:])
				c = byte(r) // canonical text escapes controls only
				i += 4
			}
		}
		out = append(out, c)
	}
	return string(out)
}
