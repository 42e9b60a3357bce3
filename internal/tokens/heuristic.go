package tokens

import "context-manager/internal/agent"

// heuristic counts a token for every four bytes of the canonical form, which
// is what 1.1.0 of the wire contract does.
type heuristic struct{ imageTokens uint64 }

// NewHeuristic returns the bytes/4 estimator. imageTokens is the flat cost of
// an image; 0 counts its base64 text like any other.
func NewHeuristic(imageTokens uint64) Estimator { return heuristic{imageTokens} }

func (heuristic) Name() string        { return "heuristic" }
func (heuristic) Calibration() string { return "" }

func (h heuristic) Message(m *agent.Message) uint64 {
	size := uint64(m.EstimateSize())
	if h.imageTokens == 0 {
		return size / 4
	}
	images, payload := imagesOf(m.Blocks())
	return (size-payload)/4 + images*h.imageTokens
}

func (heuristic) ResultText(m *agent.Message) uint64 { return uint64(m.TextLen()) / 4 }
func (heuristic) Text(s []byte) uint64               { return uint64(len(s)) / 4 }
func (heuristic) SystemPrompt(s string) uint64       { return uint64(len(s)) / 4 }
func (heuristic) Tool(t *agent.Function) uint64      { return uint64(t.Size()) / 4 }

// imagesOf counts the images among blocks, inline results included, and the
// canonical bytes of their base64 texts.
func imagesOf(blocks []agent.Block) (images, payload uint64) {
	for i := range blocks {
		switch b := &blocks[i]; b.Type() {
		case agent.BlockImage:
			images++
			payload += uint64(b.DataCanonicalLen())
		case agent.BlockFunctionResult:
			n, p := imagesOf(b.Inner())
			images += n
			payload += p
		}
	}
	return images, payload
}
