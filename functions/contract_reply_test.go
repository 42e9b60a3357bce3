package functions_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"testing"

	"context-manager/functions"
	"context-manager/internal/agent/agenttest"
	"context-manager/internal/contract"
)

// Whole answers and errors, to the byte: what a change does to them shows in the
// diff of a golden before it shows at a caller's.
func TestRepliesAreGoldens(t *testing.T) {
	t.Parallel()
	small, big := agenttest.SmallModel(), agenttest.Inline("big", 200000, 8000)
	output := agenttest.Tokens(5000)
	turns := agenttest.Stamp(agenttest.User("task"), agenttest.Call("c1", "shell::run"), agenttest.Result("c1", "shell::run", output),
		agenttest.Assistant("ok"), agenttest.User("and"), agenttest.User("now"))
	long := agenttest.Stamp(tokensOf(3000), agenttest.Assistant("r0"), tokensOf(3000), agenttest.Assistant("r1"),
		agenttest.User("recent question"), agenttest.Assistant("recent answer"))
	loose := agenttest.Stamp(agenttest.User("hello"), agenttest.Result("c9", "shell::run", "nobody asked"))
	tests := []struct {
		name, function string
		request        agenttest.Object
	}{
		{"passes through", "context::assemble", agenttest.Object{"model": big, "system_prompt": "You are helpful.",
			"messages": agenttest.Stamp(agenttest.User("hello"), agenttest.Assistant("hi there"))}},
		{"names a loose result", "context::assemble", agenttest.Object{"model": big, "messages": loose}},
		{"reduces", "context::assemble", agenttest.Object{"model": small, "messages": turns,
			"options": agenttest.Object{"allow_prune": false, "allow_compaction": false}}},
		{"compacts", "context::assemble", agenttest.Object{"model": small, "messages": long, "system_prompt": "Base prompt."}},
		{"overflows", "context::assemble", agenttest.Object{"model": small, "messages": long, "system_prompt": "Base prompt.",
			"options": agenttest.Object{"allow_compaction": false}}},
		{"overflows a guess", "context::assemble", agenttest.Object{"model": agenttest.Object{"id": "unknown"}, "messages": agenttest.Stamp(tokensOf(9000))}},
		{"summarises", "context::compact", agenttest.Object{"model": big, "messages": agenttest.Stamp(tokensOf(9000), agenttest.User("q2"), agenttest.User("q3"))}},
		{"has nothing to summarise", "context::compact", agenttest.Object{"model": big, "messages": []any{}}},
		{"prunes", "context::prune", agenttest.Object{"messages": turns,
			"options": agenttest.Object{"protect_recent_tokens": 0, "min_free_tokens": 1, "max_output_chars": 100}}},
		{"counts", "context::count-tokens", agenttest.Object{"model": big, "messages": loose, "system_prompt": "sixteen letters!",
			"tools": []any{agenttest.AgentTrigger()}}},
		{"refuses", "context::prune", agenttest.Object{"messages": []any{agenttest.Object{"role": "user", "content": []any{}}}}},
		{"takes a notice", "context::on-models-changed", agenttest.Object{"provider": "p"}},
	}
	var doc bytes.Buffer
	for _, tt := range tests {
		s := functions.New(functions.Options{Summarizer: &writer{text: "## Goal\n- ship the feature"}, Leases: &memoryLeases{}})
		raw, err := invoke(s, tt.function, tt.request)
		if err != nil {
			raw = agenttest.JSON(agenttest.Object{"error": err.Error()})
		}
		fmt.Fprintf(&doc, "%s %s\n", tt.function, tt.name)
		if err := json.Indent(&doc, bytes.ReplaceAll(raw, []byte(output), []byte("…")), "", "  "); err != nil {
			t.Fatal(err)
		}
		doc.WriteString("\n\n")
	}
	contract.Golden(t, "replies.txt", doc.Bytes())
}
