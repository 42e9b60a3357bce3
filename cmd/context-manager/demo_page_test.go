package main

import (
	"errors"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestCommas(t *testing.T) {
	t.Parallel()
	for n, want := range map[uint64]string{0: "0", 999: "999", 1000: "1,000", 98442: "98,442", 1234567: "1,234,567"} {
		if got := commas(n); got != want {
			t.Errorf("commas(%d) = %s, want %s", n, got, want)
		}
	}
}

func TestClipKeepsToCharacters(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		text  string
		width int
		want  string
	}{
		"a text that fits stays":             {"abc", 3, "abc"},
		"a longer one shows that it was cut": {"abcd", 3, "ab…"},
		"characters are counted, not bytes":  {"äöü", 3, "äöü"},
		"lines and tabs become spaces":       {"a\n\tb", 9, "a  b"},
		"escape codes lose their escape":     {"\x1b[1mx", 9, " [1mx"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := clip(tt.text, tt.width); got != tt.want {
				t.Errorf("clip(%q, %d) = %q, want %q", tt.text, tt.width, got, tt.want)
			}
		})
	}
}

func TestWrap(t *testing.T) {
	t.Parallel()
	got := strings.Join(wrap("one two  three averylongword x", 9), "|")
	if want := "one two|three|averylongword|x"; got != want {
		t.Errorf("wrap = %s, want %s", got, want)
	}
}

func TestBarsAddUp(t *testing.T) {
	t.Parallel()
	for _, r := range []tableRow{
		{before: 1000, after: 1000},
		{before: 1000, after: 333, pruned: 333, other: 334},
		{before: 1000, after: 1, pruned: 998, other: 1},
		{before: 1000, pruned: 500, other: 500},
	} {
		if got := utf8.RuneCountInString(r.bar(1000)); got != barWidth {
			t.Errorf("the bar of %+v has %d characters, want %d", r, got, barWidth)
		}
	}
	if got, want := (tableRow{after: 250, other: 500, pruned: 250}).bar(1000), strings.Repeat("█", 14)+strings.Repeat("▒", 28)+strings.Repeat("░", 14); got != want {
		t.Errorf("bar = %s, want %s", got, want)
	}
}

// brokenWriter fails after some writes.
type brokenWriter struct{ left int }

var errBroken = errors.New("broken pipe")

func (b *brokenWriter) Write(p []byte) (int, error) {
	if b.left == 0 {
		return 0, errBroken
	}
	b.left--
	return len(p), nil
}

func TestPageKeepsItsFirstError(t *testing.T) {
	t.Parallel()
	p := &page{w: &brokenWriter{left: 1}}
	p.line("one")
	p.line("two")
	p.line("three")
	if !errors.Is(p.err, errBroken) {
		t.Errorf("err = %v, want %v", p.err, errBroken)
	}
}

func TestSummaryShowsTheBeginningOfEachPart(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	printSummary(&page{w: &out}, "## A\n- 1\n- 2\n- 3\n- 4\n- 5\n\n## B\n- 6")
	want := "    | ## A\n    |   - 1\n    |   - 2\n    |   - 3\n    |   ... and 2 more\n    | ## B\n    |   - 6\n"
	if out.String() != want {
		t.Errorf("got\n%s\nwant\n%s", out.String(), want)
	}
}
