package worker

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"sync"
	"testing"
	"testing/synctest"

	"context-manager/functions"
	"context-manager/internal/bus"
)

// scriptedChat is a chatBus whose router does what a test says.
type scriptedChat struct {
	createErr, openErr error
	// chat is router::chat; frames is the writing end of the stream.
	chat func(ctx context.Context, frames *scriptedFrames) (answer string, err error)

	mu       sync.Mutex
	requests []bus.Request
	frames   *scriptedFrames
	away     int
}

func (b *scriptedChat) CreateChannel(context.Context, int) (writer, reader bus.ChannelRef, err error) {
	return bus.ChannelRef{ChannelID: "c-1", AccessKey: "k-1", Direction: "write"},
		bus.ChannelRef{ChannelID: "c-1", AccessKey: "k-1", Direction: "read"}, b.createErr
}

func (b *scriptedChat) openReader(_ context.Context, ref bus.ChannelRef) (frameReader, error) {
	if b.openErr != nil {
		return nil, b.openErr
	}
	if ref.Direction != "read" {
		return nil, errors.New("not the reading end")
	}
	b.frames = &scriptedFrames{items: make(chan bus.Frame, 1000), closed: make(chan struct{})}
	return b.frames, nil
}

func (b *scriptedChat) Call(ctx context.Context, r bus.Request) (json.RawMessage, error) {
	b.mu.Lock()
	b.requests = append(b.requests, r)
	b.mu.Unlock()
	answer, err := b.chat(ctx, b.frames)
	return json.RawMessage(answer), err
}

func (b *scriptedChat) GiveWay(context.Context) (resume func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.away++
	return func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.away--
	}
}

// waiting returns how many handlers have given their place away.
func (b *scriptedChat) waiting() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.away
}

// scriptedFrames are both ends of a channel in memory.
type scriptedFrames struct {
	items  chan bus.Frame
	closed chan struct{} // by the reader
	closes int
	err    error // the end of items is a failure
}

func (f *scriptedFrames) text(events ...string) {
	for _, e := range events {
		f.items <- bus.Frame{Data: []byte(e)}
	}
}

// end closes the writing end.
func (f *scriptedFrames) end() { close(f.items) }

// fail breaks the channel behind what has been written.
func (f *scriptedFrames) fail(err error) {
	f.err = err
	close(f.items)
}

func (f *scriptedFrames) Next(ctx context.Context) (bus.Frame, error) {
	select {
	case item, ok := <-f.items:
		if !ok {
			if f.err != nil {
				return bus.Frame{}, f.err
			}
			return bus.Frame{}, io.EOF
		}
		return item, nil
	case <-f.closed:
		return bus.Frame{}, bus.ErrDisconnected
	case <-ctx.Done():
		return bus.Frame{}, context.Cause(ctx)
	}
}

func (f *scriptedFrames) Close() {
	if f.closes++; f.closes == 1 {
		close(f.closed)
	}
}

// delta and done are events of a stream.
func delta(text string) string {
	b, _ := json.Marshal(map[string]any{"type": "text_delta", "delta": text})
	return string(b)
}

func done(stopReason string, texts ...string) string {
	content := []map[string]any{}
	for _, text := range texts {
		content = append(content, map[string]any{"type": "text", "text": text})
	}
	message := map[string]any{"role": "assistant", "content": content, "timestamp": 2}
	if stopReason != "" {
		message["stop_reason"] = stopReason
	}
	b, _ := json.Marshal(map[string]any{"type": "done", "message": message})
	return string(b)
}

const answered = `{"ok":true,"provider":"p-1","model":"m-1","stop_reason":"end"}`

var prompt = functions.SummaryPrompt{Model: "m-1", Provider: "p-1", System: "sum it up", User: "a <conversation> & more", Timestamp: 1766000000000}

// summing is a call of Summarize on a goroutine of its own.
type summing struct {
	done chan struct{}
	text string
	err  error
}

func startSumming(ctx context.Context, s *summarizer) *summing {
	c := &summing{done: make(chan struct{})}
	go func() {
		defer close(c.done)
		c.text, c.err = s.Summarize(ctx, prompt)
	}()
	synctest.Wait()
	return c
}

func (c *summing) ended() bool {
	select {
	case <-c.done:
		return true
	default:
		return false
	}
}

func (c *summing) want(t *testing.T, text string) {
	t.Helper()
	<-c.done
	if c.err != nil || c.text != text {
		t.Errorf("got %q, %v, want %q", c.text, c.err, text)
	}
}

// debugLog logs everything.
func debugLog(to io.Writer) *slog.Logger {
	return slog.New(slog.NewTextHandler(to, &slog.HandlerOptions{Level: slog.LevelDebug}))
}
