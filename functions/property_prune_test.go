package functions_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"context-manager/internal/agent"
	"context-manager/internal/agent/agenttest"
	"context-manager/internal/tokens"
	"context-manager/internal/window"
)

func viewOf(list []json.RawMessage) *window.View {
	raw, err := json.Marshal(list)
	if err != nil {
		panic(err)
	}
	messages, err := agent.DecodeMessages(raw)
	if err != nil {
		panic(err)
	}
	return window.NewView(messages, tokens.NewHeuristic(0), nil)
}

func TestPropertyPruneOnlyReplacesOutputs(t *testing.T) {
	t.Parallel()
	n, s := runs(t), seed(t)
	pruned := 0
	for i := range n {
		r := rand.New(rand.NewPCG(s, uint64(i)))
		c := newSituation(r)
		parts, err := c.prune(r)
		if err != nil {
			t.Fatalf("case %d of seed %d: %v\nrequest: %.3000s", i, s, err, agenttest.JSON(c.request))
		}
		if parts > 0 {
			pruned++
		}
	}
	if pruned*20 < n {
		t.Errorf("only %d of %d cases pruned anything, want at least five per cent", pruned, n)
	}
}

func (c *situation) prune(r *rand.Rand) (int, error) {
	type answer struct {
		Messages []json.RawMessage `json:"messages"`
		Parts    int               `json:"pruned_parts"`
		Tokens   uint64            `json:"pruned_tokens"`
		Scanned  int               `json:"scanned_parts"`
	}
	request := agenttest.Object{"messages": c.messages, "options": agenttest.Object{
		"protect_recent_tokens": r.IntN(1000), "min_free_tokens": r.IntN(100), "max_output_chars": r.IntN(200),
	}}
	call := func(messages any) (got answer, err error) {
		request["messages"] = messages
		raw, err := invoke(c.service, "context::prune", request)
		if err != nil {
			return got, err
		}
		return got, json.Unmarshal(raw, &got)
	}
	first, err := call(c.messages)
	if err != nil {
		return 0, err
	}
	if err := kept(c.messages, first.Messages, 0, true); err != nil {
		return 0, err
	}
	changed := 0
	for i := range c.messages {
		if string(c.messages[i]) != string(first.Messages[i]) {
			changed++
		}
	}
	if changed != first.Parts || first.Parts > first.Scanned {
		return 0, fmt.Errorf("%d messages changed, %d parts reported, %d scanned", changed, first.Parts, first.Scanned)
	}
	second, err := call(first.Messages)
	if err != nil {
		return 0, err
	}
	if second.Parts != 0 || second.Tokens != 0 {
		return 0, errors.New("pruning the answer again pruned more")
	}
	return first.Parts, nil
}
