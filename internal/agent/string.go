package agent

import "unicode/utf8"

// AppendString appends s as a JSON string in canonical spelling: only quote,
// backslash and controls are escaped. A byte that is not valid UTF-8 becomes
// U+FFFD.
func AppendString(dst []byte, s string) []byte {
	if !utf8.ValidString(s) {
		s = string([]rune(s))
	}
	return appendString(dst, s)
}

func appendString[T ~string | ~[]byte](dst []byte, s T) []byte {
	dst = append(dst, '"')
	start := 0
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c >= 0x20 && c != '"' && c != '\\' {
			continue
		}
		dst = append(dst, s[start:i]...)
		start = i + 1
		switch c {
		case '"', '\\':
			dst = append(dst, '\\', c)
		case '\b':
			dst = append(dst, `\b`...)
		case '\f':
			dst = append(dst, `\f`...)
		case '\n':
			dst = append(dst, `\n`...)
		case '\r':
			dst = append(dst, `\r`...)
		case '\t':
			dst = append(dst, `\t`...)
		default:
			dst = append(dst, `\u00`...)
			dst = append(dst, "0123456789abcdef"[c>>4], "0123456789abcdef"[c&15])
		}
	}
	dst = append(dst, s[start:]...)
	return append(dst, '"')
}

// appendStr appends a string of the text in canonical spelling, which nearly
// always is the one it has.
func appendStr(dst []byte, t str) []byte {
	if t.spelled&respelled != 0 {
		return appendString(dst, t.bytes())
	}
	dst = append(dst, '"')
	dst = append(dst, t.raw...)
	return append(dst, '"')
}
