package summary

import (
	"bytes"
	"unicode"
	"unicode/utf8"
)

// The tags that fence a part of a prompt.
const (
	tagConversation = "conversation"
	tagPrevious     = "previous-summary"
	tagTemplate     = "template"
	tagInstructions = "instructions"
)

// mark starts every label line. No content contains it.
const mark = "<::>"

// lookAlikes is what may not follow a < in content, in lower case.
var lookAlikes = [...]string{
	tagConversation, tagPrevious, tagTemplate, tagInstructions, mark[1:],
}

// fence puts content between the tags of that name, each on a line of its own.
func fence(dst []byte, tag string, content []byte) []byte {
	dst = openFence(dst, tag)
	dst = appendEscaped(dst, content)
	return closeFence(dst, tag)
}

func openFence(dst []byte, tag string) []byte {
	dst = append(dst, '<')
	dst = append(dst, tag...)
	return append(dst, ">\n"...)
}

func closeFence(dst []byte, tag string) []byte {
	dst = append(dst, "\n</"...)
	dst = append(dst, tag...)
	return append(dst, '>')
}

// appendEscaped appends content with a backslash after every < that starts a
// look-alike. Its work is linear: no look-alike goes past the next <.
func appendEscaped(dst, content []byte) []byte {
	for {
		i := bytes.IndexByte(content, '<')
		if i < 0 {
			return append(dst, content...)
		}
		dst = append(dst, content[:i+1]...)
		content = content[i+1:]
		if looksLikeTag(content) {
			dst = append(dst, '\\')
		}
	}
}

// looksLikeTag reports whether the text after a < could be read as one of our
// tags.
func looksLikeTag(rest []byte) bool {
	closing := false
	for len(rest) > 0 {
		r, n := utf8.DecodeRune(rest)
		if r != '/' && r != '\\' && !invisible(r) {
			break
		}
		closing = closing || r == '/'
		rest = rest[n:]
	}
	for _, name := range lookAlikes {
		after, ok := cutName(rest, name)
		if !ok {
			continue
		}
		// A type such as List<TemplateID> is no opening tag. A closing tag is
		// taken at its name alone, because a body may be cut there.
		if next, _ := utf8.DecodeRune(after); closing || name == mark[1:] || !wordRune(next) {
			return true
		}
	}
	return false
}

// cutName takes name off the front of text, whatever its letter case and
// whatever invisible characters stand between its letters.
func cutName(text []byte, name string) (after []byte, ok bool) {
	for i := 0; i < len(name); {
		r, n := utf8.DecodeRune(text)
		switch {
		case n == 0:
			return nil, false
		case foldRune(r) == rune(name[i]):
			i++
		case i == 0 || !invisible(r):
			return nil, false
		}
		text = text[n:]
	}
	return text, true
}

// foldRune lowers a letter. The long s is the one letter outside ASCII that
// comparing without case takes for a letter of our names.
func foldRune(r rune) rune {
	switch {
	case 'A' <= r && r <= 'Z':
		return r + 'a' - 'A'
	case r == 'ſ':
		return 's'
	}
	return r
}

// invisible reports whether r takes no ink: white space, controls, and format
// characters such as the zero-width space.
func invisible(r rune) bool {
	if r < utf8.RuneSelf {
		return r <= ' ' || r == 0x7f
	}
	return unicode.IsSpace(r) || r == blankBraille ||
		unicode.In(r, unicode.Cc, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}

// blankBraille is a letter of no dots: its class says symbol, its look nothing.
const blankBraille = '\u2800'

func wordRune(r rune) bool {
	return r == '_' || r == '-' || r == '.' || r == ':' || unicode.IsLetter(r) || unicode.IsDigit(r)
}
