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

// Whoever pastes a call of the README gets an answer.
func TestTheCallsOfTheReadmeAnswer(t *testing.T) {
	t.Parallel()
	top := filepath.Join("..", "..")
	readme, err := os.ReadFile(filepath.Join(top, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	calls := 0
	for line := range strings.Lines(string(readme)) {
		rest, isCall := strings.CutPrefix(line, "context-manager call ")
		if !isCall {
			continue
		}
		calls++
		command, _, _ := strings.Cut(rest, "#")
		args := strings.Fields(command)
		args[len(args)-1] = filepath.Join(top, args[len(args)-1])
		got := play(t, "", map[string]string{"HOME": t.TempDir()}, append([]string{"call"}, args...)...)
		if got.code != 0 || got.stderr != "" || !strings.Contains(got.stdout, `"token_count"`) {
			t.Errorf("%s: %+v, want an assembled context", line, got)
		}
	}
	if calls == 0 {
		t.Error("the README shows no call")
	}
}
