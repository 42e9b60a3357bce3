package tokens

import (
	"unsafe"

	"context-manager/internal/agent"
	"context-manager/internal/tokens/bpe"
)

// What stands around the texts of a request, in tokens: 3 for the markers of a
// message, 8 for those of a call and of a result. The two 8s were measured on
// billed requests with tools. Ids, details, usage and timestamps cost nothing,
// since the provider does not get them.
const (
	perMessage = 3
	perCall    = 8
	perResult  = 8
)

// tokenizer counts what reaches the provider, in the model's own encoding.
type tokenizer struct {
	codec *bpe.Codec
	image imageRule
	cache *Cache
	kind  uint32 // of the encoding, for the cache
	// frame is what a message costs beside its blocks, by role.
	frame [agent.RoleCustom + 1]uint64
}

// What is remembered, beside the encoding, under one of these.
const (
	kindText uint32 = iota + 1
	kindBlock
	kindTool
	kinds
)

// minCached is the shortest text in bytes that is looked up rather than
// counted at once.
const minCached = 64

// newTokenizer returns the estimator for a bare model name, or nil when its
// encoding is not public.
func newTokenizer(model string, cache *Cache) *tokenizer {
	encoding, ok := encodingOf(model)
	if !ok {
		return nil
	}
	codec, err := bpe.Load(encoding)
	if err != nil {
		// The ranks are in the binary and tested to be readable. Should they
		// not be, the heuristic is what is left.
		return nil
	}
	if cache == nil {
		cache = sharedCache()
	}
	t := &tokenizer{codec: codec, image: imageRuleFor(model), cache: cache}
	for i, e := range bpe.Encodings() {
		if e == encoding {
			t.kind = uint32(i) * kinds
		}
	}
	for _, r := range []agent.Role{agent.RoleUser, agent.RoleAssistant, agent.RoleCustom} {
		t.frame[r] = perMessage + t.string(r.String())
	}
	t.frame[agent.RoleFunctionResult] = perMessage + t.string("tool") + perResult
	return t
}

func (*tokenizer) Name() string        { return "tokenizer" }
func (*tokenizer) Calibration() string { return "" }

func (t *tokenizer) Message(m *agent.Message) uint64 {
	return t.frame[m.Role()] + t.blocks(m.Blocks())
}

func (t *tokenizer) blocks(blocks []agent.Block) (n uint64) {
	for i := range blocks {
		n += t.block(&blocks[i])
	}
	return n
}

func (t *tokenizer) block(b *agent.Block) uint64 {
	switch b.Type() {
	case agent.BlockImage:
		return t.image.tokens(b.Data())
	case agent.BlockFunctionResult:
		return perResult + t.blocks(b.Inner())
	}
	key, n, ok := t.recall(kindBlock, b.Raw())
	if ok {
		return n
	}
	buf := getBuffer()
	switch b.Type() {
	case agent.BlockText, agent.BlockThinking:
		*buf = b.AppendText(*buf)
	case agent.BlockFunctionCall:
		n = perCall + t.bytes(b.FunctionID())
		*buf = b.AppendArguments(*buf)
	default:
		*buf = b.AppendCanonical(*buf)
	}
	n += t.bytes(*buf)
	putBuffer(buf)
	t.remember(key, n)
	return n
}

func (t *tokenizer) ResultText(m *agent.Message) (n uint64) {
	blocks := m.Blocks()
	for i := range blocks {
		if blocks[i].Type() == agent.BlockText {
			n += t.block(&blocks[i])
		}
	}
	return n
}

func (t *tokenizer) Text(s []byte) uint64 {
	key, n, ok := t.recall(kindText, s)
	if !ok {
		n = t.bytes(s)
		t.remember(key, n)
	}
	return n
}

func (t *tokenizer) SystemPrompt(s string) uint64 {
	if s == "" {
		return 0
	}
	return perMessage + t.string("system") + t.Text(unsafe.Slice(unsafe.StringData(s), len(s)))
}

func (t *tokenizer) Tool(f *agent.Function) uint64 {
	key, n, ok := t.recall(kindTool, f.Raw())
	if !ok {
		buf := getBuffer()
		*buf = appendTool(*buf, f)
		n = t.bytes(*buf)
		putBuffer(buf)
		t.remember(key, n)
	}
	return n
}

func (t *tokenizer) bytes(s []byte) uint64  { return uint64(t.codec.Count(s)) }
func (t *tokenizer) string(s string) uint64 { return uint64(t.codec.CountString(s)) }

// recall looks up what was counted of these bytes. Where it is not known, the
// key is what to remember it under; the zero key says not to.
func (t *tokenizer) recall(kind uint32, text []byte) (cacheKey, uint64, bool) {
	if len(text) < minCached {
		return cacheKey{}, 0, false
	}
	key := t.cache.key(t.kind+kind, text)
	n, ok := t.cache.get(key)
	return key, n, ok
}

func (t *tokenizer) remember(key cacheKey, n uint64) {
	if key.kind != 0 {
		t.cache.put(key, n)
	}
}
