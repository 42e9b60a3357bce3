package agenttest_test

import (
	"bytes"
	"testing"

	"context-manager/internal/agent"
	"context-manager/internal/agent/agenttest"
)

func TestHistoryHasTheMessagesAndBytesAskedFor(t *testing.T) {
	t.Parallel()
	for _, size := range []struct{ messages, bytes int }{{2, 7000}, {50, 100_000}, {1000, 2_000_000}} {
		data := agenttest.History(1, size.messages, size.bytes)
		list, err := agent.DecodeMessages(data)
		if err != nil {
			t.Fatal(err)
		}
		if len(list) != size.messages {
			t.Errorf("got %d messages, want %d", len(list), size.messages)
		}
		if off := float64(len(data))/float64(size.bytes) - 1; off < -0.15 || off > 0.15 {
			t.Errorf("got %d bytes, want %d give or take 15 %%", len(data), size.bytes)
		}
		if !bytes.Equal(data, agenttest.History(1, size.messages, size.bytes)) {
			t.Errorf("%d messages: the same seed gave other bytes", size.messages)
		}
	}
}

func TestHistoryAnswersEveryCallAndShowsEveryRole(t *testing.T) {
	t.Parallel()
	list, err := agent.DecodeMessages(agenttest.History(2, 1000, 300_000))
	if err != nil {
		t.Fatal(err)
	}
	open, roles, inline := map[string]bool{}, map[agent.Role]int{}, 0
	for i := range list {
		m := &list[i]
		roles[m.Role()]++
		delete(open, string(m.CallID()))
		for j := range m.Blocks() {
			switch b := &m.Blocks()[j]; b.Type() {
			case agent.BlockFunctionCall:
				open[string(b.CallID())] = true
			case agent.BlockFunctionResult:
				delete(open, string(b.CallID()))
				inline++
			}
		}
	}
	if len(open) != 0 {
		t.Errorf("got %d calls without an answer, want none", len(open))
	}
	if len(roles) != 4 || inline == 0 {
		t.Errorf("got roles %v and %d inline results, want all four roles and some results", roles, inline)
	}
}
