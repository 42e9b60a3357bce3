package window

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"strconv"
	"unicode/utf8"

	"context-manager/internal/agent"
)

// The texts that stand in for what was taken out. Harnesses and models know
// them, so their wording is part of the contract.
const (
	prunedPrefix  = "[output pruned: was ~"
	prunedSuffix  = " tokens]"
	reducedPrefix = "[function result reduced for context budget] "

	referenceKind = "function_result_reference"
	retrievalHint = "The original result remains in the session transcript; retrieve it by function_call_id."
)

func prunedText(tokens uint64) string {
	return prunedPrefix + strconv.FormatUint(tokens, 10) + prunedSuffix
}

// isPlaceholder reports whether a result already is one of ours: the only text
// in it is the prune placeholder whole, or the reduce prefix and a reference.
func isPlaceholder(m *agent.Message) bool {
	var text *agent.Block
	blocks := m.Blocks()
	for i := range blocks {
		switch blocks[i].Type() {
		case agent.BlockText:
			if text != nil {
				return false
			}
			text = &blocks[i]
		case agent.BlockImage:
			return false
		}
	}
	if text == nil || text.TextLen() < len(prunedPrefix) {
		return false
	}
	if text.TextLen() <= len(prunedPrefix)+20+len(prunedSuffix) && isPruned(text.Text()) {
		return true
	}
	return isReduced(m, text)
}

func isPruned(text []byte) bool {
	n, ok := bytes.CutPrefix(text, []byte(prunedPrefix))
	if !ok {
		return false
	}
	n, ok = bytes.CutSuffix(n, []byte(prunedSuffix))
	if !ok || len(n) == 0 {
		return false
	}
	for _, c := range n {
		if c < '0' || c > '9' {
			return false
		}
	}
	return true
}

// isReduced tells a reference of ours from an output that merely looks like one:
// all eight members and nothing else, about this very result, no longer than
// ours ever are. An output that passed for a reference could never be reduced.
func isReduced(m *agent.Message, b *agent.Block) bool {
	ids := len(m.CallID()) + len(m.FunctionID())
	if b.TextLen() > len(reducedPrefix)+6*(ids+previewRunes)+longestReference {
		return false
	}
	body, ok := bytes.CutPrefix(b.Text(), []byte(reducedPrefix))
	if !ok {
		return false
	}
	var ref struct {
		Kind, FunctionID, CallID, SHA256, Preview, Hint *string
		Bytes, Tokens                                   *uint64
	}
	members := map[string]any{
		"kind": &ref.Kind, "function_id": &ref.FunctionID, "function_call_id": &ref.CallID,
		"sha256": &ref.SHA256, "preview": &ref.Preview, "retrieval_hint": &ref.Hint,
		"original_bytes": &ref.Bytes, "original_estimated_tokens": &ref.Tokens,
	}
	var raw map[string]json.RawMessage
	if json.Unmarshal(body, &raw) != nil || len(raw) != len(members) {
		return false
	}
	for name, into := range members {
		if value, ok := raw[name]; !ok || string(value) == "null" || json.Unmarshal(value, into) != nil {
			return false
		}
	}
	return *ref.Kind == referenceKind && *ref.Hint == retrievalHint &&
		*ref.FunctionID == string(m.FunctionID()) && *ref.CallID == string(m.CallID()) &&
		len(*ref.SHA256) == 2*sha256.Size && utf8.RuneCountInString(*ref.Preview) <= previewRunes+1
}

// longestReference is room for the members of a reference whose length does not
// depend on the result: names, hash, numbers, hint, and the white space that
// another writer may put between them.
const longestReference = 1024
