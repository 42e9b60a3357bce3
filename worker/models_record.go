package worker

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"

	"context-manager/functions"
	"context-manager/internal/agent"
	"context-manager/internal/window"
)

// modelRecord is what matters here of a router's record of a model; counts are
// tokens. The rest is not looked at, so it may be anything.
type modelRecord struct {
	ContextWindow   *tokenCount            `json:"context_window"`
	MaxOutputTokens *tokenCount            `json:"max_output_tokens"`
	InputLimit      *tokenCount            `json:"input_limit"`
	ThinkingBudgets map[string]*tokenCount `json:"thinking_budgets"`
}

// decodeModel reads the answer of either function; nil without an error means
// that the router does not know the model.
func decodeModel(answer []byte) (*functions.ModelBudget, error) {
	var a *struct {
		Model json.RawMessage `json:"model"`
		// Effective is what a call would ask for; only the newer function says it.
		Effective *tokenCount `json:"effective_max_output_tokens"`
	}
	if err := json.Unmarshal(answer, &a); err != nil {
		return nil, err
	}
	switch {
	case a == nil || string(a.Model) == "null":
		return nil, nil
	case a.Model == nil:
		return nil, errors.New("the answer has no model")
	}
	var r modelRecord
	if err := json.Unmarshal(a.Model, &r); err != nil {
		return nil, err
	}
	return r.budget(a.Effective)
}

// budget refuses a record that lacks what every request needs, and one with
// thinking levels that do not exist: whatever else such a record says is not
// understood either.
func (r *modelRecord) budget(effective *tokenCount) (*functions.ModelBudget, error) {
	if r.ContextWindow == nil || r.MaxOutputTokens == nil {
		return nil, errors.New("the record lacks context_window or max_output_tokens")
	}
	b := &functions.ModelBudget{Limits: window.Limits{
		ContextWindow: uint64(*r.ContextWindow),
		MaxOutput:     uint64(*r.MaxOutputTokens),
		InputLimit:    (*uint64)(r.InputLimit),
	}}
	// A call that asks for no output at all does not exist. Zero comes from a
	// router that does not know, and believing it would give the space of the
	// output to the input.
	if effective != nil && *effective > 0 {
		b.Limits.MaxOutput = min(b.Limits.MaxOutput, uint64(*effective))
	}
	for level, tokens := range r.ThinkingBudgets {
		if !slices.Contains(agent.ThinkingLevel("").SchemaEnum(), level) {
			return nil, fmt.Errorf("the record has the thinking budget %.40q, which is no level", level)
		}
		if tokens == nil {
			return nil, fmt.Errorf("the record has no number for the thinking budget %s", level)
		}
		if b.Thinking == nil {
			b.Thinking = make(map[string]uint64, len(r.ThinkingBudgets))
		}
		b.Thinking[level] = uint64(*tokens)
	}
	return b, nil
}

// tokenCount is a whole number in any spelling of JSON: 5, 5.0, 5e3.
type tokenCount uint64

// UnmarshalJSON refuses fractions, negative numbers and what 64 bits cannot hold.
func (n *tokenCount) UnmarshalJSON(text []byte) error {
	if whole, err := strconv.ParseUint(string(text), 10, 64); err == nil {
		*n = tokenCount(whole)
		return nil
	}
	f, err := strconv.ParseFloat(string(text), 64)
	if err != nil || f != math.Trunc(f) || f < 0 || f >= 1<<64 {
		return fmt.Errorf("want a number of tokens, got %.40s", text)
	}
	*n = tokenCount(f)
	return nil
}
