package functions

import (
	"bytes"
	"encoding/json"
	"fmt"
	"runtime/debug"
	"slices"
	"strconv"

	"context"

	"context-manager/internal/agent"
)

// appender is implemented by answers that carry messages: those are printed
// back as the bytes they came as, which encoding/json would walk and rewrite.
type appender interface {
	appendJSON(dst []byte) ([]byte, error)
}

func encode(dst []byte, resp any) ([]byte, error) {
	if a, ok := resp.(appender); ok {
		return a.appendJSON(dst)
	}
	return appendValue(dst, resp)
}

// appendValue appends a small value through encoding/json, HTML escapes off.
func appendValue(dst []byte, v any) ([]byte, error) {
	var buf bytes.Buffer
	e := json.NewEncoder(&buf)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, fmt.Errorf("writing the answer: %w", err)
	}
	return append(dst, bytes.TrimSuffix(buf.Bytes(), []byte("\n"))...), nil
}

// smallParts is room for what an answer holds beside messages and prompt.
const smallParts = 2048

func (r *AssembleResponse) appendJSON(dst []byte) ([]byte, error) {
	dst = slices.Grow(dst, r.Messages.RawLen()+len(r.SystemPrompt)+smallParts)
	dst = append(dst, `{"system_prompt":`...)
	dst = agent.AppendString(dst, r.SystemPrompt)
	dst = append(dst, `,"messages":`...)
	dst = r.Messages.AppendJSON(dst)
	dst = append(dst, `,"token_count":`...)
	dst = strconv.AppendUint(dst, r.TokenCount, 10)
	dst = append(dst, `,"usable":`...)
	dst = strconv.AppendUint(dst, r.Usable, 10)
	dst = append(dst, `,"effective_max_output_tokens":`...)
	dst = strconv.AppendUint(dst, r.EffectiveMaxOutputTokens, 10)
	dst = append(dst, `,"model_resolved":`...)
	dst = agent.AppendString(dst, string(r.ModelResolved))
	dst = append(dst, `,"applied":`...)
	dst, err := appendValue(dst, r.Applied)
	if err != nil {
		return nil, err
	}
	dst = append(dst, `,"breakdown":`...)
	if dst, err = appendValue(dst, r.Breakdown); err != nil {
		return nil, err
	}
	return append(dst, '}'), nil
}

func (r *PruneResponse) appendJSON(dst []byte) ([]byte, error) {
	dst = slices.Grow(dst, r.Messages.RawLen()+smallParts)
	dst = append(dst, `{"messages":`...)
	dst = r.Messages.AppendJSON(dst)
	dst = append(dst, `,"pruned_tokens":`...)
	dst = strconv.AppendUint(dst, r.PrunedTokens, 10)
	dst = append(dst, `,"pruned_parts":`...)
	dst = strconv.AppendUint(dst, r.PrunedParts, 10)
	dst = append(dst, `,"scanned_parts":`...)
	dst = strconv.AppendUint(dst, r.ScannedParts, 10)
	dst = append(dst, `,"estimator":`...)
	dst = agent.AppendString(dst, string(r.Estimator))
	if r.Calibration != "" {
		dst = append(dst, `,"calibration":`...)
		dst = agent.AppendString(dst, r.Calibration)
	}
	return append(dst, '}'), nil
}

var (
	_ appender = (*AssembleResponse)(nil)
	_ appender = (*PruneResponse)(nil)
)

func (s *Service) logPanic(ctx context.Context, id string, r any) {
	s.log.ErrorContext(ctx, "function panicked", "function", id, "panic", fmt.Sprint(r), "stack", string(debug.Stack()))
}
