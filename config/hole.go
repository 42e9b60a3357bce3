package config

import (
	"bytes"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// placeholder is ${NAME} or ${NAME:default} on one line. The default ends at
// the first }, so it holds no placeholder.
var placeholder = regexp.MustCompile(`\$\{([^}:\n]+)(:[^}\n]*)?\}`)

// hole is one placeholder of a settings file.
type hole struct {
	spelled    string // ${NAME:default}
	name       string
	fallback   string
	hasDefault bool
}

// holes are the placeholders that were cut out of a file. Each left a mark, a
// word that stands nowhere else in the file. A mark is a plain scalar wherever
// YAML allows one, which ${NAME: default} or ${NAME} inside braces is not, and
// takes up no line, so positions stay right.
type holes struct {
	mark  string // what all marks begin with
	holes []hole
}

// dig replaces the placeholders of a file by marks.
func dig(data []byte) ([]byte, holes) {
	h := holes{mark: "hole"}
	for bytes.Contains(data, []byte(h.mark)) {
		h.mark += "x"
	}
	data = placeholder.ReplaceAllFunc(data, func(match []byte) []byte {
		parts := placeholder.FindSubmatch(match)
		fallback, hasDefault := strings.CutPrefix(string(parts[2]), ":")
		h.holes = append(h.holes, hole{string(match), string(parts[1]), fallback, hasDefault})
		return fmt.Appendf(nil, "%s%dx", h.mark, len(h.holes)-1)
	})
	return data, h
}

// fill replaces each mark in s by what it stands for. What replaces it is not
// looked at again.
func (h holes) fill(s string, with func(hole) string) string {
	var b strings.Builder
	for h.mark != "" {
		before, after, found := strings.Cut(s, h.mark)
		if !found {
			break
		}
		b.WriteString(before)
		number, rest, ended := strings.Cut(after, "x")
		i, err := strconv.Atoi(number)
		if !ended || err != nil || i < 0 || i >= len(h.holes) {
			b.WriteString(h.mark) // made from parts by an escape in a quoted text
			s = after
			continue
		}
		b.WriteString(with(h.holes[i]))
		s = rest
	}
	b.WriteString(s)
	return b.String()
}

// restore puts the placeholders back as they were spelled.
func (h holes) restore(s string) string {
	return h.fill(s, func(h hole) string { return h.spelled })
}
