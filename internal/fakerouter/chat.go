package fakerouter

import (
	"context"
	"encoding/json"

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
	answer, rest, err := p.untilAnswer(ctx, script)
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
