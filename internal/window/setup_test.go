package window_test

import (
	"testing"

	"context-manager/internal/agent"
	"context-manager/internal/agent/agenttest"
	"context-manager/internal/tokens"
	"context-manager/internal/window"
)

func view(t *testing.T, list ...agenttest.Message) *window.View {
	t.Helper()
	messages, err := agent.DecodeMessages(agenttest.Messages(list...))
	if err != nil {
		t.Fatal(err)
	}
	return window.NewView(messages, tokens.NewHeuristic(0), nil)
}

func big(n int) agenttest.Message { return agenttest.User(agenttest.Tokens(n)) }

var (
	user   = agenttest.User
	said   = agenttest.Assistant
	call   = agenttest.Call
	result = agenttest.Result
	inline = agenttest.InlineResult
)
