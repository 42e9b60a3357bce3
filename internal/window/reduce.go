package window

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strconv"
	"unicode/utf8"

	"context-manager/internal/agent"
)

// Reduced says what Reduce did.
type Reduced struct {
	// Tokens is what came free, by whole-message estimates.
	Tokens uint64
	// Indices are the rewritten messages' positions in the view, in the order
	// they were rewritten.
	Indices []int
}

// previewRunes is how many characters of a result its reference shows.
const previewRunes = 160

// Reduce replaces function results by references, the largest first, until
// need tokens are free or nothing shrinks any more. No result is exempt: the
// alternative is a context that does not fit.
func Reduce(v *View, need uint64) (Reduced, error) {
	var out Reduced
	var candidates []int
	for i := range v.messages {
		if v.messages[i].Role() == agent.RoleFunctionResult {
			candidates = append(candidates, i)
		}
	}
	slices.SortStableFunc(candidates, func(a, b int) int { return cmp.Compare(v.sizes[b], v.sizes[a]) })
	for _, i := range candidates {
		if out.Tokens >= need {
			break
		}
		rewritten, size, err := v.reduced(i)
		if err != nil {
			return out, err
		}
		if size >= v.sizes[i] {
			continue
		}
		out.Tokens = Add(out.Tokens, v.sizes[i]-size)
		out.Indices = append(out.Indices, i)
		v.replace(i, rewritten)
	}
	return out, nil
}

// Floor returns the least message i can be brought down to, in tokens.
func (v *View) Floor(i int) uint64 {
	if v.messages[i].Role() != agent.RoleFunctionResult {
		return v.sizes[i]
	}
	_, size, err := v.reduced(i)
	if err != nil {
		return v.sizes[i]
	}
	return min(size, v.sizes[i])
}

// reduced builds message i as a reference and tells its size. A message that
// already is a placeholder comes back as it is.
func (v *View) reduced(i int) (agent.Message, uint64, error) {
	m := &v.messages[i]
	if isPlaceholder(m) {
		return *m, v.sizes[i], nil
	}
	ref := reference(m, v.sizes[i])
	out, err := m.WithText(reducedPrefix + string(ref))
	if err != nil {
		return out, 0, err
	}
	if !m.Denied() {
		details := append(append([]byte(`{"context_reference":`), ref...), '}')
		if out, err = out.WithDetails(details); err != nil {
			return out, 0, err
		}
	}
	return out, v.sizer.Message(&out), nil
}

// reference describes a result well enough to find the original again.
func reference(m *agent.Message, tokens uint64) []byte {
	canonical := m.AppendCanonical(nil)
	sum := sha256.Sum256(canonical)
	dst := append([]byte(nil), `{"kind":"`+referenceKind+`","function_id":`...)
	dst = agent.AppendString(dst, string(m.FunctionID()))
	dst = append(dst, `,"function_call_id":`...)
	dst = agent.AppendString(dst, string(m.CallID()))
	dst = append(dst, `,"original_bytes":`...)
	dst = strconv.AppendInt(dst, int64(len(canonical)), 10)
	dst = append(dst, `,"original_estimated_tokens":`...)
	dst = strconv.AppendUint(dst, tokens, 10)
	dst = append(dst, `,"sha256":"`...)
	dst = hex.AppendEncode(dst, sum[:])
	dst = append(dst, `","preview":`...)
	dst = agent.AppendString(dst, preview(m))
	dst = append(dst, `,"retrieval_hint":`...)
	dst = agent.AppendString(dst, retrievalHint)
	return append(dst, '}')
}

// preview is the start of a result's text or, without any, of its details.
func preview(m *agent.Message) string {
	text := m.AppendText(nil)
	if len(text) == 0 {
		text = append(text, "null"...)
		if d := m.Details(); d != nil {
			text = agent.AppendCompact(text[:0], d)
		}
	}
	end := 0
	for range previewRunes {
		if end == len(text) {
			return string(text)
		}
		_, n := utf8.DecodeRune(text[end:])
		end += n
	}
	if end == len(text) {
		return string(text)
	}
	return string(text[:end]) + "…"
}
