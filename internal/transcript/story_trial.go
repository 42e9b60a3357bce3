package main

const (
	pruneFile = "internal/window/prune.go"
	twoTurns  = "const protectedTurns = 2"
	oneTurn   = "const protectedTurns = 1"
	pinFile   = "internal/window/prune_turns_test.go"
)

// breakIt is the third turn: the agent tries whether a test would notice.
func breakIt(s *session) {
	s.user("Then try it. Make it one turn, run the tests of the package, tell me what happened, and put it back.")
	s.act("I change the constant and nothing else.",
		edit(pruneFile, twoTurns, oneTurn),
		shell("git diff"))
	s.act("Now the package's tests, uncached.",
		shell("go test -count=1 ./internal/window"))
	s.act("They pass. I make sure that the change was really compiled, and that vet sees nothing either.",
		shell("grep -n 'protectedTurns' "+pruneFile),
		shell("go vet ./internal/window && echo vet is silent"))
	s.act("Back to two turns.",
		edit(pruneFile, oneTurn, twoTurns),
		shell("git status --short && git diff --stat && echo the tree is clean"))
	s.say("The suspicion holds: with protectedTurns = 1 every test of internal/window passes. What pruning promises to the two newest turns is not pinned next to it. " +
		"The constant is back at 2 and the tree is clean.")
}

// pinIt is the fourth turn: the agent writes the missing test.
func pinIt(s *session) {
	s.user("Write that test. It must fail with one turn and pass with two; show me both. And check that nothing on the wire has moved: " +
		"I want to see the schemas that we publish, all of them, not only that a test is green.")
	s.act("The test has three turns with one long output each, and no recent output is protected. Only the oldest may go.",
		create(pinFile, pinTest),
		shell("gofmt -l internal/window && go vet ./internal/window && echo vet is silent"))
	s.act("It has to pass as things are.",
		shell("go test -count=1 -v -run NewestTwoTurns ./internal/window"))
	s.act("And it has to fail when the rule is broken.",
		edit(pruneFile, twoTurns, oneTurn),
		shellFailing("go test -count=1 -run NewestTwoTurns ./internal/window"))
	s.act("It does, and it names the message that was lost. Back again, and the whole package once more.",
		edit(pruneFile, oneTurn, twoTurns),
		shell("go test -count=1 ./internal/window ./internal/agent"))
	s.act("Now the published schemas of all functions.",
		shell("cat goldens/context.*.json"))
	s.act("They are as committed; the only difference in the tree should be the new file.",
		shell("git status --short"),
		shell("git diff --stat && cat "+pinFile+" | wc -l"))
	s.say(`Done. internal/window/prune_turns_test.go has three turns with one output of 8,000 bytes each. With protectedTurns = 2 only message 2, the output of the oldest turn, is pruned. With protectedTurns = 1 the test fails and shows that message 5 went as well.

Nothing on the wire has moved: no golden changed, and the schemas above are those that were committed before. The new test is the only difference in the tree.`)
}

const pinTest = `package window_test

import (
	"fmt"
	"strings"
	"testing"

	"context-manager/internal/window"
)

func TestPruneLeavesTheNewestTwoTurnsAlone(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 8000)
	v := view(t,
		user("first"), call("a", "shell::run"), result("a", "shell::run", long),
		user("second"), call("b", "shell::run"), result("b", "shell::run", long),
		user("third"), call("c", "shell::run"), result("c", "shell::run", long),
	)
	got, err := window.Prune(v, window.PruneOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if fmt.Sprint(got.Indices) != "[2]" {
		t.Errorf("pruned messages %v, want [2], the output of the oldest turn", got.Indices)
	}
}
`
