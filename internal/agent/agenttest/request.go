package agenttest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
)

// Object is a JSON object of a request.
type Object map[string]any

// FirstTimestamp is the time of a history's first message; each later message
// is one millisecond younger.
const FirstTimestamp = 1001

// Messages prints a list of messages as a JSON array. A message that has no
// timestamp gets FirstTimestamp plus its index.
func Messages(list ...Message) json.RawMessage { return JSON(Stamp(list...)) }

// Stamp gives each message that has no timestamp FirstTimestamp plus its index.
func Stamp(list ...Message) []Message {
	out := make([]Message, len(list))
	for i, m := range list {
		out[i] = m
		if _, ok := m["timestamp"]; !ok {
			out[i] = m.With("timestamp", FirstTimestamp+i)
		}
	}
	return out
}

// Request prints a request: the members given, such as model and options, and
// messages, stamped as by [Messages].
func Request(members Object, list ...Message) json.RawMessage {
	out := maps.Clone(members)
	if out == nil {
		out = Object{}
	}
	out["messages"] = Stamp(list...)
	return JSON(out)
}

// Inline is a model with limits of its own, in tokens.
func Inline(id string, contextWindow, maxOutput uint64) Object {
	return Object{"id": id, "limits": Object{
		"context_window": contextWindow, "max_output_tokens": maxOutput,
	}}
}

// SmallModel has the inline limits 5000/500, of which 4000 tokens are usable
// with the shipped defaults.
func SmallModel() Object { return Inline("small", 5000, 500) }

// AgentTrigger is a tool of 148 canonical bytes, 37 tokens.
func AgentTrigger() Object {
	return Object{
		"name": "agent_trigger", "description": "Calls one function on the bus",
		"parameters": Object{"type": "object", "properties": Object{"function_id": Object{"type": "string"}}},
	}
}

// JSON prints any value with sorted keys, compactly, and leaves markup
// unescaped. It panics on a value that JSON cannot spell, since only tests call
// it.
func JSON(v any) json.RawMessage {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(fmt.Sprintf("agenttest: printing %T: %v", v, err))
	}
	return bytes.TrimRight(b.Bytes(), "\n")
}
