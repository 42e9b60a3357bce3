package window

import (
	"bytes"
	"encoding/json"
	"strconv"

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
	// The longest placeholder is a reference with a preview of 160 escaped
	// characters and two ids; a text much longer is not worth unescaping.
	if text == nil || text.TextLen() < len(prunedPrefix) {
		return false
	}
	if text.TextLen() <= len(prunedPrefix)+20+len(prunedSuffix) && isPruned(text.Text()) {
		return true
	}
	return isReduced(text)
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

func isReduced(b *agent.Block) bool {
	// The prefix has no character that must be escaped, so most texts are told
	// apart without unescaping them; an escaped spelling of it falls through.
	body, ok := bytes.CutPrefix(b.Text(), []byte(reducedPrefix))
	if !ok {
		return false
	}
	var ref struct {
		Kind string `json:"kind"`
	}
	return json.Unmarshal(body, &ref) == nil && ref.Kind == referenceKind
}
