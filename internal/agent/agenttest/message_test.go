package agenttest_test

import (
	"testing"

	"context-manager/internal/agent"
	"context-manager/internal/agent/agenttest"
)

// The sizes are those that context-manager 1.1.0 reports for its own fixtures.
func TestBuildersHaveTheKnownHeuristicSizes(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name    string
		message agenttest.Message
		want    int
	}{
		{"user hello", agenttest.User("hello"), 18},
		{"user of about 3000", agenttest.User(agenttest.Tokens(3000)), 3017},
		{"user of about 9000", agenttest.User(agenttest.Tokens(9000)), 9017},
		{"assistant r0", agenttest.Assistant("r0"), 34},
		{"assistant hi there", agenttest.Assistant("hi there"), 35},
		{"call of shell::run", agenttest.Call("c1", "shell::run"), 52},
		{"result of about 5000", agenttest.Result("c1", "shell::run", agenttest.Tokens(5000)), 5041},
		{"user what is the weather", agenttest.User("what is the weather"), 22},
		{"assistant sunny", agenttest.Assistant("sunny with a chance of tokens"), 40},
		{"result 22 degrees", agenttest.Result("c1", "weather::get", "22 degrees"), 44},
		{"custom ui_marker", agenttest.Custom("ui_marker", agenttest.Bookkeeping), 30},
		{"custom of about 500", agenttest.Custom("ui_marker", agenttest.Tokens(500)), 524},
		{"result with a large image", agenttest.ResultBlocks("c1", "browser::screenshot", agenttest.Image(729420)), 182403},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			list, err := agent.DecodeMessages(agenttest.Messages(tt.message))
			if err != nil {
				t.Fatal(err)
			}
			if got := list[0].EstimateSize() / 4; got != tt.want {
				t.Errorf("got %d tokens, want %d", got, tt.want)
			}
		})
	}
}

func TestAgentTriggerHas148CanonicalBytes(t *testing.T) {
	t.Parallel()
	var req struct {
		Tools []agent.Function `json:"tools"`
	}
	if err := agent.Decode(agenttest.JSON(agenttest.Object{"tools": []any{agenttest.AgentTrigger()}}), 0, &req); err != nil {
		t.Fatal(err)
	}
	if got := req.Tools[0].Size(); got != 148 {
		t.Errorf("got %d bytes, want 148", got)
	}
}

func TestRequestStampsMessagesByTheirIndex(t *testing.T) {
	t.Parallel()
	got := string(agenttest.Request(agenttest.Object{"model": agenttest.SmallModel()},
		agenttest.User("a<b"), agenttest.InlineResult("c1").With("timestamp", 7), agenttest.User("c").Without("content")))
	want := `{"messages":[{"content":[{"text":"a<b","type":"text"}],"role":"user","timestamp":1001},` +
		`{"content":[{"content":[{"text":"inline result","type":"text"}],"function_call_id":"c1","type":"function_result"}],"role":"user","timestamp":7},` +
		`{"role":"user","timestamp":1003}],` +
		`"model":{"id":"small","limits":{"context_window":5000,"max_output_tokens":500}}}`
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
