package agent

// BlockType is the kind of a content block.
type BlockType uint8

// The block types of the contract. A block of any other type is kept as it is,
// sized by its bytes and never rewritten.
const (
	BlockUnknown BlockType = iota
	BlockText
	BlockImage
	BlockThinking
	BlockFunctionCall
	BlockFunctionResult
)

// String returns the wire name of the type.
func (t BlockType) String() string {
	switch t {
	case BlockText:
		return "text"
	case BlockImage:
		return "image"
	case BlockThinking:
		return "thinking"
	case BlockFunctionCall:
		return "function_call"
	case BlockFunctionResult:
		return "function_result"
	}
	return "unknown"
}

// Block is one content block of a message, as it stands in the message's bytes.
type Block struct {
	raw       []byte
	text      str     // text, thinking: text; image: data
	callID    []byte  // function_call: id; function_result: function_call_id
	name      []byte  // function_call: function_id; image: mime; thinking: signature
	arguments []byte  // function_call: raw value, nil when absent
	argCanon  int     // bytes of the canonical arguments
	inner     []Block // function_result: content
	size      int     // bytes of the canonical form
	typ       BlockType
	has       blockFlags
}

// blockFlags says which optional members a block has.
type blockFlags uint8

const (
	hasSignature blockFlags = 1 << iota // thinking: signature is a string
	hasIsError                          // function_result: is_error is a boolean
	isTrueError                         // function_result: is_error is true
)

// Type returns the block's type.
func (b *Block) Type() BlockType { return b.typ }

// Raw returns the block's bytes. They must not be changed.
func (b *Block) Raw() []byte { return b.raw }

// Size returns the bytes of the block's canonical form.
func (b *Block) Size() int { return b.size }

// Text returns the text of a text or thinking block, unescaped. It allocates
// only when the text holds escapes.
func (b *Block) Text() []byte {
	if b.typ == BlockImage {
		return nil
	}
	return b.text.bytes()
}

// AppendText appends the text of a text or thinking block, unescaped.
func (b *Block) AppendText(dst []byte) []byte {
	switch {
	case b.typ == BlockImage:
		return dst
	case b.text.spelled&escaped != 0:
		return appendUnescaped(dst, b.text.raw)
	}
	return append(dst, b.text.raw...)
}

// TextLen returns the UTF-8 bytes of the text of a text or thinking block
// without building it.
func (b *Block) TextLen() int {
	if b.typ == BlockImage {
		return 0
	}
	return b.text.decoded
}

// Signature returns a thinking block's signature, or nil.
func (b *Block) Signature() []byte { return b.nameOf(BlockThinking) }

// MIME returns an image's media type, or nil.
func (b *Block) MIME() []byte { return b.nameOf(BlockImage) }

// Data returns an image's base64 text.
func (b *Block) Data() []byte {
	if b.typ != BlockImage {
		return nil
	}
	return b.text.bytes()
}

// DataCanonicalLen returns the bytes an image's base64 text takes in the
// canonical form, quotes not counted.
func (b *Block) DataCanonicalLen() int {
	if b.typ != BlockImage {
		return 0
	}
	return b.text.canon
}

// CallID returns the id of a function_call, or the function_call_id of a
// function_result.
func (b *Block) CallID() []byte { return b.callID }

// FunctionID returns the function a function_call names, or nil.
func (b *Block) FunctionID() []byte { return b.nameOf(BlockFunctionCall) }

// nameOf returns the member that goes by type, if b is of that type.
func (b *Block) nameOf(t BlockType) []byte {
	if b.typ != t {
		return nil
	}
	return b.name
}

// Arguments returns the raw arguments of a function_call; nil when absent.
func (b *Block) Arguments() []byte { return b.arguments }

// ArgumentsSize returns the bytes of the canonical arguments; absent ones are
// null.
func (b *Block) ArgumentsSize() int { return b.argCanon }

// IsError reports whether a function_result block is marked as an error.
func (b *Block) IsError() bool { return b.has&isTrueError != 0 }

// Inner returns the content blocks of a function_result block.
func (b *Block) Inner() []Block { return b.inner }
