package agenttest

import (
	"maps"
	"strings"
)

// Message is one message of the wire contract. Without a timestamp it gets the
// next one from [Messages].
type Message map[string]any

// Block is one content block.
type Block map[string]any

// Tokens is a text whose heuristic size is n tokens: n*4 bytes.
func Tokens(n int) string { return strings.Repeat("x", n*4) }

// User is a user message of one text block.
func User(text string) Message { return UserBlocks(Text(text)) }

// UserBlocks is a user message of the given blocks.
func UserBlocks(blocks ...Block) Message {
	return Message{"role": "user", "content": content(blocks)}
}

// Assistant is a finished answer of one text block.
func Assistant(text string) Message { return AssistantBlocks(Text(text)) }

// AssistantBlocks is an assistant message of the given blocks. It stopped for a
// function call when one of them is a call.
func AssistantBlocks(blocks ...Block) Message {
	reason := "end"
	for _, b := range blocks {
		if b["type"] == "function_call" {
			reason = "function_call"
		}
	}
	return Message{
		"role": "assistant", "content": content(blocks), "stop_reason": reason,
		"model": "test-model", "provider": "test",
	}
}

// Call is an assistant message that asks for one function call.
func Call(id, functionID string) Message { return AssistantBlocks(CallBlock(id, functionID)) }

// Result is a function_result message of one text block, with empty details.
func Result(callID, functionID, text string) Message {
	return ResultBlocks(callID, functionID, Text(text))
}

// ResultBlocks is a function_result message of the given blocks.
func ResultBlocks(callID, functionID string, blocks ...Block) Message {
	return Message{
		"role": "function_result", "function_call_id": callID, "function_id": functionID,
		"content": content(blocks), "details": map[string]any{}, "is_error": false,
	}
}

// InlineResult is a user message that holds one function_result block and
// nothing else.
func InlineResult(callID string) Message { return UserBlocks(ResultBlock(callID, "inline result")) }

// Custom is a custom message of one text block.
func Custom(customType, text string) Message {
	return Message{"role": "custom", "custom_type": customType, "content": content([]Block{Text(text)})}
}

// Bookkeeping is the text of a custom message whose text does not matter.
const Bookkeeping = "app-facing bookkeeping"

// Text is a text block.
func Text(text string) Block { return Block{"type": "text", "text": text} }

// Thinking is a thinking block; an empty signature is left out.
func Thinking(text, signature string) Block {
	b := Block{"type": "thinking", "text": text}
	if signature != "" {
		b["signature"] = signature
	}
	return b
}

// Image is a picture whose base64 text is n times A.
func Image(n int) Block {
	return Block{"type": "image", "mime": "image/png", "data": strings.Repeat("A", n)}
}

// CallBlock asks for one function call, with the arguments {"arg":"value"}.
func CallBlock(id, functionID string) Block {
	return Block{
		"type": "function_call", "id": id, "function_id": functionID,
		"arguments": map[string]any{"arg": "value"},
	}
}

// ResultBlock answers a call inside another message, with one text block.
func ResultBlock(callID, text string) Block {
	return Block{"type": "function_result", "function_call_id": callID, "content": content([]Block{Text(text)})}
}

// With returns a copy of m with one member set.
func (m Message) With(name string, value any) Message {
	out := maps.Clone(m)
	out[name] = value
	return out
}

// Without returns a copy of m that lacks one member.
func (m Message) Without(name string) Message {
	out := maps.Clone(m)
	delete(out, name)
	return out
}

// With returns a copy of b with one member set.
func (b Block) With(name string, value any) Block {
	out := maps.Clone(b)
	out[name] = value
	return out
}

// content keeps an absent list apart from null: a content is always a list.
func content(blocks []Block) []Block {
	if blocks == nil {
		return []Block{}
	}
	return blocks
}
