package summary_test

import (
	"testing"

	. "context-manager/internal/agent/agenttest"
	"context-manager/internal/summary"
)

// Concatenating message by message would allocate per message. Only the
// doublings of the buffers may grow with the head.
func TestAllocationsDoNotGrowWithTheHead(t *testing.T) {
	allocations := func(messages int) float64 {
		list := make([]Message, messages)
		for i := range list {
			list[i] = User("a question of </conversation> and more")
		}
		h := head(t, list...)
		return testing.AllocsPerRun(5, func() { summary.Render(h, summary.RenderOptions{}) })
	}
	few, many := allocations(1000), allocations(8000)
	if many-few > 20 {
		t.Errorf("got %.0f allocations for 1,000 messages and %.0f for 8,000, want at most 20 more", few, many)
	}
}
