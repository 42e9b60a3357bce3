package worker

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"context-manager/internal/agent/agenttest"
	"context-manager/internal/bus"
	"context-manager/internal/fakerouter"
	"context-manager/lease"
)

// compactionRig is a rig with a router beside it and a clock that stands still,
// for the settings that only a compaction shows.
type compactionRig struct {
	*rig
	router *fakerouter.Router
	clock  *handClock
	ctx    context.Context
}

func newCompactionRig(t *testing.T) *compactionRig {
	t.Helper()
	s := newSocket(t, &fakerouter.Options{Answer: func(fakerouter.ChatRequest) fakerouter.Script {
		return fakerouter.Summary(summaryText)
	}}, bus.Options{})
	return &compactionRig{newRig(t, s.engine, Options{Clock: s.clock}), s.router, s.clock, s.ctx}
}

// compaction asks for one of three user turns, with nothing in the request that
// a setting decides.
func compaction(key string) agenttest.Object {
	long := strings.Repeat("a line of the conversation. ", 100)
	return agenttest.Object{
		"model":   agenttest.Inline("m", 100000, 0),
		"options": agenttest.Object{"lease_key": key},
		"messages": agenttest.Stamp(agenttest.User(long), agenttest.Assistant(long),
			agenttest.User("b"), agenttest.Assistant("c"), agenttest.User("d")),
	}
}

func (r *compactionRig) compact(key string) map[string]any {
	r.t.Helper()
	return r.must("context::compact", compaction(key))
}

// begin starts a compaction and returns its answer, an empty one on failure.
func (r *compactionRig) begin(key string) <-chan map[string]any {
	answer := make(chan map[string]any, 1)
	go func() {
		raw, err := r.call("context::compact", compaction(key))
		out := map[string]any{}
		if err == nil {
			err = json.Unmarshal(raw, &out)
		}
		if err != nil {
			r.t.Errorf("context::compact of %s: %v", key, err)
		}
		answer <- out
	}()
	return answer
}

// asked waits until the router has been asked for n summaries in all.
func (r *compactionRig) asked(n int) {
	r.t.Helper()
	if err := r.router.WaitCount(r.ctx, fakerouter.ChatID, n); err != nil {
		r.t.Fatal(err)
	}
}

func TestTailTurnsReloadsLive(t *testing.T) {
	t.Parallel()
	r := newCompactionRig(t)
	value := map[string]any{"lease_dir": t.TempDir()}
	r.set(value)
	if got := r.compact("s")["tail_start_index"]; got != 2.0 {
		t.Errorf("before: the tail starts at %v, want 2: two turns", got)
	}
	r.set(with(value, "tail_turns", 1))
	if got := r.compact("s")["tail_start_index"]; got != 4.0 {
		t.Errorf("after: the tail starts at %v, want 4: one turn", got)
	}
}

// A claim that nobody renews blocks for as long as the setting says.
func TestLeaseTTLReloadsLive(t *testing.T) {
	t.Parallel()
	r := newCompactionRig(t)
	dir := t.TempDir()
	r.set(map[string]any{"lease_dir": dir})
	dead, err := lease.Open(dir, lease.Options{Clock: r.clock.Now})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := dead.Acquire(t.Context(), "s", time.Minute); err != nil {
		t.Fatal(err)
	}
	r.clock.advance(7 * time.Second)
	if got := r.compact("s"); got["status"] != "busy" || got["reason"] != "lease_busy" {
		t.Errorf("before: got %v after 7 s, want busy for 300 s", got)
	}
	r.set(map[string]any{"lease_dir": dir, "lease_ttl_secs": 7})
	if got := r.compact("s"); got["status"] != "ok" {
		t.Errorf("after: got %v after 7 s, want ok", got)
	}
}

func TestSummarizerTimeoutReloadsLive(t *testing.T) {
	t.Parallel()
	r := newCompactionRig(t)
	// The lease does not expire when the clock jumps.
	value := map[string]any{"lease_dir": t.TempDir(), "lease_ttl_secs": 3600}
	for i, tt := range []struct {
		value map[string]any
		limit time.Duration
	}{
		{value, 320 * time.Second},
		{with(value, "summarizer_timeout_ms", 1234), 1234 * time.Millisecond},
	} {
		r.set(tt.value)
		r.router.Push(fakerouter.Hanging())
		answer := r.begin("s")
		r.asked(i + 1)
		r.clock.wait(r.ctx, t, tt.limit)
		r.clock.advance(tt.limit - time.Millisecond)
		if got := r.compact("s")["status"]; got != "busy" {
			t.Errorf("%v: got status %v a millisecond before, want busy: the first one still waits", tt.limit, got)
		}
		r.clock.advance(time.Millisecond)
		if got := <-answer; got["status"] != "overflow" || got["reason"] != "failed" {
			t.Errorf("%v: got %v, want overflow because it failed", tt.limit, got)
		}
	}
}

// Another lease_dir is for the compactions that begin after it. The one that
// runs keeps, renews and releases its lease where it acquired it.
func TestLeaseDirChangesWhileALeaseIsHeld(t *testing.T) {
	t.Parallel()
	r := newCompactionRig(t)
	before, after := t.TempDir(), t.TempDir()
	r.set(map[string]any{"lease_dir": before})
	goOn := make(chan struct{})
	r.router.Push(append(fakerouter.Script{fakerouter.Until(goOn)}, fakerouter.Summary(summaryText)...))
	first := r.begin("first")
	r.asked(1)
	if got, want := claims(t, before), []string{"first"}; !slices.Equal(got, want) {
		t.Fatalf("the old directory holds %v, want %v", got, want)
	}

	r.set(map[string]any{"lease_dir": after})
	// Renewed every third of its TTL of 300 s, it outlives that.
	for range 3 {
		r.clock.wait(r.ctx, t, 100*time.Second)
		r.clock.advance(100 * time.Second)
		r.until("the renewal in the old directory", func() bool { return stamp(t, before, "first") == r.clock.Now().UnixMilli() })
	}
	r.router.Push(fakerouter.Hanging())
	second := r.begin("second")
	r.asked(2)
	if got, want := claims(t, after), []string{"second"}; !slices.Equal(got, want) {
		t.Errorf("the new directory holds %v, want %v", got, want)
	}

	close(goOn)
	if got := <-first; got["status"] != "ok" || got["summary"] != summaryText {
		t.Errorf("the compaction that ran through the change answered %v, want ok and the summary", got)
	}
	if got := claims(t, before); len(got) > 0 {
		t.Errorf("the old directory holds %v after the end, want nothing", got)
	}
	if got, want := claims(t, after), []string{"second"}; !slices.Equal(got, want) {
		t.Errorf("the new directory holds %v after the end of the first, want %v", got, want)
	}
	r.clock.wait(r.ctx, t, 320*time.Second)
	r.clock.advance(320 * time.Second)
	if got := <-second; got["status"] != "overflow" {
		t.Errorf("the second compaction answered %v, want overflow after its timeout", got)
	}
	if got := claims(t, after); len(got) > 0 {
		t.Errorf("the new directory holds %v after both, want nothing", got)
	}
	r.log.mustNotHave(t, "level=ERROR")
}

// claims lists the keys that are held in a lease directory.
func claims(t *testing.T, dir string) (keys []string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "context_lease", "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range files {
		keys = append(keys, strings.TrimSuffix(filepath.Base(path), ".json"))
	}
	return keys
}

// stamp is the time of a claim, in milliseconds; 0 when there is none.
func stamp(t *testing.T, dir, key string) int64 {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, "context_lease", key+".json"))
	if err != nil {
		t.Logf("looking for a claim: %v", err)
		return 0
	}
	var claim struct {
		TS int64 `json:"ts"`
	}
	if err := json.Unmarshal(data, &claim); err != nil {
		t.Logf("reading a claim: %v", err)
	}
	return claim.TS
}
