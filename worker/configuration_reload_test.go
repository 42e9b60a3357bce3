package worker

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"context-manager/internal/agent/agenttest"
	"context-manager/internal/devengine"
)

// Two settings that only make sense together change a hundred times while calls
// run: usable is 100000 − min(cap, pct % of 100000), so that a mixture of old and
// new would give a third value.
func TestReloadsUnderLoadNeverMix(t *testing.T) {
	t.Parallel()
	r := newRig(t, startEngine(t, devengine.Options{}), Options{})
	a := map[string]any{"reserved_tokens_cap": 1000, "reserved_pct": 100} // usable 99000
	b := map[string]any{"reserved_tokens_cap": 100000, "reserved_pct": 5} // usable 95000
	r.set(a)
	var stop atomic.Bool
	var calls, wrong atomic.Int64
	var loaders sync.WaitGroup
	for range 4 {
		loaders.Go(func() {
			for !stop.Load() {
				raw, err := r.call("context::assemble", agenttest.Object{"messages": []any{}, "model": agenttest.Inline("m", 100000, 0)})
				calls.Add(1)
				if s := string(raw); err != nil || !strings.Contains(s, `"usable":99000`) && !strings.Contains(s, `"usable":95000`) {
					wrong.Add(1)
					t.Errorf("got %s, %v, want usable 99000 or 95000", raw, err)
				}
			}
		})
	}
	for i := range 100 {
		r.set([]map[string]any{b, a}[i%2])
	}
	for calls.Load() < 200 {
		r.set(b)
	}
	stop.Store(true)
	loaders.Wait()
	if wrong.Load() > 0 {
		t.Errorf("%d of %d answers were wrong", wrong.Load(), calls.Load())
	}
	r.log.mustNotHave(t, "level=ERROR")
}

func (l *logBook) mustNotHave(t *testing.T, part string) {
	t.Helper()
	if strings.Contains(l.String(), part) {
		t.Errorf("the log has %s:\n%s", part, l)
	}
}

// The engine itself triggers us: nobody calls the handler by hand.
func TestTheEnginesEventChangesTheSettings(t *testing.T) {
	t.Parallel()
	r := newRig(t, startEngine(t, devengine.Options{}), Options{})
	changed := r.worker.live.Changed()
	r.must("configuration::set", map[string]any{"id": Name, "value": map[string]any{"reserved_pct": 42}})
	<-changed
	if got := r.worker.live.Load().ReservedPct; got != 42 {
		t.Errorf("reserved_pct = %d, want 42", got)
	}
}

func TestADuplicateOrOddEventIsHarmless(t *testing.T) {
	t.Parallel()
	r := newRig(t, startEngine(t, devengine.Options{}), Options{})
	r.set(map[string]any{"reserved_pct": 11})
	for _, payload := range []any{nil, 7, "x", []any{}, map[string]any{"id": 9, "new_value": map[string]any{"reserved_pct": 99}}} {
		if got := r.must("context::on-config-change", payload)["ok"]; got != true {
			t.Errorf("payload %v: ok = %v, want true", payload, got)
		}
	}
	if got := r.worker.live.Load().ReservedPct; got != 11 {
		t.Errorf("reserved_pct = %d, want 11: payloads are ignored", got)
	}
}

func TestAnEngineRestartKeepsValueAndSchema(t *testing.T) {
	t.Parallel()
	engine := startEngine(t, devengine.Options{})
	r := newRig(t, engine, Options{})
	r.set(map[string]any{"reserved_pct": 12})
	if err := engine.Restart(0); err != nil {
		t.Fatal(err)
	}
	// Until the schema is registered again, set is refused.
	r.until("set works again", func() bool {
		_, err := r.call("configuration::set", map[string]any{"id": Name, "value": map[string]any{"reserved_pct": 13}})
		return err == nil
	})
	r.until("reserved_pct 13", func() bool { return r.worker.live.Load().ReservedPct == 13 })
}

func TestEditsOfTheSettingsFileAreForwarded(t *testing.T) {
	t.Parallel()
	path := seedIn(t, "reserved_pct: 15\ntail_turns: 5\n")
	r := newRig(t, startEngine(t, devengine.Options{}), Options{ConfigFile: path})
	r.set(map[string]any{"reserved_pct": 15, "tail_turns": 5, "min_free_tokens": 77, "from_a_newer_version": 1})

	write(t, path, "reserved_pct: 16\ntail_turns: 5\n")
	r.until("the edit", func() bool { return r.worker.live.Load().ReservedPct == 16 })
	if got := r.worker.live.Load().MinFreeTokens; got != 77 {
		t.Errorf("min_free_tokens = %d, want the 77 that was set elsewhere", got)
	}
	stored := r.must("configuration::get", map[string]any{"id": Name, "raw": true})["value"].(map[string]any)
	if stored["from_a_newer_version"] != 1.0 {
		t.Errorf("the edit dropped a key of a newer version: %v", stored)
	}

	write(t, path, "reserved_pct: 16\n")
	r.until("the default of a key that left the file", func() bool { return r.worker.live.Load().TailTurns == 2 })

	write(t, path, "reserved_pct: 16\nno_such_key: 1\n")
	r.until("the refusal", func() bool { return r.log.has("level=ERROR", "config.yaml:2", "no_such_key") })
	if got := r.worker.live.Load().ReservedPct; got != 16 {
		t.Errorf("reserved_pct = %d after a bad edit, want 16", got)
	}
}

func TestAnEditWhileTheEngineIsDownIsForwardedLater(t *testing.T) {
	t.Parallel()
	path := seedIn(t, "reserved_pct: 15\n")
	engine := startEngine(t, devengine.Options{})
	r := newRig(t, engine, Options{ConfigFile: path})
	down := make(chan struct{})
	go func() { defer close(down); write(t, path, "reserved_pct: 17\n") }()
	if err := engine.Restart(0); err != nil {
		t.Fatal(err)
	}
	<-down
	r.until("the edit", func() bool { return r.worker.live.Load().ReservedPct == 17 })
}

// write replaces a file the way editors do.
func write(t *testing.T, path, text string) {
	t.Helper()
	next := filepath.Join(filepath.Dir(path), ".next")
	if err := os.WriteFile(next, []byte(text), 0o600); err != nil {
		t.Error(err)
		return
	}
	if err := os.Rename(next, path); err != nil {
		t.Error(err)
	}
}
