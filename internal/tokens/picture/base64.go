package picture

import "bytes"

// reader gives access to the bytes behind a base64 text without decoding it as
// a whole. Standard and URL alphabets are taken, padding is not needed.
type reader struct{ text []byte }

// newReader also takes a data URL, which some callers put where base64 belongs.
func newReader(text []byte) reader {
	text = bytes.TrimSpace(text)
	if bytes.HasPrefix(text, []byte("data:")) {
		head := text[:min(len(text), 256)]
		if i := bytes.Index(head, []byte(";base64,")); i >= 0 {
			text = text[i+len(";base64,"):]
		}
	}
	return reader{text: text}
}

// at copies the bytes from offset on into dst and reports whether all are
// there. Line breaks inside the text are not skipped: offsets would be lost.
func (r reader) at(dst []byte, offset int) bool {
	for i := range dst {
		n := offset + i
		group, rest := n/3*4, n%3
		if group < 0 || group+rest+1 >= len(r.text) {
			return false
		}
		a, b := sextet(r.text[group+rest]), sextet(r.text[group+rest+1])
		if a > 63 || b > 63 {
			return false
		}
		// Byte 0 is 6 bits of a and 2 of b, byte 1 is 4 and 4, byte 2 is 2 and 6.
		dst[i] = a<<(2+2*rest) | b>>(4-2*rest)
	}
	return true
}

// sextet returns the value of a base64 digit, or 64.
func sextet(c byte) byte {
	switch {
	case c >= 'A' && c <= 'Z':
		return c - 'A'
	case c >= 'a' && c <= 'z':
		return c - 'a' + 26
	case c >= '0' && c <= '9':
		return c - '0' + 52
	case c == '+' || c == '-':
		return 62
	case c == '/' || c == '_':
		return 63
	}
	return 64
}
