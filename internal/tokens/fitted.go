package tokens

import (
	"encoding/binary"
	"math/bits"
	"unsafe"

	"context-manager/internal/agent"
)

// calibration names the rates below on the wire. Other rates get another name.
const calibration = "claude-1"

// A rate is what an ASCII byte of one kind of text costs, in parts of a token.
// The parts are the least common multiple of what the rates need, so that sums
// are exact and the same on every machine. The rates were fitted to the billed
// usage of recorded sessions with Claude models.
type rate uint64

const (
	parts rate = 41328

	proseRate     = parts * 10 / 41 // 4.1 bytes a token: user and assistant text, system prompts
	resultRate    = parts * 10 / 28 // 2.8: texts of function results
	jsonRate      = parts * 10 / 32 // 3.2: calls, tools, unknown blocks
	signatureRate = parts * 10 / 45 // 4.5: signatures of thinking, which stand for its text
	wideRate      = parts / 2       // 2 bytes a token outside ASCII, in any kind

	messageTokens = 35 // of a message beside its texts
)

// fitted estimates what Claude models bill, from bytes at measured rates.
type fitted struct {
	imageTokens uint64 // flat cost of an image; 0 goes by its pixels
}

func (fitted) Name() string        { return "heuristic" }
func (fitted) Calibration() string { return calibration }

func (f fitted) Message(m *agent.Message) uint64 {
	texts := proseRate
	if m.Role() == agent.RoleFunctionResult {
		texts = resultRate
	}
	cost, images := f.blocks(m.Blocks(), texts)
	return messageTokens + images + whole(cost)
}

// blocks returns the cost of blocks in parts of a token, and what the images
// among them cost in tokens.
func (f fitted) blocks(blocks []agent.Block, texts rate) (cost rate, images uint64) {
	for i := range blocks {
		switch b := &blocks[i]; b.Type() {
		case agent.BlockText:
			cost += texts.ofText(b)
		case agent.BlockThinking:
			cost += signatureRate.of(b.Signature())
		case agent.BlockImage:
			images += f.image(b)
		case agent.BlockFunctionCall:
			cost += jsonRate.of(b.FunctionID())
			cost += jsonRate.built(b.AppendArguments)
		case agent.BlockFunctionResult:
			c, n := f.blocks(b.Inner(), resultRate)
			cost += c
			images += n
		default:
			cost += jsonRate.built(b.AppendCanonical)
		}
	}
	return cost, images
}

func (f fitted) image(b *agent.Block) uint64 {
	if f.imageTokens > 0 {
		return f.imageTokens
	}
	return claudeImage(b.Data())
}

func (fitted) ResultText(m *agent.Message) uint64 {
	var cost rate
	blocks := m.Blocks()
	for i := range blocks {
		if blocks[i].Type() == agent.BlockText {
			cost += resultRate.ofText(&blocks[i])
		}
	}
	return whole(cost)
}

func (fitted) Text(s []byte) uint64 { return whole(proseRate.of(s)) }

func (fitted) SystemPrompt(s string) uint64 {
	return whole(proseRate.of(unsafe.Slice(unsafe.StringData(s), len(s))))
}

func (fitted) Tool(t *agent.Function) uint64 {
	return whole(jsonRate.built(func(dst []byte) []byte { return appendTool(dst, t) }))
}

// whole rounds a cost up to tokens.
func whole(cost rate) uint64 { return uint64((cost + parts - 1) / parts) }

// of returns the cost of a text.
func (r rate) of(s []byte) rate {
	wide := rate(nonASCII(s))
	return (rate(len(s))-wide)*r + wide*wideRate
}

func (r rate) ofText(b *agent.Block) rate { return r.built(b.AppendText) }

// built returns the cost of a text that is built for the purpose.
func (r rate) built(build func(dst []byte) []byte) rate {
	buf := getBuffer()
	*buf = build(*buf)
	cost := r.of(*buf)
	putBuffer(buf)
	return cost
}

// nonASCII returns the number of bytes above 0x7f.
func nonASCII(s []byte) (n int) {
	for len(s) >= 8 {
		n += bits.OnesCount64(binary.LittleEndian.Uint64(s) & 0x8080808080808080)
		s = s[8:]
	}
	for _, b := range s {
		n += int(b >> 7)
	}
	return n
}
