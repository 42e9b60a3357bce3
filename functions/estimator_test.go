package functions_test

import (
	"encoding/json"
	"strings"
	"testing"

	"context-manager/functions"
	"context-manager/internal/agent/agenttest"
)

// counted is what the answers of all functions say about counting.
type counted struct {
	Tokens       uint64
	TokenCount   uint64            `json:"token_count"`
	Messages     []json.RawMessage `json:"messages"`
	PrunedTokens uint64            `json:"pruned_tokens"`
	Before       uint64            `json:"tokens_before"`
	After        uint64            `json:"tokens_after"`
	Tail         int               `json:"tail_start_index"`
	Estimator    string
	Calibration  string
	Breakdown    struct {
		Estimator, Calibration string
	}
}

func ask(t *testing.T, s *functions.Service, id string, request agenttest.Object) counted {
	t.Helper()
	raw, err := invoke(s, id, request)
	if err != nil {
		t.Fatalf("%s: %v", id, err)
	}
	var got counted
	if err := json.Unmarshal(raw, &got); err != nil {
		t.Fatal(err)
	}
	return got
}

// Every function counts with the estimator of the request's model and wish, and
// says which one that was.
func TestEveryFunctionCountsWithTheChosenEstimator(t *testing.T) {
	t.Parallel()
	words := strings.Repeat("internationalisation of Zeitgeist 中文分词测试 ", 300)
	picture := agenttest.ResultBlocks("c2", "f::g", agenttest.Text("see"), agenttest.Image(4000))
	list := agenttest.Stamp(agenttest.User("task: "+words), agenttest.Call("c1", "f::g"), agenttest.Result("c1", "f::g", words),
		agenttest.Call("c2", "f::g"), picture, agenttest.User("next"), agenttest.Assistant("yes"), agenttest.User("now"))
	choices := map[string]struct {
		model                  string
		options                agenttest.Object
		estimator, calibration string
	}{
		"the tokeniser of gpt-4o":            {"gpt-4o", agenttest.Object{}, "tokenizer", ""},
		"the tokeniser of gpt-4":             {"gpt-4", agenttest.Object{}, "tokenizer", ""},
		"the heuristic on gpt-4o":            {"gpt-4o", agenttest.Object{"estimator": "heuristic"}, "heuristic", ""},
		"the heuristic with flat pictures":   {"m", agenttest.Object{"heuristic_image_tokens": 500}, "heuristic", ""},
		"the fitted rates of a Claude model": {"claude-sonnet-4-5", agenttest.Object{"estimator": "fitted"}, "heuristic", "claude-1"},
	}
	seen := map[uint64]string{}
	for name, c := range choices {
		s := functions.New(functions.Options{Summarizer: &writer{}, Leases: &memoryLeases{}})
		model := agenttest.Inline(c.model, 1<<30, 0)
		count := func(messages any) counted {
			return ask(t, s, "context::count-tokens", agenttest.Object{"model": model, "messages": messages, "options": c.options})
		}
		options := func(more agenttest.Object) agenttest.Object {
			out := agenttest.Object{}
			for k, v := range c.options {
				out[k] = v
			}
			for k, v := range more {
				out[k] = v
			}
			return out
		}
		whole := count(list)
		if other, ok := seen[whole.Tokens]; ok {
			t.Fatalf("%s and %s count alike: the history tells nothing", name, other)
		}
		seen[whole.Tokens] = name

		assembled := ask(t, s, "context::assemble", agenttest.Object{"model": model, "messages": list, "options": c.options})
		if assembled.TokenCount != whole.Tokens || assembled.Breakdown.Estimator != c.estimator || assembled.Breakdown.Calibration != c.calibration {
			t.Errorf("%s: assemble counts %d by %+v, count-tokens %d", name, assembled.TokenCount, assembled.Breakdown, whole.Tokens)
		}
		tight := agenttest.Inline(c.model, whole.Tokens*3/4, 0)
		fitted := ask(t, s, "context::assemble", agenttest.Object{"model": tight, "messages": list, "options": options(agenttest.Object{"reserved_tokens": 0, "allow_compaction": false})})
		if got := count(fitted.Messages).Tokens; fitted.TokenCount != got {
			t.Errorf("%s: assemble counts %d after cutting, what it returned counts %d", name, fitted.TokenCount, got)
		}

		pruned := ask(t, s, "context::prune", agenttest.Object{"model": model, "messages": list,
			"options": options(agenttest.Object{"protect_recent_tokens": 0, "min_free_tokens": 0, "max_output_chars": 100})})
		if freed := whole.Tokens - count(pruned.Messages).Tokens; pruned.PrunedTokens != freed && c.estimator == "tokenizer" || pruned.Estimator != c.estimator || pruned.Calibration != c.calibration {
			t.Errorf("%s: prune frees %d by %s, %s; a recount says %d", name, pruned.PrunedTokens, pruned.Estimator, pruned.Calibration, freed)
		}

		compacted := ask(t, s, "context::compact", agenttest.Object{"model": model, "messages": list, "options": options(agenttest.Object{"tail_turns": 1})})
		if got := count(list[:compacted.Tail]).Tokens; compacted.Before != got || compacted.Estimator != c.estimator || compacted.Calibration != c.calibration {
			t.Errorf("%s: compact replaces %d by %s, %s; count-tokens says %d", name, compacted.Before, compacted.Estimator, compacted.Calibration, got)
		}
	}
}
