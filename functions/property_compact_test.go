package functions_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"context-manager/internal/agent/agenttest"
)

func TestPropertyCompactKeepsItsPromises(t *testing.T) {
	t.Parallel()
	n, s := runs(t)/2, seed(t)
	seen := map[string]int{}
	for i := range n {
		r := rand.New(rand.NewPCG(s, uint64(i)))
		c := newSituation(r, i)
		if err := c.compact(r); err != nil {
			t.Fatalf("case %d of seed %d: %v\nrequest: %.3000s", i, s, err, agenttest.JSON(c.request))
		}
		for class := range c.story.classes {
			seen[class]++
		}
	}
	t.Logf("%v", seen)
	enough(t, seen, n, []string{"parallel", "late", "inline", "all custom", "status ok", "status empty", "status overflow"})
}

// compact asks for a summary of a situation's history and checks the answer:
// nothing is cut between a call and its result, the numbers are those of a
// recount, and the summary is the one that was written last.
func (c *situation) compact(r *rand.Rand) error {
	options := agenttest.Object{"tail_turns": r.IntN(4)}
	if r.IntN(2) == 0 {
		options["preserve_recent_tokens"] = r.IntN(2000)
	}
	if p, ok := c.option("previous_summary").(string); ok {
		options["previous_summary"] = p
	}
	model := agenttest.Inline("m", uint64(2000+r.IntN(20000)), 0)
	raw, err := invoke(c.service, "context::compact", agenttest.Object{"model": model, "messages": c.messages, "options": options})
	if err != nil {
		return err
	}
	var got struct {
		Status, Summary, Reason string
		Tail                    *int   `json:"tail_start_index"`
		Before                  uint64 `json:"tokens_before"`
		After                   uint64 `json:"tokens_after"`
	}
	if err := json.Unmarshal(raw, &got); err != nil {
		return err
	}
	c.story.classes["status "+got.Status] = true
	if err := c.writer.judge(got.Status == "ok", got.Summary); err != nil {
		return err
	}
	if got.Status != "ok" {
		if got.Reason == "" {
			return fmt.Errorf("status %s without a reason", got.Status)
		}
		return nil
	}
	cut := len(c.messages)
	if got.Tail != nil {
		cut = *got.Tail
	}
	found, _ := pairs(c.messages)
	for _, p := range found {
		if p.call < cut && p.answer >= cut {
			return fmt.Errorf("the cut at %d parts the call in %d from its answer in %d", cut, p.call, p.answer)
		}
	}
	head := c.count(agenttest.Object{"messages": c.messages[:cut], "model": model})
	tail := c.count(agenttest.Object{"messages": c.messages[cut:], "model": model})
	summary := uint64(len(got.Summary)) / 4
	previous, _ := options["previous_summary"].(string)
	if got.Before != head || got.After != summary+tail {
		return fmt.Errorf("tokens %d before and %d after, a recount says %d and %d", got.Before, got.After, head, summary+tail)
	}
	if strings.TrimSpace(got.Summary) == "" || summary >= head+uint64(len(previous))/4 {
		return fmt.Errorf("a summary of %d tokens replaces %d and %d", summary, head, len(previous)/4)
	}
	return nil
}
