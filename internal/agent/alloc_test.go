package agent_test

import (
	"testing"

	"context-manager/internal/agent"
	"context-manager/internal/agent/agenttest"
)

// What a decode allocates must not grow with the messages: an unchanged history
// costs its bytes and nothing per message. These tests do not run in parallel,
// since they count.
func TestDecodingAllocatesAlikeForShortAndLongHistories(t *testing.T) {
	short := agenttest.History(1, 100, 200_000)
	long := agenttest.History(1, 10_000, 10_000_000)
	for _, tt := range []struct {
		name   string
		decode func(data []byte) error
		wrap   func(messages []byte) []byte
	}{
		{"list", func(data []byte) error { _, err := agent.DecodeMessages(data); return err }, func(m []byte) []byte { return m }},
		{"request", func(data []byte) error { var req testRequest; return agent.Decode(data, 3, &req) }, request},
	} {
		count := func(data []byte) float64 {
			data = tt.wrap(data)
			return testing.AllocsPerRun(5, func() {
				if err := tt.decode(data); err != nil {
					t.Fatal(err)
				}
			})
		}
		a, b := count(short), count(long)
		if b-a > 8 || a > 40 {
			t.Errorf("%s: got %v allocations for 100 messages and %v for 10,000, want at most 40 and at most 8 more", tt.name, a, b)
		}
	}
}

// A refusal on the way down costs what the limit costs, not what the text does.
func TestRefusingDeepNestingAllocatesLittle(t *testing.T) {
	data := []byte(`[{"x":` + nested("[", 1_000_000, "", "]") + `}]`)
	got := testing.AllocsPerRun(5, func() {
		if _, err := agent.DecodeMessages(data); err == nil {
			t.Fatal("got no error, want one")
		}
	})
	if got > 64 {
		t.Errorf("got %v allocations, want at most 64", got)
	}
}
