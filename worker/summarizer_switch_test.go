package worker

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"context-manager/functions"
	"context-manager/internal/bus"
	"context-manager/internal/fakerouter"
)

const summaryText = "## Goal\n- ship it"

// outcome is what a summary should come to; every field is tested.
type outcome struct {
	text        string
	fails       string // in the error
	unavailable bool
	rejected    string // stop reason
}

func (o outcome) check(t *testing.T, text string, err error) {
	t.Helper()
	if text != o.text {
		t.Errorf("got the text %q, want %q", text, o.text)
	}
	switch {
	case o.fails == "" && err != nil:
		t.Errorf("got the error %v, want none", err)
	case o.fails != "" && (err == nil || !strings.Contains(err.Error(), o.fails)):
		t.Errorf("got the error %v, want one with %q", err, o.fails)
	}
	if got := errors.Is(err, functions.ErrSummarizerUnavailable); got != o.unavailable {
		t.Errorf("got unavailable %v, want %v: %v", got, o.unavailable, err)
	}
	rejected := (*functions.SummaryRejected)(nil)
	if errors.As(err, &rejected); rejected == nil && o.rejected != "" || rejected != nil && rejected.StopReason != o.rejected {
		t.Errorf("got the error %v, want it rejected as %q", err, o.rejected)
	}
}

// TestWhatRoutersDo plays what a router does, right or wrong, through sockets. No
// time passes here: the clock stands still.
func TestWhatRoutersDo(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		router *fakerouter.Options // nil = with every function
		script fakerouter.Script
		thrown bool // the call fails on the bus
		want   outcome
	}{
		{name: "happy summary", script: fakerouter.Summary(summaryText), want: outcome{text: summaryText}},
		{name: "text only in deltas, empty done", script: fakerouter.Deltas(summaryText), want: outcome{text: summaryText}},
		{name: "slim deltas without partial", script: fakerouter.Slim(summaryText), want: outcome{text: summaryText}},
		{name: "no frames, ok true", script: fakerouter.Silent()},
		{
			name: "error frame and ok false", script: fakerouter.Failure("rate_limited", "upstream said 429"),
			want: outcome{fails: "rate_limited: upstream said 429"},
		},
		{
			name: "error frame and ok true", script: fakerouter.Script{
				fakerouter.Text(`{"type":"error","error":{"content":[],"error_message":"upstream said 529","error_kind":"transient"}}`),
				fakerouter.Close(), fakerouter.Answer(`{"ok":true}`),
			},
			want: outcome{fails: "transient: upstream said 529"},
		},
		{name: "stop error then done", script: fakerouter.StopError("window exceeded", summaryText), want: outcome{fails: "window exceeded"}},
		{
			name: "thrown ambiguous model", script: fakerouter.Refused("router/ambiguous_model", "two providers have it"),
			thrown: true, want: outcome{fails: "router/ambiguous_model"},
		},
		{
			name: "thrown provider unavailable", script: fakerouter.Thrown("router/provider_unavailable", "provider p unavailable"),
			thrown: true, want: outcome{fails: "router/provider_unavailable", unavailable: true},
		},
		{
			name: "thrown text that speaks of something not found", script: fakerouter.Thrown("invocation_failed", "handler error: model not found, no function"),
			thrown: true, want: outcome{fails: "model not found"},
		},
		{
			name: "chat not registered", router: &fakerouter.Options{Without: []string{fakerouter.ChatID}},
			thrown: true, want: outcome{fails: "function_not_found", unavailable: true},
		},
		{name: "garbage frames in between", script: fakerouter.Summary(summaryText).WithGarbage(), want: outcome{text: summaryText}},
		{name: "events as binary lines", script: fakerouter.Summary(summaryText).AsBinaryLines(), want: outcome{text: summaryText}},
		{name: "binary lines longer than a frame", script: fakerouter.Summary(strings.Repeat("é", 50_000)).AsBinaryLines(), want: outcome{text: strings.Repeat("é", 50_000)}},
		{name: "events as text and as binary", script: fakerouter.Script{
			fakerouter.Text(delta("a")), fakerouter.Binary([]byte(delta("b") + "\n")), fakerouter.Text(delta("c")), fakerouter.Binary([]byte(delta("d"))), fakerouter.Close(),
		}, want: outcome{text: "abcd"}},
		{name: "more frames than the channel holds", script: fakerouter.Many(strings.Repeat("word ", 500), 500), want: outcome{text: strings.Repeat("word ", 500)}},
		{name: "done with aborted", script: fakerouter.Ended(summaryText, "aborted"), want: outcome{fails: "aborted", rejected: "aborted"}},
		{name: "done with length", script: fakerouter.Ended(summaryText, "length"), want: outcome{fails: "length", rejected: "length"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			o := test.router
			if o == nil {
				o = &fakerouter.Options{}
			}
			s := newSocket(t, o, bus.Options{}).connect()
			s.router.Push(test.script)
			text, err := newSummarizer(clientBus{s.client}, summarizerOptions{Clock: s.clock}).Summarize(s.ctx, prompt)
			test.want.check(t, text, err)
			waits := 1
			if test.thrown {
				waits = 0
			}
			if got := s.clock.count(); got != waits {
				t.Errorf("waited %d times for the end of the stream, want %d", got, waits)
			}
		})
	}
}

func TestWhatTheRouterIsAsked(t *testing.T) {
	t.Parallel()
	s := newSocket(t, &fakerouter.Options{}, bus.Options{}).connect()
	s.router.Push(fakerouter.Summary(summaryText))
	text, err := newSummarizer(clientBus{s.client}, summarizerOptions{Clock: s.clock}).Summarize(s.ctx, prompt)
	outcome{text: summaryText}.check(t, text, err)
	calls := s.router.Calls(fakerouter.ChatID)
	if len(calls) != 1 {
		t.Fatalf("got %d calls, want 1", len(calls))
	}
	var got map[string]json.RawMessage
	if err := json.Unmarshal(calls[0].Data, &got); err != nil {
		t.Fatal(err)
	}
	delete(got, "_caller_worker_id") // the engine's
	want := map[string]string{
		"model": `"m-1"`, "provider": `"p-1"`, "system_prompt": `"sum it up"`, "tools": `[]`,
		"messages": `[{"content":[{"text":"a <conversation> & more","type":"text"}],"role":"user","timestamp":1766000000000}]`,
	}
	if got["writer_ref"] == nil || len(got) != len(want)+1 {
		t.Errorf("got the members of %s, want writer_ref and %v", calls[0].Data, want)
	}
	for key, value := range want {
		if string(got[key]) != value {
			t.Errorf("got %s for %s, want %s", got[key], key, value)
		}
	}
}

// summarize starts a summary on a watched bus.
func (s *socket) summarize(b *watchedBus) (finished <-chan func() (string, error)) {
	c := make(chan func() (string, error), 1)
	go func() {
		text, err := newSummarizer(b, summarizerOptions{Clock: s.clock}).Summarize(s.ctx, prompt)
		c <- func() (string, error) { return text, err }
	}()
	return c
}

func TestAChannelThatIsNeverClosed(t *testing.T) {
	t.Parallel()
	s := newSocket(t, &fakerouter.Options{}, bus.Options{}).connect()
	s.router.Push(fakerouter.Summary(summaryText).WithoutClose())
	b := s.watched()
	finished := s.summarize(b)
	b.folded(10) // start, text_start, four deltas, text_end, usage, stop, done
	s.clock.wait(s.ctx, t, drainFor)
	s.clock.advance(drainFor - time.Millisecond)
	select {
	case <-finished:
		t.Error("did not wait two seconds for the end of the stream")
	default:
	}
	s.clock.advance(time.Millisecond)
	text, err := (<-finished)()
	outcome{text: summaryText}.check(t, text, err)
}

func TestAnAnswerBeforeTheLastFrames(t *testing.T) {
	t.Parallel()
	gate := make(chan struct{})
	s := newSocket(t, &fakerouter.Options{}, bus.Options{}).connect()
	s.router.Push(fakerouter.Summary(summaryText).AnswerBefore(3, fakerouter.Until(gate)))
	finished := s.summarize(s.watched())
	s.clock.wait(s.ctx, t, drainFor)
	s.clock.advance(drainFor - time.Millisecond)
	close(gate)
	text, err := (<-finished)()
	outcome{text: summaryText}.check(t, text, err)
}

func TestFramesThatComeTooLate(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		late   int // frames
		folded int // frames before
		want   string
	}{
		{"all of them", 10, 0, ""},
		{"the last ones", 4, 6, summaryText}, // the deltas have come
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			gate := make(chan struct{})
			s := newSocket(t, &fakerouter.Options{}, bus.Options{}).connect()
			s.router.Push(fakerouter.Summary(summaryText).AnswerBefore(test.late, fakerouter.Until(gate)))
			b := s.watched()
			finished := s.summarize(b)
			b.folded(test.folded)
			s.clock.wait(s.ctx, t, drainFor)
			s.clock.advance(drainFor)
			text, err := (<-finished)()
			outcome{text: test.want}.check(t, text, err)
			close(gate)
		})
	}
}

func TestFramesBeforeTheReaderComes(t *testing.T) {
	t.Parallel()
	var frames fakerouter.Script
	want := strings.Repeat("x", 100)
	for range want {
		frames = append(frames, fakerouter.Text(delta("x")))
	}
	sent, attach := make(chan struct{}), make(chan struct{})
	s := newSocket(t, &fakerouter.Options{}, bus.Options{}).connect()
	s.router.Push(append(frames, fakerouter.Until(sent), fakerouter.Close()))
	b := s.watched()
	b.attach = attach
	finished := s.summarize(b)
	sent <- struct{}{} // 100 frames are on their way, and nobody reads
	close(attach)
	text, err := (<-finished)()
	outcome{text: want}.check(t, text, err)
}

func TestTheCallerGivesUpOnAHangingRouter(t *testing.T) {
	t.Parallel()
	s := newSocket(t, &fakerouter.Options{}, bus.Options{}).connect()
	s.router.Push(fakerouter.Hanging())
	ctx, cancel := context.WithCancelCause(s.ctx)
	failed := make(chan error)
	go func() {
		_, err := newSummarizer(clientBus{s.client}, summarizerOptions{Clock: s.clock}).Summarize(ctx, prompt)
		failed <- err
	}()
	if err := s.router.WaitCount(s.ctx, fakerouter.ChatID, 1); err != nil {
		t.Fatal(err)
	}
	cancel(errGone)
	if err := <-failed; !errors.Is(err, errGone) {
		t.Errorf("got %v, want %v", err, errGone)
	}
}
