package fakerouter

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"context-manager/internal/bus"
)

// play is one chat under way.
type play struct {
	router  *Router
	request ChatRequest
	writer  *bus.ChannelWriter // opened by the first frame or close
	closed  bool
	lost    bool // the reader has gone: no more frames
}

var errHung = errors.New("the script hangs")

// untilAnswer plays up to the answer and returns the steps behind it.
func (p *play) untilAnswer(ctx context.Context, s Script) (answer []byte, rest Script, err error) {
	for i, step := range s {
		switch step.kind {
		case answerStep:
			answer := step.build(p.request)
			if p.lost {
				answer = okAnswer("aborted", 0).build(p.request)
			}
			p.note("answer", "")
			return answer, s[i+1:], nil
		case throwStep:
			p.note("throw", step.code)
			return nil, s[i+1:], Error(step.code, step.message)
		}
		if err := p.do(ctx, step); err != nil {
			p.lost = true
			p.note("throw", "invocation_failed")
			return nil, nil, err
		}
	}
	p.note("answer", "")
	return okAnswer("end", 0).build(p.request), nil, nil
}

// finish plays what follows the answer.
func (p *play) finish(rest Script) {
	p.router.mu.Lock()
	ctx := p.router.running
	p.router.mu.Unlock()
	for _, step := range rest {
		if p.do(ctx, step) != nil {
			break
		}
	}
	switch {
	case p.writer == nil || p.closed:
	case p.lost:
		p.writer.Close()
	default: // the script wants it open
		p.router.keepWriter(p.writer)
	}
}

// do plays one step other than an answer; only the end of ctx is an error.
func (p *play) do(ctx context.Context, step Step) error {
	switch step.kind {
	case textStep, binaryStep:
		p.send(ctx, step)
	case closeStep:
		p.close(ctx)
	case pauseStep:
		timer := time.NewTimer(step.pause)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-ctx.Done():
		}
	case untilStep:
		select {
		case <-step.until:
		case <-ctx.Done():
		}
	case hangStep:
		<-ctx.Done()
	}
	if ctx.Err() != nil {
		return errors.Join(errHung, context.Cause(ctx))
	}
	return nil
}

func (p *play) open(ctx context.Context) bool {
	if p.writer == nil && !p.lost {
		writer, err := p.router.client.OpenWriter(ctx, p.request.Writer)
		if err != nil {
			p.lose()
			return false
		}
		p.writer = writer
	}
	return !p.lost && !p.closed
}

func (p *play) send(ctx context.Context, step Step) {
	if !p.open(ctx) {
		return
	}
	data := step.build(p.request)
	var err error
	if step.kind == binaryStep {
		p.note("binary", "")
		err = p.writer.WriteBinary(ctx, data)
	} else {
		var e struct{ Type string }
		json.Unmarshal(data, &e) // garbage has no type
		p.note("frame", e.Type)
		err = p.writer.WriteText(ctx, data)
	}
	if err != nil {
		p.lose()
	}
}

func (p *play) close(ctx context.Context) {
	if p.open(ctx) {
		p.note("close", "")
		p.writer.Close()
		p.closed = true
	}
}

func (p *play) lose() {
	p.lost = true
	p.note("lost", "")
}

func (p *play) note(kind, detail string) {
	p.router.log.event(Event{p.request.Chat, kind, detail})
}
