package fakerouter

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"context-manager/internal/bus"
)

// ChatRequest is what a chat was asked for.
type ChatRequest struct {
	// Chat counts the chats from 1.
	Chat int `json:"-"`
	// Raw is the whole request as it arrived.
	Raw json.RawMessage `json:"-"`

	Writer       bus.ChannelRef  `json:"writer_ref"`
	Model        string          `json:"model"`
	Provider     string          `json:"provider"`
	SystemPrompt string          `json:"system_prompt"`
	Messages     json.RawMessage `json:"messages"`
	Tools        json.RawMessage `json:"tools"`
}

func (q ChatRequest) provider() string { return Model{Provider: q.Provider}.provider() }

// Text returns the text blocks of the user messages, joined by newlines.
func (q ChatRequest) Text() string {
	var messages []struct {
		Role    string
		Content []struct{ Type, Text string }
	}
	if json.Unmarshal(q.Messages, &messages) != nil {
		return ""
	}
	text := ""
	for _, m := range messages {
		for _, block := range m.Content {
			if m.Role == "user" && block.Type == "text" {
				text += block.Text + "\n"
			}
		}
	}
	return text
}

// Push queues scripts: each answers one of the next chats.
func (r *Router) Push(scripts ...Script) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.scripts = append(r.scripts, scripts...)
}

// Unplayed returns how many pushed scripts no chat has asked for yet.
func (r *Router) Unplayed() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.scripts)
}

func (r *Router) nextScript(q ChatRequest) Script {
	r.mu.Lock()
	if len(r.scripts) > 0 {
		s := r.scripts[0]
		r.scripts = r.scripts[1:]
		r.mu.Unlock()
		return s
	}
	r.mu.Unlock()
	if r.opts.Answer != nil {
		return r.opts.Answer(q)
	}
	return Thrown("fakerouter/unscripted", "no script was pushed for this chat")
}

// chat is the handler of router::chat.
func (r *Router) chat(ctx context.Context, call *bus.Call, dst []byte) ([]byte, error) {
	q := ChatRequest{Chat: r.log.chat(), Raw: append(json.RawMessage{}, call.Data...)}
	if json.Unmarshal(call.Data, &q) != nil || q.Writer.ChannelID == "" || q.Writer.AccessKey == "" || q.Writer.Direction != "write" {
		r.log.event(Event{q.Chat, "throw", "router/invalid_request"})
		return nil, Error("router/invalid_request", "request or writer_ref cannot be read")
	}
	script, ok := r.refusal(q)
	if !ok {
		script = r.nextScript(q)
	}
	p := &play{router: r, request: q}
	answer, err, rest := p.untilAnswer(ctx, script)
	if len(rest) > 0 || p.writer != nil && !p.closed {
		r.background.Go(func() { p.finish(rest) })
	}
	return append(dst, answer...), err
}

// refusal returns the script of a request that the router does not accept.
func (r *Router) refusal(q ChatRequest) (Script, bool) {
	var messages []json.RawMessage
	switch {
	case q.Model == "":
		return Refused("router/invalid_request", "model is required"), true
	case json.Unmarshal(q.Messages, &messages) != nil || messages == nil:
		return Refused("router/invalid_request", "messages must be an array"), true
	case !r.opts.StrictRouting:
		return nil, false
	}
	r.mu.Lock()
	providers, owners := map[string]bool{}, 0
	for _, m := range r.models {
		providers[m.provider()] = true
		if m.ID == q.Model {
			owners++
		}
	}
	r.mu.Unlock()
	switch {
	case q.Provider != "" && !providers[q.Provider]:
		return Refused("router/unknown_provider", "unknown provider "+q.Provider), true
	case q.Provider == "" && owners > 1:
		return Refused("router/ambiguous_model", "model "+q.Model+" belongs to several providers"), true
	case q.Provider == "" && owners == 0:
		return Refused("router/no_provider_for_model", "no provider for model "+q.Model), true
	}
	return nil, false
}

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
func (p *play) untilAnswer(ctx context.Context, s Script) (answer []byte, err error, rest Script) {
	for i, step := range s {
		switch step.kind {
		case answerStep:
			answer := step.build(p.request)
			if p.lost {
				answer = okAnswer("aborted", 0).build(p.request)
			}
			p.note("answer", "")
			return answer, nil, s[i+1:]
		case throwStep:
			p.note("throw", step.code)
			return nil, Error(step.code, step.message), s[i+1:]
		}
		if err := p.do(ctx, step); err != nil {
			p.lost = true
			p.note("throw", "invocation_failed")
			return nil, err, nil
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
