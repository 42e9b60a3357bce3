package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What the README shows of the demo is what the demo shows.
func TestReadmeShowsTheDemo(t *testing.T) {
	t.Parallel()
	readme, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, block, found := strings.Cut(string(readme), "from\nits output:\n\n```\n")
	block, _, closed := strings.Cut(block, "```")
	if !found || !closed {
		t.Fatal("the README has no block of the demo's output")
	}
	page := shownPage()
	lines := 0
	for line := range strings.Lines(block) {
		lines++
		if !strings.Contains(page, line) {
			t.Errorf("the demo does not show %q", line)
		}
	}
	if lines < 5 {
		t.Errorf("%d lines of the demo in the README, want its table at least", lines)
	}
}
