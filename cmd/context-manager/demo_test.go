package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"context-manager/internal/agent"
)

// demoProcess runs the demo and returns what it printed.
func demoProcess(t *testing.T, ctx context.Context) (stdout string, code int) {
	t.Helper()
	var out, problems strings.Builder
	code = run(ctx, process{
		args: []string{"demo"}, stdin: strings.NewReader(""), stdout: &out, stderr: &problems,
		getenv: func(string) (string, bool) { return "", false },
	})
	if code == 0 && problems.Len() > 0 {
		t.Errorf("stderr says %q, want nothing", problems.String())
	}
	return out.String(), code
}

// shownPage is what one run of the demo prints, for the tests that only read it.
var shownPage = sync.OnceValue(func() string {
	var out strings.Builder
	run(context.Background(), process{
		args: []string{"demo"}, stdout: &out, stderr: &out, getenv: func(string) (string, bool) { return "", false },
	})
	return out.String()
})

func TestDemoPrintsAPageThatReadsEverywhere(t *testing.T) {
	t.Parallel()
	text := shownPage()
	if !strings.HasSuffix(text, "\n") {
		t.Error("the last line does not end")
	}
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if n := utf8.RuneCountInString(line); n > pageWidth {
			t.Errorf("a line has %d characters, want at most %d: %s", n, pageWidth, line)
		}
		if strings.ContainsFunc(line, func(r rune) bool { return r < ' ' || r == 0x7f }) {
			t.Errorf("a line holds control characters: %q", line)
		}
		if strings.HasSuffix(line, " ") {
			t.Errorf("a line ends with a space: %q", line)
		}
	}
}

func TestDemoSaysWhatItShows(t *testing.T) {
	t.Parallel()
	text := shownPage()
	flat, recorded := strings.Join(strings.Fields(text), " "), bundled(t)
	for _, want := range []string{
		"production is the iii engine",
		"protect_recent_tokens 8,000, min_free_tokens 2,000 for this demo",
		fmt.Sprintf("%d messages, %d function calls, 4 user turns: ", len(recorded.messages), len(recorded.calls)),
		"24,800 usable",
		"now reads: [output pruned: was ~",
		"now reads: [function result reduced for context budget] {",
		"demo 8,000 2,000",
		"shipped 40,000 20,000",
		"ms from request to answer through engine and worker",
		"context/overflow: assembled context requires ",
		"extractive",
		"No model is asked",
		"of router::chat",
		"| ## Goal",
		"| ## Relevant Files",
	} {
		if !strings.Contains(flat, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
}

// TestDemoNamesMessages looks up what the page says of each rewritten message.
func TestDemoNamesMessages(t *testing.T) {
	t.Parallel()
	text := shownPage()
	recorded := bundled(t)
	named := 0
	check := func(index, function string) {
		named++
		i, err := strconv.Atoi(index)
		if err != nil || i >= len(recorded.messages) {
			t.Fatalf("the page names message [%s] of %d", index, len(recorded.messages))
		}
		m := &recorded.messages[i]
		if m.Role() != agent.RoleFunctionResult || string(m.FunctionID()) != function {
			t.Errorf("message [%d] is a %s of %q, the page says an output of %s", i, m.Role(), m.FunctionID(), function)
		}
	}
	for _, m := range regexp.MustCompile(`(?m)^ +\[ *(\d+)\] +(\w+::\w+) .* -> `).FindAllStringSubmatch(text, -1) {
		check(m[1], m[2])
	}
	function := ""
	for _, m := range regexp.MustCompile(`(?m)^ +others +(\w+::\w+)? *((?:\[\d+\] ?)+)$`).FindAllStringSubmatch(text, -1) {
		function = first(m[1], function)
		for _, index := range regexp.MustCompile(`\d+`).FindAllString(m[2], -1) {
			check(index, function)
		}
	}
	tally := regexp.MustCompile(`(?m)^  demo .* (\d+) outputs, [\d,]+ +(\d+) outputs?, `).FindStringSubmatch(text)
	if tally == nil {
		t.Fatal("the page does not count what was pruned and reduced")
	}
	pruned, _ := strconv.Atoi(tally[1])
	reduced, _ := strconv.Atoi(tally[2])
	if named != pruned+reduced {
		t.Errorf("the page names %d messages, want all %d", named, pruned+reduced)
	}
}

func TestDemoSaysTheSameEveryTime(t *testing.T) {
	t.Parallel()
	changing := regexp.MustCompile(`\d+\.\d+ m?s\b|127\.0\.0\.1:\d+`)
	once := shownPage()
	again, _ := demoProcess(t, t.Context())
	once, again = changing.ReplaceAllString(once, "*"), changing.ReplaceAllString(again, "*")
	if once == again {
		return
	}
	a, b := strings.Split(once, "\n"), strings.Split(again, "\n")
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			t.Errorf("line %d says\n%s\nwant as before\n%s", i+1, b[i], a[i])
		}
	}
	if len(a) != len(b) {
		t.Errorf("%d lines, want %d as before", len(b), len(a))
	}
}

func TestDemoSaysItsFirstLineBeforeItStartsAnything(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	text, code := demoProcess(t, ctx)
	if code != 1 {
		t.Errorf("exit code %d when interrupted, want 1", code)
	}
	if !strings.HasPrefix(text, "context-manager demo: ") || strings.Count(text, "\n") != 1 {
		t.Errorf("an interrupted demo printed %q, want its first line alone", text)
	}
}

func TestDemoRefusesArguments(t *testing.T) {
	t.Parallel()
	var problems strings.Builder
	p := process{args: []string{"demo", "more"}, stdout: &problems, stderr: &problems}
	if code := run(t.Context(), p); code != 2 {
		t.Errorf("exit code %d, want 2; output: %s", code, problems.String())
	}
}

// TestDemoLeavesNothingBehind is not parallel: it counts goroutines, and sets
// where temporary and home directories are.
func TestDemoLeavesNothingBehind(t *testing.T) {
	temp, home := t.TempDir(), t.TempDir()
	t.Setenv("TMPDIR", temp)
	t.Setenv("TMP", temp) // where Windows looks
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home)
	demoProcess(t, t.Context())
	before := runtime.NumGoroutine()
	if text, code := demoProcess(t, t.Context()); code != 0 {
		t.Fatalf("exit code %d, want 0; output:\n%s", code, text)
	}
	for range 1000 { // the HTTP server's goroutines end on their own time
		if runtime.NumGoroutine() <= before+2 {
			break
		}
		runtime.Gosched()
	}
	if got := runtime.NumGoroutine(); got > before+2 {
		t.Errorf("%d goroutines after the demo, want %d as before", got, before)
	}
	for _, dir := range []string{temp, home} {
		left, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range left {
			t.Errorf("the demo left %s behind", filepath.Join(dir, e.Name()))
		}
	}
}
