package window

import (
	"slices"

	"context-manager/internal/agent"
)

// PruneOptions steer Prune.
type PruneOptions struct {
	// ProtectRecent is how many tokens of function output, newest first, are
	// left alone.
	ProtectRecent uint64
	// MinFree is the least that must come free, in tokens, for the pass to
	// change anything.
	MinFree uint64
	// MaxOutput is the length in bytes up to which an output is left alone.
	MaxOutput uint64
	// Protected names functions whose outputs are never touched.
	Protected []string
}

// Pruned says what Prune did.
type Pruned struct {
	// Parts counts the outputs replaced, Scanned those looked at.
	Parts, Scanned uint64
	// Tokens is what came free: text less placeholder.
	Tokens uint64
	// Indices are the rewritten messages' positions in the view, ascending.
	Indices []int
}

// protectedTurns is how many user turns, newest first, are never looked into.
const protectedTurns = 2

// Prune replaces old function outputs by a placeholder. It goes from the newest
// message to the oldest and looks at nothing before two user turns are behind
// it; the whole pass is void when it would free less than MinFree.
func Prune(v *View, o PruneOptions) (Pruned, error) {
	var out Pruned
	turns := 0
	var window uint64
	for i := len(v.messages) - 1; i >= 0; i-- {
		m := &v.messages[i]
		if isTurn(m) {
			turns++
		}
		if turns < protectedTurns || m.Role() != agent.RoleFunctionResult ||
			slices.Contains(o.Protected, string(m.FunctionID())) {
			continue
		}
		out.Scanned++
		size := v.sizer.ResultText(m)
		window = Add(window, size)
		length := m.TextLen()
		if window <= o.ProtectRecent || uint64(length) <= o.MaxOutput || isPlaceholder(m) {
			continue
		}
		text := prunedText(size)
		if len(text) >= length {
			continue
		}
		out.Parts++
		out.Tokens = Add(out.Tokens, sub(size, v.sizer.Text([]byte(text))))
		out.Indices = append(out.Indices, i)
	}
	if out.Parts == 0 || out.Tokens < o.MinFree {
		return Pruned{Scanned: out.Scanned}, nil
	}
	slices.Reverse(out.Indices)
	for _, i := range out.Indices {
		m := &v.messages[i]
		rewritten, err := m.WithText(prunedText(v.sizer.ResultText(m)))
		if err != nil {
			return Pruned{}, err
		}
		v.replace(i, rewritten)
	}
	return out, nil
}

// isTurn reports whether a message opens a user turn. A user message of
// nothing but function results answers calls of the turn it stands in.
func isTurn(m *agent.Message) bool {
	return m.Role() == agent.RoleUser && !m.OnlyInlineResults()
}
