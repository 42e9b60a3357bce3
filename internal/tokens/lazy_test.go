package tokens_test

import (
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"

	"context-manager/internal/tokens"
)

// TestLazyChild does nothing by itself; TestTheHeuristicReadsNoRanks runs it
// in a process of its own, where nothing has been loaded.
func TestLazyChild(t *testing.T) {
	model := os.Getenv("TOKENS_LAZY_CHILD")
	if model == "" {
		return
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for _, choice := range []tokens.Choice{tokens.Auto, tokens.ByHeuristic, tokens.ByFitted} {
		if model == "gpt-4o" && choice != tokens.ByHeuristic {
			continue
		}
		tokens.For(model, choice, tokens.Options{}).SystemPrompt(strings.Repeat("counted ", 100))
	}
	runtime.ReadMemStats(&after)
	if got := after.TotalAlloc - before.TotalAlloc; got > 100_000 {
		t.Fatalf("got %d bytes allocated without a tokenizer, want at most 100000", got)
	}
	tokens.For("gpt-4o", tokens.Auto, tokens.Options{}).SystemPrompt("counted")
	runtime.ReadMemStats(&after)
	if got := after.TotalAlloc - before.TotalAlloc; got < 1_000_000 || got > 25_000_000 {
		t.Fatalf("got %d bytes allocated with a tokenizer, want the ranks and at most 25 MB", got)
	}
}

func TestTheHeuristicReadsNoRanks(t *testing.T) {
	t.Parallel()
	for _, model := range []string{"gpt-4o", "claude-sonnet-4", "m-1"} {
		cmd := exec.Command(os.Args[0], "-test.run=^TestLazyChild$", "-test.v")
		cmd.Env = append(os.Environ(), "TOKENS_LAZY_CHILD="+model)
		out, err := cmd.CombinedOutput()
		if err != nil || !strings.Contains(string(out), "--- PASS: TestLazyChild") {
			t.Errorf("%s: got error %v, want a pass\n%s", model, err, out)
		}
	}
}
