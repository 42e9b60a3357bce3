package agent

import "unicode/utf8"

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
