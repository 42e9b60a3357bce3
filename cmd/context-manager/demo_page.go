package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// pageWidth is the widest line of the demo, in characters.
const pageWidth = 100

// page prints the demo. It uses no escape codes, so it reads the same on a
// terminal, in a file and in a pipe. The first error stays in err.
type page struct {
	w   io.Writer
	err error
}

func (p *page) line(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintln(p.w, strings.TrimRight(clip(fmt.Sprintf(format, args...), pageWidth), " "))
	}
}

func (p *page) blank() { p.line("") }

// heading opens a part of the page.
func (p *page) heading(text string) {
	p.blank()
	p.line("%s", text)
	p.line("%s", strings.Repeat("=", utf8.RuneCountInString(text)))
}

// entryIndent is where the text of an entry begins.
const entryIndent = 14

// entry prints a name and a text that may run over several lines.
func (p *page) entry(name, format string, args ...any) {
	for _, line := range wrap(fmt.Sprintf(format, args...), pageWidth-entryIndent) {
		p.line("  %-*s%s", entryIndent-2, name, line)
		name = ""
	}
}

// wrap breaks a text at spaces into lines of at most width characters; longer
// words are left whole.
func wrap(text string, width int) (lines []string) {
	line := ""
	for _, word := range strings.Fields(text) {
		switch {
		case line == "":
			line = word
		case utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) <= width:
			line += " " + word
		default:
			lines = append(lines, line)
			line = word
		}
	}
	return append(lines, line)
}

// clip cuts a text to width characters and shows that it did.
func clip(text string, width int) string {
	text = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, text)
	if utf8.RuneCountInString(text) <= width {
		return text
	}
	return string([]rune(text)[:width-1]) + "…"
}

// commas prints a number with a comma between thousands.
func commas[T int | uint64](n T) string {
	s := strconv.FormatInt(int64(n), 10)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// plural prints a number and a noun.
func plural(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return commas(n) + " " + noun
}

func milliseconds(d time.Duration) string {
	return strconv.FormatFloat(float64(d.Microseconds())/1000, 'f', 1, 64) + " ms"
}

func seconds(d time.Duration) string {
	return strconv.FormatFloat(d.Seconds(), 'f', 2, 64) + " s"
}

func kilobytes(n int) string { return commas((n+512)/1024) + " KiB" }
