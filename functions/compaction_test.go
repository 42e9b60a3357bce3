package functions_test

import (
	"context"
	"encoding/json"
	"errors"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"context-manager/config"
	"context-manager/functions"
	"context-manager/internal/agent/agenttest"
	"context-manager/lease"
	"context-manager/worker"
)

// writer is a summariser of one text that counts its calls.
type writer struct {
	calls int
	text  string
	// during, when set, runs while the summary is being written.
	during func(ctx context.Context)
}

func (w *writer) Summarize(ctx context.Context, _ functions.SummaryPrompt) (string, error) {
	w.calls++
	if w.during != nil {
		w.during(ctx)
	}
	if err := context.Cause(ctx); err != nil {
		return "", err
	}
	if w.text == "" {
		return "## Goal\n- (scripted default summary)", nil
	}
	return w.text, nil
}

// summarise is a summariser.
type summarise func(context.Context) (string, error)

func (s summarise) Summarize(ctx context.Context, _ functions.SummaryPrompt) (string, error) {
	return s(ctx)
}

func answerOf(n int) agenttest.Message { return agenttest.Assistant(agenttest.Tokens(n)) }

// What is no start of a tail.
const overflow, none = -1, -2

func tokensOf(n int) agenttest.Message { return agenttest.User(agenttest.Tokens(n)) }

// The histories that 1.1.0 got wrong: a result without its call, an overflow
// that a smaller tail would have avoided, and summaries paid for nothing.
func TestHistoriesThatOnceWentWrong(t *testing.T) {
	t.Parallel()
	bulky := agenttest.AssistantBlocks(agenttest.CallBlock("c1", "shell::run").With("arguments",
		map[string]any{"text": strings.Repeat("a", 8000)}))
	tests := map[string]struct {
		model   agenttest.Object
		options agenttest.Object
		list    []agenttest.Message
		calls   int
		tail    int // or overflow, or none
		most    uint64
		reason  string
	}{
		"an assistant message between call and result is no cut": {
			model: agenttest.SmallModel(),
			list: []agenttest.Message{tokensOf(3500), agenttest.Assistant("r0"), agenttest.User("go"), bulky,
				agenttest.Assistant("text"), agenttest.Result("c1", "shell::run", agenttest.Tokens(900)), agenttest.Assistant("done")},
			calls: 2, tail: 6, most: 4000,
		},
		"a tail above the budget gives way to a smaller one": {
			model: agenttest.Inline("m", 2000, 800),
			list: []agenttest.Message{tokensOf(400), agenttest.Assistant("r0"), tokensOf(1200), agenttest.Assistant("r1"),
				agenttest.User("q"), agenttest.Assistant("a")},
			calls: 4, tail: 3, most: 1000,
		},
		"the tail leaves room for fixed costs": {
			model:   agenttest.Inline("m", 32000, 16000),
			options: agenttest.Object{"request_overhead_tokens": 10000},
			list: []agenttest.Message{tokensOf(6000), agenttest.Assistant("r0"), tokensOf(1500), agenttest.Assistant("r1"),
				tokensOf(1450), agenttest.Assistant("a")},
			calls: 1, tail: 3, most: 12800,
		},
		"no summary is paid for when the newest turn alone is too large": {
			model: agenttest.SmallModel(),
			list:  []agenttest.Message{tokensOf(3000), agenttest.Assistant("r0"), tokensOf(4100)},
			calls: 0, tail: overflow, reason: "floor",
		},
		"no summary is paid for when fixed costs alone are too large": {
			model:   agenttest.SmallModel(),
			options: agenttest.Object{"request_overhead_tokens": 5000},
			list:    []agenttest.Message{agenttest.User("a"), agenttest.Assistant("b"), agenttest.User("c"), agenttest.Assistant("d")},
			calls:   0, tail: overflow, reason: "floor",
		},
		"nor when that is all one turn": {
			model:   agenttest.SmallModel(),
			options: agenttest.Object{"request_overhead_tokens": 5000},
			list:    []agenttest.Message{agenttest.User("q"), agenttest.Assistant("r")},
			calls:   0, tail: overflow, reason: "floor",
		},
		"nor when the newest answer of one turn is": {
			model: agenttest.SmallModel(),
			list:  []agenttest.Message{agenttest.User("q"), agenttest.Assistant("r"), answerOf(6000)},
			calls: 0, tail: overflow, reason: "floor",
		},
		"one answer has nothing before it": {
			model: agenttest.SmallModel(),
			list:  []agenttest.Message{answerOf(5000)},
			calls: 0, tail: overflow, reason: "nothing_to_compact",
		},
		"the rest of a turn that was cut is cut again": {
			model:   agenttest.SmallModel(),
			options: agenttest.Object{"previous_summary": "## Goal\n- go on"},
			list:    []agenttest.Message{answerOf(1000), answerOf(1000), answerOf(1000), answerOf(1500)},
			calls:   1, tail: 3, most: 2000,
		},
		"it is cut above the budget of a tail when nothing else fits": {
			model:   agenttest.SmallModel(),
			options: agenttest.Object{"previous_summary": "## Goal\n- go on"},
			list:    []agenttest.Message{answerOf(1500), answerOf(3000)},
			calls:   1, tail: 1, most: 4000,
		},
		"the largest that fits at all is kept when none leaves room for the summary": {
			model: agenttest.Inline("m", 2000, 800),
			list:  []agenttest.Message{tokensOf(400), agenttest.Assistant("r0"), agenttest.User("q"), answerOf(850)},
			calls: 1, tail: 2, most: 1000,
		},
		"no cut comes between a call and its inline result": {
			model:   agenttest.SmallModel(),
			options: agenttest.Object{"previous_summary": strings.Repeat("OLD ", 40)},
			list: []agenttest.Message{agenttest.Call("c1", "shell::run"), agenttest.UserBlocks(agenttest.ResultBlock("c1", agenttest.Tokens(3500))),
				agenttest.Call("c2", "shell::run"), agenttest.UserBlocks(agenttest.ResultBlock("c2", agenttest.Tokens(600))), answerOf(10)},
			calls: 1, tail: 2, most: 1000,
		},
		"references that suffice come before a cut in a turn": {
			model: agenttest.SmallModel(),
			list:  []agenttest.Message{agenttest.Call("c1", "shell::run"), agenttest.Result("c1", "shell::run", agenttest.Tokens(6000)), answerOf(10)},
			calls: 0, tail: none, most: 4000,
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := &writer{}
			s := functions.New(functions.Options{Summarizer: w, Leases: &memoryLeases{}})
			request := agenttest.Object{"model": tt.model, "options": tt.options, "messages": agenttest.Stamp(tt.list...)}
			raw, err := invoke(s, "context::assemble", request)
			if w.calls != tt.calls {
				t.Errorf("%d summariser calls, want %d", w.calls, tt.calls)
			}
			if tt.tail == overflow {
				if err == nil || !strings.HasPrefix(err.Error(), "context/overflow: ") || !strings.Contains(err.Error(), "compaction "+tt.reason) {
					t.Errorf("got %v, want an overflow with reason %s", err, tt.reason)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			var got assembleAnswer
			if err := json.Unmarshal(raw, &got); err != nil {
				t.Fatal(err)
			}
			at := none
			if got.Applied.Tail != nil {
				at = *got.Applied.Tail
			}
			if at != tt.tail || got.TokenCount > tt.most {
				t.Errorf("tail %v with %d tokens, want %d within %d: %s", at, got.TokenCount, tt.tail, tt.most, raw)
			}
		})
	}
}

// fileLeases adapts the real store.
type fileLeases struct{ *lease.Store }

func (l fileLeases) Acquire(ctx context.Context, key string, ttl time.Duration) (functions.Lease, error) {
	return worker.Acquire(ctx, l.Store, key, ttl)
}

func openLeases(t *testing.T, clock *clock) fileLeases {
	t.Helper()
	store, err := lease.Open(t.TempDir(), lease.Options{Clock: clock.Now})
	if err != nil {
		t.Fatal(err)
	}
	return fileLeases{store}
}

func compactRequest() agenttest.Object {
	return agenttest.Object{"model": agenttest.Inline("big", 200000, 8000), "options": agenttest.Object{"lease_key": "session-1"},
		"messages": agenttest.Stamp(tokensOf(9000), agenttest.User("q2"), agenttest.User("q3"))}
}

// A lease of one second and a summary of five: the lease is renewed, so a second
// caller stays out, exactly one summary runs, and it is used.
func TestALeaseShorterThanASummaryIsRenewed(t *testing.T) {
	t.Parallel()
	clock := newClock()
	leases := openLeases(t, clock)
	set := config.Default()
	set.LeaseTTLSecs = 1
	settings := func() *config.Settings { return &set }
	other := &writer{}
	second := functions.New(functions.Options{Settings: settings, Clock: clock, Leases: leases, Summarizer: other})
	w := &writer{during: func(ctx context.Context) {
		clock.Armed(2)
		for range 50 { // five seconds in steps of a tenth
			clock.Advance(100 * time.Millisecond)
			raw, err := invoke(second, "context::compact", compactRequest())
			if err != nil || !strings.Contains(string(raw), `"busy"`) {
				t.Errorf("a second caller got %s, %v, want busy", raw, err)
			}
		}
	}}
	first := functions.New(functions.Options{Settings: settings, Clock: clock, Leases: leases, Summarizer: w})
	raw, err := invoke(first, "context::compact", compactRequest())
	if err != nil || !strings.Contains(string(raw), `"status":"ok"`) {
		t.Errorf("got %s, %v, want ok", raw, err)
	}
	if w.calls+other.calls != 1 {
		t.Errorf("%d summaries ran, want 1", w.calls+other.calls)
	}
}

// A lease that is taken away while the summary is written is noticed before the
// summary is used.
func TestALostLeaseIsNoticedBeforeCommit(t *testing.T) {
	t.Parallel()
	clock := newClock()
	leases := openLeases(t, clock)
	set := config.Default()
	set.LeaseTTLSecs = 1
	w := &writer{during: func(ctx context.Context) {
		clock.Jump(2 * time.Second) // the process slept: nobody renewed
		if _, err := leases.Store.Acquire(ctx, "session-1", time.Second); err != nil {
			t.Errorf("taking the expired lease: %v", err)
		}
	}}
	s := functions.New(functions.Options{Settings: func() *config.Settings { return &set }, Clock: clock, Leases: leases, Summarizer: w})
	raw, err := invoke(s, "context::compact", compactRequest())
	if err != nil || !strings.Contains(string(raw), `"reason":"lease_busy"`) {
		t.Errorf("got %s, %v, want busy with reason lease_busy", raw, err)
	}
}

func TestASummaryBeyondTheTimeoutFailsAndFreesTheLease(t *testing.T) {
	t.Parallel()
	clock := newClock()
	leases := openLeases(t, clock)
	w := &writer{during: func(ctx context.Context) {
		clock.Armed(2)
		clock.Advance(320 * time.Second)
		<-ctx.Done()
	}}
	s := functions.New(functions.Options{Clock: clock, Leases: leases, Summarizer: w})
	raw, err := invoke(s, "context::compact", compactRequest())
	if err != nil || !strings.Contains(string(raw), `"reason":"failed"`) {
		t.Errorf("got %s, %v, want overflow with reason failed", raw, err)
	}
	if _, err := leases.Store.Acquire(context.Background(), "session-1", time.Second); err != nil {
		t.Errorf("the lease is not free: %v", err)
	}
}

// The answer came in time and the end of its stream after the timeout: the
// summariser says what is whole. The lease is kept until then.
func TestASummaryAnsweredBeforeTheTimeoutMayEndAfterIt(t *testing.T) {
	t.Parallel()
	clock := newClock()
	set := config.Default()
	set.LeaseTTLSecs, set.SummarizerTimeoutMS = 3, 10000
	var renewed atomic.Int32
	late := false
	w := summarise(func(ctx context.Context) (string, error) {
		clock.Armed(2)
		clock.Jump(10 * time.Second)
		clock.Fire()
		<-ctx.Done()
		late = errors.Is(context.Cause(ctx), functions.ErrSummaryLate)
		before := renewed.Load()
		for until := time.Now().Add(time.Minute); clock.Running() == 0; runtime.Gosched() {
			if time.Now().After(until) {
				t.Error("the lease is no longer kept after the timeout")
				return "", nil
			}
		}
		clock.Advance(time.Second)
		if renewed.Load() == before {
			t.Error("the lease was not renewed after the timeout")
		}
		return "## Goal\n- go on", nil
	})
	s := functions.New(functions.Options{Settings: func() *config.Settings { return &set }, Clock: clock, Summarizer: w,
		Leases: &shakyLeases{func(context.Context) error { renewed.Add(1); return nil }}})
	raw, err := invoke(s, "context::compact", compactRequest())
	if err != nil || !strings.Contains(string(raw), `"status":"ok"`) || !late {
		t.Errorf("got %s, %v, told of the timeout: %v; want ok and true", raw, err, late)
	}
}

// A guess would be an answer that another worker gives otherwise.
func TestACallGivenUpDuringTheLookupIsStopping(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"assemble", "compact"} {
		asked := make(chan struct{}, 1)
		s := functions.New(functions.Options{Models: lateModels{asked}, Summarizer: &writer{}, Leases: &memoryLeases{}})
		ctx, cancel := context.WithCancel(context.Background())
		go func() { <-asked; cancel() }()
		spec, _ := functions.Find("context::" + name)
		raw, err := spec.Invoke(ctx, s, agenttest.Request(agenttest.Object{"model": agenttest.Object{"id": "m"}}, agenttest.User("hi")), 0, nil)
		if e := (*functions.Error)(nil); !errors.As(err, &e) || e.Code != functions.CodeStopping {
			t.Errorf("%s: got %s, %v, want context/stopping", name, raw, err)
		}
	}
}

func TestASummaryOfBrokenUTF8BecomesValid(t *testing.T) {
	t.Parallel()
	s := functions.New(functions.Options{Summarizer: &writer{text: "## Goal\n- go \xff on"}, Leases: &memoryLeases{}})
	raw, err := invoke(s, "context::compact", compactRequest())
	if err != nil || !strings.Contains(string(raw), "go \uFFFD on") {
		t.Errorf("got %s, %v, want the broken byte as U+FFFD", raw, err)
	}
}
