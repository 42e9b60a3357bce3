package summary

import (
	"strings"
	"unicode/utf8"
)

// truncated stands where text has been left out.
const truncated = "... [truncated]"

// Prefix returns the bytes of the longest prefix of body of at most room bytes
// that ends on a character boundary. Zero means that not even the first
// character fits. A negative room is none.
func Prefix(body []byte, room int) int {
	switch {
	case room <= 0:
		return 0
	case room >= len(body):
		return len(body)
	}
	n := room
	for n > 0 && room-n < utf8.UTFMax && !utf8.RuneStart(body[n]) {
		n--
	}
	return n
}

// suffix returns where the longest suffix of text of at most room bytes starts
// that begins on a character boundary.
func suffix(text []byte, room int) int {
	at := len(text) - min(max(room, 0), len(text))
	for at < len(text) && !utf8.RuneStart(text[at]) {
		at++
	}
	return at
}

// Blank reports whether a summary is empty or holds only white space, Unicode's
// included.
func Blank(summary string) bool { return strings.TrimSpace(summary) == "" }

// firstRunes cuts text after its first n characters and says so.
func firstRunes(text string, n int) string {
	for i := range text {
		if n == 0 {
			return text[:i] + truncated
		}
		n--
	}
	return text
}
