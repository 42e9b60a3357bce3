package fakerouter

import (
	"context"
	"encoding/json"
	"strings"

	"context-manager/internal/bus"
)

// softCap is the output a router asks for when nobody names a number, in tokens.
const softCap = 32_000

// Model is an entry of the table. Numbers are tokens.
type Model struct {
	ID       string
	Provider string // empty = "fake"

	ContextWindow   uint64
	MaxOutputTokens uint64
	InputLimit      uint64            // 0 = absent
	ThinkingBudgets map[string]uint64 // nil = absent
	SupportsVision  *bool             // nil = absent

	// EffectiveOutput is what budget answers when the caller wishes nothing; 0 =
	// the smaller of MaxOutputTokens and 32,000. It is not checked against the
	// record, so that a contradiction can be played.
	EffectiveOutput uint64
	// Record is answered in place of the one made from the fields above, to play
	// unknown or malformed members; nil = absent.
	Record json.RawMessage
}

func (m Model) provider() string {
	if m.Provider == "" {
		return "fake"
	}
	return m.Provider
}

func (m Model) record() json.RawMessage {
	if m.Record != nil {
		return m.Record
	}
	record := map[string]any{
		"id": m.ID, "provider": m.provider(), "display_name": m.ID,
		"context_window": m.ContextWindow, "max_output_tokens": m.MaxOutputTokens, "supports_tools": true,
	}
	if m.InputLimit > 0 {
		record["input_limit"] = m.InputLimit
	}
	if m.ThinkingBudgets != nil {
		record["thinking_budgets"] = m.ThinkingBudgets
	}
	if m.SupportsVision != nil {
		record["supports_vision"] = *m.SupportsVision
	}
	return encode(record)
}

// effective is what a chat with this model would request as output.
func (m Model) effective(wish *uint64) uint64 {
	switch {
	case wish != nil && m.MaxOutputTokens > 0:
		return min(*wish, m.MaxOutputTokens)
	case wish != nil:
		return *wish
	case m.EffectiveOutput > 0:
		return m.EffectiveOutput
	}
	return min(m.MaxOutputTokens, softCap)
}

// SetModels replaces the table without telling anybody; [Router.EmitChanged]
// does that.
func (r *Router) SetModels(models ...Model) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.models = models
}

// find returns the model of an id. Without a provider the id must belong to one
// only; an id of the form provider::id is tried after a miss.
func (r *Router) find(provider, id string) (Model, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if m, ok := pick(r.models, provider, id); ok {
		return m, true
	}
	prefix, rest, composite := strings.Cut(id, "::")
	if !composite || provider != "" && provider != prefix {
		return Model{}, false
	}
	return pick(r.models, prefix, rest)
}

func pick(models []Model, provider, id string) (found Model, ok bool) {
	for _, m := range models {
		if m.ID != id || provider != "" && m.provider() != provider {
			continue
		}
		if ok {
			return Model{}, false
		}
		found, ok = m, true
	}
	return found, ok
}

type lookup struct {
	ID              string  `json:"id"`
	Provider        string  `json:"provider"`
	MaxOutputTokens *uint64 `json:"max_output_tokens"`
}

func parseLookup(data []byte) (l lookup, err error) {
	if err := json.Unmarshal(data, &l); err != nil {
		return l, Error("router/invalid_request", "malformed request")
	}
	return l, nil
}

func (r *Router) budget(_ context.Context, call *bus.Call, dst []byte) ([]byte, error) {
	l, err := parseLookup(call.Data)
	if err != nil {
		return nil, err
	}
	m, ok := r.find(l.Provider, l.ID)
	if !ok {
		return dst, nil // null
	}
	return append(dst, encode(map[string]any{"model": m.record(), "effective_max_output_tokens": m.effective(l.MaxOutputTokens)})...), nil
}

func (r *Router) get(_ context.Context, call *bus.Call, dst []byte) ([]byte, error) {
	l, err := parseLookup(call.Data)
	if err != nil {
		return nil, err
	}
	m, ok := r.find(l.Provider, l.ID)
	if !ok {
		return dst, nil
	}
	return append(dst, encode(map[string]any{"model": m.record()})...), nil
}

func (r *Router) list(_ context.Context, call *bus.Call, dst []byte) ([]byte, error) {
	l, err := parseLookup(call.Data)
	if err != nil {
		return nil, err
	}
	r.mu.Lock()
	models := r.models
	r.mu.Unlock()
	records := []json.RawMessage{}
	for _, m := range models {
		if l.Provider == "" || l.Provider == m.provider() {
			records = append(records, m.record())
		}
	}
	return append(dst, encode(map[string]any{"models": records})...), nil
}
