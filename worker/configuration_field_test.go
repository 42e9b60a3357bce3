package worker

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"context-manager/internal/agent/agenttest"
	"context-manager/internal/devengine"
)

// Each field, changed through configuration::set, changes the next call.
func TestEveryFieldReloadsLive(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 8000)
	prunable := agenttest.Stamp(agenttest.User("a"), agenttest.Call("c1", "f::g"), agenttest.Result("c1", "f::g", long),
		agenttest.User("b"), agenttest.User("c"))
	usable := func(r *rig) any {
		return r.must("context::assemble", agenttest.Object{"messages": []any{},
			"model": agenttest.Inline("m", 100000, 0)})["usable"]
	}
	parts := func(r *rig) any {
		return r.must("context::prune", agenttest.Object{"messages": prunable})["pruned_parts"]
	}
	open := map[string]any{"protect_recent_tokens": 0, "min_free_tokens": 0, "max_output_chars": 0}
	tests := map[string]struct {
		before, after map[string]any
		look          func(*rig) any
		was, is       any
	}{
		"reserved_tokens_cap":   {nil, map[string]any{"reserved_tokens_cap": 500}, usable, 90000.0, 99500.0},
		"reserved_pct":          {nil, map[string]any{"reserved_pct": 5}, usable, 90000.0, 95000.0},
		"protect_recent_tokens": {open, with(open, "protect_recent_tokens", 2000), parts, 1.0, 0.0},
		"min_free_tokens":       {open, with(open, "min_free_tokens", 5000), parts, 1.0, 0.0},
		"max_output_chars":      {open, with(open, "max_output_chars", 8000), parts, 1.0, 0.0},
		"allow_fallback_limits": {nil, map[string]any{"allow_fallback_limits": false}, func(r *rig) any {
			_, err := r.call("context::assemble", agenttest.Object{"messages": []any{}, "model": agenttest.Object{"id": "m"}})
			return err != nil && strings.Contains(err.Error(), "context/model_unresolved")
		}, false, true},
		"estimator": {nil, map[string]any{"estimator": "heuristic"}, func(r *rig) any {
			return r.must("context::count-tokens", agenttest.Object{"messages": []any{}, "model": agenttest.Object{"id": "gpt-4o"}})["estimator"]
		}, "tokenizer", "heuristic"},
		"heuristic_image_tokens": {nil, map[string]any{"heuristic_image_tokens": 4096}, func(r *rig) any {
			return r.must("context::count-tokens", agenttest.Object{"model": agenttest.Object{"id": "m"},
				"messages": agenttest.Stamp(agenttest.UserBlocks(agenttest.Image(40000)))})["tokens"]
		}, 10022.0, 4118.0},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, startEngine(t, devengine.Options{}), Options{})
			if tt.before != nil {
				r.set(tt.before)
			}
			if got := tt.look(r); got != tt.was {
				t.Errorf("before: got %v, want %v", got, tt.was)
			}
			r.set(tt.after)
			if got := tt.look(r); got != tt.is {
				t.Errorf("after: got %v, want %v", got, tt.is)
			}
		})
	}
}

func with(m map[string]any, key string, value any) map[string]any {
	out := map[string]any{key: value}
	for k, v := range m {
		if k != key {
			out[k] = v
		}
	}
	return out
}

// The fields that only a compaction shows are read where it takes place: in the
// lease directory.
func TestLeaseDirMovesToWhatIsSet(t *testing.T) {
	t.Parallel()
	r := newRig(t, startEngine(t, devengine.Options{}), Options{})
	for i := range 2 {
		dir := filepath.Join(t.TempDir(), fmt.Sprint("leases", i))
		r.set(map[string]any{"lease_dir": dir})
		if _, err := os.Stat(filepath.Join(dir, "context_lease")); err != nil {
			t.Errorf("after setting lease_dir %d: %v", i, err)
		}
	}
	good := r.worker.live.Load().LeaseDir
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	r.set(map[string]any{"lease_dir": filepath.Join(file, "below"), "reserved_pct": 50})
	if got := r.worker.live.Load().LeaseDir; got != good {
		t.Errorf("lease_dir in force is %s, want the last good one %s", got, good)
	}
	if !r.log.has("lease_dir cannot be used", "the last good one stays in force") {
		t.Errorf("the log does not say so:\n%s", r.log)
	}
}
