package agent

import "encoding/json"

// BlockVariant is one of the five kinds of content block, told apart on the
// wire by type: [TextBlock], [ImageBlock], [ThinkingBlock], [FunctionCallBlock]
// and [FunctionResultBlock]. Like [MessageVariant] it is for building, not for
// reading.
type BlockVariant interface {
	// AppendJSON appends the block's JSON, type first, under the rules of
	// [MessageVariant].
	AppendJSON(dst []byte) ([]byte, error)

	blockVariant()
}

// TextBlock is plain text.
type TextBlock struct {
	Text string `json:"text" jsonschema_description:"The text itself."`
}

// ImageBlock is a picture, carried in the message.
type ImageBlock struct {
	MIME string `json:"mime" jsonschema_description:"Media type of the picture, such as image/png."`
	Data string `json:"data" jsonschema_description:"The picture's bytes in base64."`
}

// ThinkingBlock is reasoning that a model showed.
type ThinkingBlock struct {
	Text      string  `json:"text" jsonschema_description:"The reasoning as the model showed it."`
	Signature *string `json:"signature,omitempty" jsonschema_description:"The provider's seal on the reasoning; it only holds for the unchanged block."`
}

// FunctionCallBlock asks for one function call.
type FunctionCallBlock struct {
	ID         string          `json:"id" jsonschema_description:"Id of this call, repeated by the result that answers it."`
	FunctionID string          `json:"function_id" jsonschema_description:"Id of the function to call."`
	Arguments  json.RawMessage `json:"arguments" jsonschema_default:"null" jsonschema_description:"The arguments as the model produced them, any JSON."`
}

// FunctionResultBlock answers a call inside another message, mostly a user's.
type FunctionResultBlock struct {
	FunctionCallID string         `json:"function_call_id" jsonschema_description:"Id of the function_call block that this block answers."`
	Content        []BlockVariant `json:"content" jsonschema_description:"The output as the model gets to read it, block by block."`
	IsError        *bool          `json:"is_error,omitempty" jsonschema_description:"True when the output reports a failed call."`
}

func (TextBlock) blockVariant()           {}
func (ImageBlock) blockVariant()          {}
func (ThinkingBlock) blockVariant()       {}
func (FunctionCallBlock) blockVariant()   {}
func (FunctionResultBlock) blockVariant() {}

// AppendJSON implements [BlockVariant].
func (b TextBlock) AppendJSON(dst []byte) ([]byte, error) {
	w := openVariant(dst, "type", "text")
	w.string("text", b.Text)
	return w.done(dst)
}

// AppendJSON implements [BlockVariant].
func (b ImageBlock) AppendJSON(dst []byte) ([]byte, error) {
	w := openVariant(dst, "type", "image")
	w.string("mime", b.MIME)
	w.string("data", b.Data)
	return w.done(dst)
}

// AppendJSON implements [BlockVariant].
func (b ThinkingBlock) AppendJSON(dst []byte) ([]byte, error) {
	w := openVariant(dst, "type", "thinking")
	w.string("text", b.Text)
	w.optionalString("signature", b.Signature)
	return w.done(dst)
}

// AppendJSON implements [BlockVariant].
func (b FunctionCallBlock) AppendJSON(dst []byte) ([]byte, error) {
	w := openVariant(dst, "type", "function_call")
	w.string("id", b.ID)
	w.string("function_id", b.FunctionID)
	w.value("arguments", b.Arguments)
	return w.done(dst)
}

// AppendJSON implements [BlockVariant].
func (b FunctionResultBlock) AppendJSON(dst []byte) ([]byte, error) {
	w := openVariant(dst, "type", "function_result")
	w.string("function_call_id", b.FunctionCallID)
	w.blocks("content", b.Content)
	if b.IsError != nil {
		w.bool("is_error", *b.IsError)
	}
	return w.done(dst)
}

// MarshalJSON gives the bytes of AppendJSON, as for [UserMessage].
func (b TextBlock) MarshalJSON() ([]byte, error) { return b.AppendJSON(nil) }

// MarshalJSON gives the bytes of AppendJSON, as for [UserMessage].
func (b ImageBlock) MarshalJSON() ([]byte, error) { return b.AppendJSON(nil) }

// MarshalJSON gives the bytes of AppendJSON, as for [UserMessage].
func (b ThinkingBlock) MarshalJSON() ([]byte, error) { return b.AppendJSON(nil) }

// MarshalJSON gives the bytes of AppendJSON, as for [UserMessage].
func (b FunctionCallBlock) MarshalJSON() ([]byte, error) { return b.AppendJSON(nil) }

// MarshalJSON gives the bytes of AppendJSON, as for [UserMessage].
func (b FunctionResultBlock) MarshalJSON() ([]byte, error) { return b.AppendJSON(nil) }
