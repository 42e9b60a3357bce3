package functions_test

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"testing"
	"time"

	"context-manager/config"
	"context-manager/functions"
	"context-manager/internal/agent/agenttest"
)

// shakyLeases is a store whose renewals a test decides.
type shakyLeases struct{ renew func(context.Context) error }

func (s *shakyLeases) Acquire(context.Context, string, time.Duration) (functions.Lease, error) {
	return s, nil
}
func (s *shakyLeases) Renew(ctx context.Context) error { return s.renew(ctx) }
func (s *shakyLeases) Check(context.Context) error     { return nil }
func (s *shakyLeases) Release() error                  { return nil }

func keeping(renew func(context.Context) error, during func(context.Context, *clock)) (string, error) {
	clock := newClock()
	set := config.Default()
	set.LeaseTTLSecs, set.SummarizerTimeoutMS = 3, 10000
	w := &writer{during: func(ctx context.Context) {
		clock.Armed(2)
		during(ctx, clock)
	}}
	s := functions.New(functions.Options{Settings: func() *config.Settings { return &set }, Clock: clock,
		Leases: &shakyLeases{renew}, Summarizer: w})
	raw, err := invoke(s, "context::compact", compactRequest())
	return string(raw), err
}

func TestARenewalThatFailsOnceIsTriedAgain(t *testing.T) {
	t.Parallel()
	tries := 0
	got, err := keeping(func(context.Context) error {
		if tries++; tries == 1 {
			return errors.New("no space left on device")
		}
		return nil
	}, func(_ context.Context, c *clock) {
		for range 4 {
			c.Advance(time.Second)
		}
	})
	if err != nil || !strings.Contains(got, `"status":"ok"`) || tries != 4 {
		t.Errorf("got %s, %v after %d renewals, want ok after 4", got, err, tries)
	}
}

func TestARenewalThatKeepsFailingEndsTheSummary(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		err    error
		reason string
		tries  int
	}{
		"a lease that is lost ends it at once":    {functions.ErrLeaseLost, "lease_busy", 1},
		"a store that is gone ends it with a TTL": {errors.New("input/output error"), "lease_unavailable", 3},
	} {
		tries := 0
		got, err := keeping(func(context.Context) error { tries++; return tt.err }, func(ctx context.Context, c *clock) {
			for ctx.Err() == nil {
				c.Jump(time.Second)
				c.Fire()
				for ctx.Err() == nil && c.Running() < 2 {
					runtime.Gosched()
				}
			}
		})
		if err != nil || !strings.Contains(got, tt.reason) || tries != tt.tries {
			t.Errorf("%s: got %s, %v after %d renewals, want %s after %d", name, got, err, tries, tt.reason, tt.tries)
		}
	}
}

func TestARenewalThatHangsDoesNotOutlastTheTimeout(t *testing.T) {
	t.Parallel()
	got, err := keeping(func(ctx context.Context) error {
		<-ctx.Done()
		return ctx.Err()
	}, func(ctx context.Context, c *clock) {
		c.Jump(time.Second) // the renewal starts, and hangs
		c.Fire()
		for c.Running() > 1 {
			runtime.Gosched()
		}
		c.Jump(10 * time.Second)
		c.Fire()
		<-ctx.Done()
	})
	if err != nil || !strings.Contains(got, `"reason":"failed"`) {
		t.Errorf("got %s, %v, want a summary that took too long", got, err)
	}
}

func TestTwoCallsShareOneDeadline(t *testing.T) {
	t.Parallel()
	clock := newClock()
	set := config.Default()
	set.SummarizerTimeoutMS = 10000
	w := &writer{}
	w.during = func(ctx context.Context) {
		clock.Armed(2)
		clock.Jump(6 * time.Second)
		clock.Fire()
		if w.calls == 2 {
			<-ctx.Done()
		}
	}
	s := functions.New(functions.Options{Settings: func() *config.Settings { return &set }, Clock: clock, Leases: &memoryLeases{}, Summarizer: w})
	raw, err := invoke(s, "context::compact", agenttest.Object{"model": agenttest.Inline("m", 10000, 1000),
		"messages": agenttest.Stamp(tokensOf(9000), agenttest.User("q2"), agenttest.User("q3"))})
	if err != nil || !strings.Contains(string(raw), `"reason":"failed"`) || w.calls != 2 {
		t.Errorf("got %s, %v after %d calls, want two calls of six seconds to break a deadline of ten", raw, err, w.calls)
	}
}

func TestACallThatIsGivenUpIsNoOverflow(t *testing.T) {
	t.Parallel()
	for _, id := range []string{"context::compact", "context::assemble"} {
		ctx, cancel := context.WithCancel(context.Background())
		w := &writer{during: func(context.Context) { cancel() }}
		s := functions.New(functions.Options{Summarizer: w, Leases: &memoryLeases{}})
		request := compactRequest()
		request["model"] = agenttest.SmallModel()
		spec, _ := functions.Find(id)
		_, err := spec.Invoke(ctx, s, agenttest.JSON(request), 0, nil)
		if err == nil || !strings.HasPrefix(err.Error(), "context/stopping: ") {
			t.Errorf("%s: got %v, want context/stopping", id, err)
		}
	}
}

// A summary must be smaller than the head and the old summary together.
func TestTheOldSummaryCountsAmongWhatIsReplaced(t *testing.T) {
	t.Parallel()
	request := agenttest.Object{"model": agenttest.Inline("big", 200000, 8000), "messages": agenttest.Stamp(agenttest.User("a"), agenttest.Assistant("b"), agenttest.User("c")),
		"options": agenttest.Object{"previous_summary": agenttest.Tokens(100)}}
	for size, want := range map[int]string{120: `"status":"ok"`, 160: `"reason":"rejected"`} {
		s := functions.New(functions.Options{Summarizer: &writer{text: agenttest.Tokens(size)}, Leases: &memoryLeases{}})
		if raw, err := invoke(s, "context::compact", request); err != nil || !strings.Contains(string(raw), want) {
			t.Errorf("a summary of %d tokens for 50 and 100: got %s, %v, want %s", size, raw, err, want)
		}
	}
}

// compact never asks whether the tail fits.
func TestCompactKeepsATailAboveTheBudget(t *testing.T) {
	t.Parallel()
	s := functions.New(functions.Options{Summarizer: &writer{}, Leases: &memoryLeases{}})
	raw, err := invoke(s, "context::compact", agenttest.Object{"model": agenttest.SmallModel(),
		"messages": agenttest.Stamp(tokensOf(300), agenttest.Assistant("r"), tokensOf(9000))})
	if err != nil || !strings.Contains(string(raw), `"tail_start_index":2`) {
		t.Errorf("got %s, %v, want tail 2", raw, err)
	}
}

// One long turn of an agent at work is summarised too when nothing else helps.
func TestASingleTurnGivesWayToASmallerTail(t *testing.T) {
	t.Parallel()
	w := &writer{}
	s := functions.New(functions.Options{Summarizer: w, Leases: &memoryLeases{}})
	raw, err := invoke(s, "context::assemble", agenttest.Object{"model": agenttest.SmallModel(),
		"messages": agenttest.Stamp(tokensOf(100), agenttest.Assistant(agenttest.Tokens(2500)), agenttest.Assistant(agenttest.Tokens(2500)))})
	if err != nil || !strings.Contains(string(raw), `"tail_start_index":2`) || w.calls != 1 {
		t.Errorf("got %.300s, %v after %d calls, want tail 2 after 1", raw, err, w.calls)
	}
}
