package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"context-manager/internal/agent"
)

// testWorkspace is a directory with one file in place of a clone.
func testWorkspace(t *testing.T) *workspace {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.txt"), []byte("one\ntwo\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	return &workspace{dir: dir, clean: cleanerOf(dir, dir, "/nowhere/go", "/nowhere/home")}
}

func TestSessionRecordsCallsAndWhatTheyReturn(t *testing.T) {
	t.Parallel()
	s := newSession(testWorkspace(t))
	s.user("look at <a.txt>")
	s.act("two looks at once", read("a.txt"), search("tw.", "a.txt"))
	s.act("a change", edit("a.txt", "two", "three"), create("b.txt", "new"), shell("cat a.txt b.txt && pwd"), shellFailing("exit 1"))
	s.say("done")
	if s.err != nil {
		t.Fatal(s.err)
	}
	list, err := agent.DecodeMessages(array(s.take()))
	if err != nil {
		t.Fatal(err)
	}
	want := []struct {
		role   agent.Role
		call   string
		text   string
		failed bool
	}{
		{agent.RoleUser, "", "look at <a.txt>", false},
		{agent.RoleAssistant, "", "two looks at once", false},
		{agent.RoleFunctionResult, "call-001", "one\ntwo\n", false},
		{agent.RoleFunctionResult, "call-002", "a.txt:2:two\n", false},
		{agent.RoleAssistant, "", "a change", false},
		{agent.RoleFunctionResult, "call-003", "1 replacement in a.txt", false},
		{agent.RoleFunctionResult, "call-004", "3 bytes written to b.txt", false},
		{agent.RoleFunctionResult, "call-005", "one\nthree\nnew/repo\n", false},
		{agent.RoleFunctionResult, "call-006", "", true},
		{agent.RoleAssistant, "", "done", false},
	}
	if len(list) != len(want) {
		t.Fatalf("%d messages, want %d", len(list), len(want))
	}
	for i, w := range want {
		m := &list[i]
		if m.Role() != w.role || string(m.CallID()) != w.call || string(m.AppendText(nil)) != w.text || m.IsError() != w.failed {
			t.Errorf("message %d is %s, want %+v", i, m.Raw(), w)
		}
		if i > 0 && m.Timestamp() <= list[i-1].Timestamp() {
			t.Errorf("message %d has the time %d, want more than %d", i, m.Timestamp(), list[i-1].Timestamp())
		}
	}
	if !strings.Contains(string(list[0].Raw()), "look at <a.txt>") {
		t.Errorf("markup was escaped: %s", list[0].Raw())
	}
	if again := s.take(); len(again) != 0 {
		t.Errorf("%d messages were taken twice", len(again))
	}
}

func TestSessionEndsWhereTheStoryIsNotTrue(t *testing.T) {
	t.Parallel()
	tests := map[string]call{
		"a command that should end well fails":      shell("exit 1"),
		"a command that should fail ends well":      shellFailing("true"),
		"a file is not there":                       read("missing.txt"),
		"what is to be replaced is not there":       edit("a.txt", "four", "five"),
		"what is to be replaced is there twice":     edit("a.txt", "o", "0"),
		"the place that is searched is not there":   search("x", "missing"),
		"an output names the directory it ran from": shell("dirname $PWD"),
	}
	for name, c := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSession(testWorkspace(t))
			s.act("try", c, shell("touch after"))
			s.user("and then")
			if s.err == nil {
				t.Fatal("the session went on, want an error")
			}
			if n := len(s.take()); n != 1 {
				t.Errorf("%d messages were recorded, want the call alone", n)
			}
			if _, err := os.Stat(filepath.Join(s.w.dir, "after")); !errors.Is(err, os.ErrNotExist) {
				t.Error("the call behind the failed one was made all the same")
			}
		})
	}
}

func TestQuoteMakesOneWord(t *testing.T) {
	t.Parallel()
	w := testWorkspace(t)
	for _, text := range []string{"a b", "it's", "$HOME `x` \"", "-n"} {
		got, _, err := w.command("printf %s " + quote(text))
		if err != nil || got != text {
			t.Errorf("the shell reads %s as %q, %v; want %q", quote(text), got, err, text)
		}
	}
}
