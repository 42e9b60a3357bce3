package functions_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
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
		c := newSituation(r, i)
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
	protect, free, most := r.IntN(2)*r.IntN(1000), r.IntN(2)*r.IntN(100), r.IntN(2)*r.IntN(200)
	request := agenttest.Object{"messages": c.messages, "options": agenttest.Object{
		"protect_recent_tokens": protect, "min_free_tokens": free, "max_output_chars": most,
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
	var changed []int
	for i := range c.messages {
		if string(c.messages[i]) != string(first.Messages[i]) {
			changed = append(changed, i)
		}
	}
	if want := prunable(c.messages, protect, free, most); !slices.Equal(changed, want) {
		return 0, fmt.Errorf("pruned %v, want %v (protect %d, free %d, most %d)", changed, want, protect, free, most)
	}
	if len(changed) != first.Parts || first.Parts > first.Scanned {
		return 0, fmt.Errorf("%v messages changed, %d parts reported, %d scanned", changed, first.Parts, first.Scanned)
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

// prunable says the slow way which messages pruning replaces: from the newest
// on, past two turns of the user, beyond the protected tokens, longer than the
// limit and than the placeholder, if all of it is worth it.
func prunable(list []json.RawMessage, protect, free, most int) []int {
	var out []int
	turns, window, freed := 0, 0, 0
	for i, raw := range slices.Backward(list) {
		m := read(raw)
		results := 0
		for _, b := range m.Content {
			if b.Type == "function_result" {
				results++
			}
		}
		if m.Role == "user" && (len(m.Content) == 0 || results < len(m.Content)) {
			turns++
		}
		if turns < 2 || m.Role != "function_result" {
			continue
		}
		length := 0
		for _, b := range m.Content {
			if b.Type == "text" {
				length += len(b.Text)
			}
		}
		window += length / 4
		placeholder := fmt.Sprintf("[output pruned: was ~%d tokens]", length/4)
		if window <= protect || length <= most || length <= len(placeholder) {
			continue
		}
		freed += length/4 - len(placeholder)/4
		out = append(out, i)
	}
	if freed < free {
		return nil
	}
	slices.Reverse(out)
	return out
}
