package worker

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"context-manager/config"
	"context-manager/functions"
	"context-manager/internal/bus"
	"context-manager/internal/fakerouter"
)

// compactRequest has a head worth summarising and a tail.
const compactRequest = `{"model":{"id":"m","provider":"p","limits":{"context_window":32000,"max_output_tokens":4000}},
"options":{"lease_key":"s-1","tail_turns":1,"preserve_recent_tokens":100},
"messages":[{"role":"user","content":[{"type":"text","text":"LONG"}],"timestamp":1},
{"role":"assistant","content":[{"type":"text","text":"LONG"}],"stop_reason":"end","model":"m","provider":"p","timestamp":2},
{"role":"user","content":[{"type":"text","text":"go on"}],"timestamp":3}]}`

// serving is a Service whose summaries come from a router over sockets.
func serving(t *testing.T, s *socket) (*functions.Service, functions.Leases) {
	t.Helper()
	leases := OpenLeases(t.TempDir())
	settings := config.Default()
	return functions.New(functions.Options{
		Settings:   func() *config.Settings { return &settings },
		Summarizer: newSummarizer(clientBus{s.client}, summarizerOptions{Clock: s.clock}),
		Leases:     leases,
		Clock:      s.clock,
	}), leases
}

// call makes a call of the table.
func call(ctx context.Context, s *functions.Service, id, request string) (string, error) {
	for i := range functions.Specs {
		if spec := &functions.Specs[i]; spec.ID == id {
			answer, err := spec.Invoke(ctx, s, []byte(request), 0, nil)
			return string(answer), err
		}
	}
	return "", errors.New("no such function")
}

func compactWith(ctx context.Context, s *functions.Service) (string, error) {
	return call(ctx, s, "context::compact", strings.ReplaceAll(compactRequest, "LONG", strings.Repeat("a line of the conversation. ", 100)))
}

func TestCompactionTakesTheSummaryOfTheRouter(t *testing.T) {
	t.Parallel()
	s := newSocket(t, &fakerouter.Options{}, bus.Options{}).connect()
	s.router.Push(fakerouter.Summary(summaryText))
	service, _ := serving(t, s)
	answer, err := compactWith(s.ctx, service)
	if err != nil || !strings.Contains(answer, `"status":"ok"`) || !strings.Contains(answer, `"summary":"## Goal\n- ship it"`) {
		t.Errorf("got %s, %v, want the status ok and the summary", answer, err)
	}
	if got := s.router.Count(fakerouter.ChatID); got != 1 {
		t.Errorf("got %d calls of router::chat, want 1", got)
	}
}

func TestCompactionSaysWhyThereIsNoSummary(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		without []string
		script  fakerouter.Script
		want    []string
	}{
		{"nobody is there", []string{fakerouter.ChatID}, nil, []string{`"status":"overflow"`, `"reason":"unavailable"`}},
		{"it failed", nil, fakerouter.Failure("rate_limited", "later"), []string{`"status":"overflow"`, `"reason":"failed"`}},
		{"it was cut", nil, fakerouter.Ended(summaryText, "length"), []string{`"status":"overflow"`, `"reason":"rejected"`}},
		{"it was aborted", nil, fakerouter.Ended(summaryText, "aborted"), []string{`"status":"overflow"`, `"reason":"rejected"`}},
		{"it is empty", nil, fakerouter.Silent(), []string{`"status":"empty"`, `"reason":"empty"`}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := newSocket(t, &fakerouter.Options{Without: test.without}, bus.Options{}).connect()
			s.router.Push(test.script)
			service, _ := serving(t, s)
			answer, err := compactWith(s.ctx, service)
			if err != nil {
				t.Fatal(err)
			}
			for _, want := range test.want {
				if !strings.Contains(answer, want) {
					t.Errorf("got %s, want %s in it", answer, want)
				}
			}
		})
	}
}

func TestARouterThatHangsPastTheTimeout(t *testing.T) {
	t.Parallel()
	s := newSocket(t, &fakerouter.Options{}, bus.Options{}).connect()
	s.router.Push(fakerouter.Hanging())
	service, leases := serving(t, s)
	answers := make(chan string, 1)
	go func() {
		answer, err := compactWith(s.ctx, service)
		if err != nil {
			answer = err.Error()
		}
		answers <- answer
	}()
	if err := s.router.WaitCount(s.ctx, fakerouter.ChatID, 1); err != nil {
		t.Fatal(err)
	}
	limit := 320 * time.Second
	s.clock.wait(s.ctx, t, limit)
	s.clock.advance(limit - time.Millisecond)
	if held, err := leases.Acquire(t.Context(), "s-1", time.Minute); !errors.Is(err, functions.ErrLeaseHeld) {
		t.Errorf("got %v, %v before the timeout, want %v", held, err, functions.ErrLeaseHeld)
	}
	s.clock.advance(time.Millisecond)
	if answer := <-answers; !strings.Contains(answer, `"status":"overflow"`) || !strings.Contains(answer, `"reason":"failed"`) {
		t.Errorf("got %s, want the status overflow because it failed", answer)
	}
	held, err := leases.Acquire(t.Context(), "s-1", time.Minute)
	if err != nil {
		t.Fatalf("got %v after the timeout, want the lease", err)
	}
	if err := held.Release(); err != nil {
		t.Error(err)
	}
}

// TestSummariesDoNotHoldUpOtherCalls runs handlers one at a time: a summary that
// waits for the model, and then for the end of its stream, is in nobody's way.
func TestSummariesDoNotHoldUpOtherCalls(t *testing.T) {
	t.Parallel()
	answer := make(chan struct{})
	s := newSocket(t, &fakerouter.Options{}, bus.Options{MaxRunning: 1})
	s.router.Push(fakerouter.Script{fakerouter.Text(done("end", summaryText)), fakerouter.Until(answer)}) // never closes
	b := s.watched()
	summarizer := newSummarizer(b, summarizerOptions{Clock: s.clock})
	s.client.RegisterFunction(
		bus.Function{ID: "test::summary", Handler: func(ctx context.Context, _ *bus.Call, dst []byte) ([]byte, error) {
			text, err := summarizer.Summarize(ctx, prompt)
			if err != nil || text != summaryText {
				t.Errorf("got %q, %v, want %q", text, err, summaryText)
			}
			return dst, err
		}},
		bus.Function{ID: "test::quick", Handler: func(_ context.Context, _ *bus.Call, dst []byte) ([]byte, error) { return dst, nil }},
	)
	s.connect()
	quick := func(when string) {
		t.Helper()
		if _, err := s.client.Call(s.ctx, bus.Request{FunctionID: "test::quick"}); err != nil {
			t.Errorf("%s: got %v, want an answer", when, err)
		}
	}
	quick("before the summary")
	summed := make(chan error, 1)
	go func() {
		_, err := s.client.Call(s.ctx, bus.Request{FunctionID: "test::summary"})
		summed <- err
	}()
	b.folded(1)
	quick("while the model writes")
	close(answer)
	s.clock.wait(s.ctx, t, drainFor)
	quick("while the end of the stream is awaited")
	s.clock.advance(drainFor)
	if err := <-summed; err != nil {
		t.Error(err)
	}
}
