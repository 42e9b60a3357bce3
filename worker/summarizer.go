package worker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"context-manager/functions"
	"context-manager/internal/bus"
)

const (
	chatFunction = "router::chat"
	// codeProviderUnavailable is the router's when the model's provider is not
	// there.
	codeProviderUnavailable = "router/provider_unavailable"
	// drainFor is how long the end of the stream may come after the answer, which
	// travels on another socket. It is part of the published behaviour.
	drainFor = 2 * time.Second
	// callFor is longer than any summary may take: the caller's context ends the
	// call, and the bus's own limit would cut it short.
	callFor = 24 * time.Hour
)

// summarizerOptions configure a summarizer.
type summarizerOptions struct {
	// Clock times the wait for the end of a stream; nil means the machine's.
	Clock functions.Clock
	// Namespace in which a router is looked for first; empty = only the default one.
	Namespace string
	// Logger takes what a router does wrong, never texts; nil discards it.
	Logger *slog.Logger
}

// summarizer has summaries written by the router's models. Each call opens a
// channel, reads it while router::chat runs, and folds what arrives:
//
//	create ──▶ open ──▶ call ─── answered ──▶ drain, ≤ 2 s ──▶ fold ──▶ text
//	  │          │        │                                      ├────▶ rejected
//	  ▼          ▼        ▼                                      ▼
//	unavailable failed  failed; unavailable when                failed
//	                    nobody serves the call
type summarizer struct {
	bus   chatBus
	yield func(context.Context) (resume func())
	clock functions.Clock
	log   *slog.Logger
	home  string // looked in first
}

var _ functions.Summarizer = (*summarizer)(nil)

// chatBus is what a summarizer needs of a bus client.
type chatBus interface {
	caller
	CreateChannel(ctx context.Context, bufferSize int) (writer, reader bus.ChannelRef, err error)
	openReader(ctx context.Context, ref bus.ChannelRef) (frameReader, error)
}

// frameReader is the reading end of a channel. Close may come while Next waits.
type frameReader interface {
	Next(ctx context.Context) (bus.Frame, error)
	Close()
}

// clientBus is a bus client as a chatBus.
type clientBus struct{ *bus.Client }

func (c clientBus) openReader(ctx context.Context, ref bus.ChannelRef) (frameReader, error) {
	r, err := c.OpenReader(ctx, ref)
	if err != nil {
		return nil, err // not r: a nil pointer is no nil interface
	}
	return r, nil
}

// newSummarizer returns a summariser that asks the router.
func newSummarizer(b chatBus, o summarizerOptions) *summarizer {
	s := &summarizer{bus: b, yield: yielding(b), clock: o.Clock, log: o.Logger, home: o.Namespace}
	if s.clock == nil {
		s.clock = functions.SystemClock{}
	}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	return s
}

// Summarize implements functions.Summarizer. It takes as long as ctx lets it, and
// after an answer at most 2 s more for the end of the stream, which the time for
// answers does not shorten: half a stream would be half a summary.
func (s *summarizer) Summarize(ctx context.Context, p functions.SummaryPrompt) (string, error) {
	writer, reader, err := s.bus.CreateChannel(ctx, 0)
	switch {
	case err != nil && ctx.Err() != nil:
		return "", context.Cause(ctx)
	case err != nil:
		return "", nobodyThere(err)
	}
	request, err := chatRequest(p, writer)
	if err != nil {
		return "", fmt.Errorf("asking for a summary: %w", err)
	}
	frames, err := s.bus.openReader(ctx, reader)
	if err != nil {
		return "", err
	}
	// Reading and waiting count as one wait, or each frame would have to get a
	// running place again.
	resume := s.yield(ctx)
	defer resume()
	reading := startReading(context.WithoutCancel(ctx), frames)
	answer, err := atHomeFirst(s.home, func(namespace string) (json.RawMessage, error) {
		return s.bus.Call(ctx, bus.Request{FunctionID: chatFunction, Namespace: namespace, Data: request, Timeout: callFor})
	})
	if err != nil {
		reading.stop() // nobody writes any more, or nobody ever did
		switch code := remoteCode(err); {
		case ctx.Err() != nil:
			return "", context.Cause(ctx)
		case code == bus.CodeFunctionNotFound, code == codeProviderUnavailable:
			return "", nobodyThere(err)
		}
		return "", err
	}
	if !s.drain(ctx, reading) {
		s.log.Debug("the router has not ended the stream of a summary; using what has come", "waited", drainFor)
	}
	folded := reading.stop()
	if givenUp(ctx) {
		return "", context.Cause(ctx)
	}
	if folded.skipped > 0 {
		s.log.Debug("skipped unreadable frames of a summary", "frames", folded.skipped)
	}
	return folded.outcome(decodeChatAnswer(answer))
}

// drain waits for the end of the stream, which the end of the caller's interest
// is too, and reports whether it came.
func (s *summarizer) drain(ctx context.Context, r *reading) bool {
	expired, stop := s.clock.After(drainFor)
	defer stop()
	ended := ctx.Done()
	for {
		select {
		case <-r.done:
			return true
		case <-expired:
			return false
		case <-ended:
			if givenUp(ctx) {
				return true
			}
			ended = nil
		}
	}
}

// givenUp reports whether nobody wants the summary any more. That the time for
// answers is over does not mean that.
func givenUp(ctx context.Context) bool {
	return ctx.Err() != nil && !errors.Is(context.Cause(ctx), functions.ErrSummaryLate)
}

func nobodyThere(err error) error {
	return fmt.Errorf("%w: %w", functions.ErrSummarizerUnavailable, err)
}
