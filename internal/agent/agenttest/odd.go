package agenttest

import "strings"

// OddRequest is a request for context::assemble that is wrong, or looks it.
type OddRequest struct {
	Name    string
	Request string
	// Want is what the error starts with behind its code; empty means that the
	// request is answered.
	Want string
	// Holds must stand in the answer as it stood in the request.
	Holds string
	// Dropped means that an engine does not pass the request on as it is: it
	// drops the frame, or spells the request anew.
	Dropped bool
}

// history wraps messages into a request whose model has room for anything.
func history(messages string) string {
	return `{"model":{"id":"m","limits":{"context_window":1000000,"max_output_tokens":0}},"messages":` + messages + `}`
}

func said(member string) string {
	return history(`[{"role":"user","content":[{"type":"text","text":"a"}],"timestamp":1` + member + `}]`)
}

func limits(window string) string {
	return `{"model":{"id":"m","limits":{"context_window":` + window + `,"max_output_tokens":0}},"messages":[]}`
}

func options(members string) string {
	return `{"model":{"id":"m","limits":{"context_window":9,"max_output_tokens":0}},"messages":[],"options":{` + members + `}}`
}

func at(timestamp string) string {
	return history(`[{"role":"user","content":[],"timestamp":` + timestamp + `}]`)
}

func nested(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }

// OddRequests are the requests that every way in must treat alike.
func OddRequests() []OddRequest {
	const user = `{"role":"user","content":[],"timestamp":1}`
	return []OddRequest{
		{Name: "not an object", Request: `[1]`, Want: "request: want an object, got an array"},
		{Name: "a text", Request: `"x"`, Want: "request: want an object, got a string"},
		{Name: "messages a string", Request: history(`"x"`), Want: "messages: want an array of messages, got a string"},
		{Name: "message 3 lacks a timestamp", Request: history(`[` + user + `,` + user + `,` + user + `,{"role":"user","content":[]}]`),
			Want: "messages[3].timestamp: missing, want an integer (milliseconds)"},
		{Name: "role wizard", Request: history(`[{"role":"wizard","content":[],"timestamp":1}]`), Want: `messages[0].role: unknown role "wizard"`},
		{Name: "a block without a type", Request: history(`[{"role":"user","content":[{"text":"x"}],"timestamp":1}]`), Want: "messages[0].content[0].type: missing"},
		{Name: "a block of an unknown type", Request: history(`[{"role":"user","content":[{"type":"chart","n":1}],"timestamp":1}]`), Holds: `"type":"chart"`},
		{Name: "an unknown stop_reason", Holds: `"stop_reason":"bored"`,
			Request: history(`[{"role":"assistant","content":[],"stop_reason":"bored","error_kind":"odd","model":"m","provider":"p","timestamp":1}]`)},
		{Name: "an unknown thinking_level", Request: options(`"thinking_level":"huge"`), Want: `options.thinking_level: unknown value "huge"`},

		{Name: "nested 127 deep in a member", Request: said(`,"x":` + nested(120)), Holds: nested(120)},
		{Name: "nested 10,000 deep", Request: said(`,"x":` + nested(10000)), Want: "messages[0].x: nested deeper than 128 levels", Dropped: true},
		{Name: "invalid UTF-8", Request: said(",\"x\":\"\xff\""), Want: "messages[0].x: invalid UTF-8", Dropped: true},
		{Name: "a lone surrogate", Request: said(`,"x":"\ud800"`), Want: "messages[0].x: bad escape or lone surrogate", Dropped: true},

		{Name: "a duplicate key in the request", Request: `{"model":{"id":"m"},"messages":[],"messages":[]}`, Want: `request: duplicate key "messages"`, Dropped: true},
		{Name: "a duplicate key in a message", Request: said(`,"timestamp":2`), Want: `messages[0]: duplicate key "timestamp"`, Dropped: true},
		{Name: "a duplicate key in a block", Request: history(`[{"role":"user","content":[{"type":"text","text":"a","text":"b"}],"timestamp":1}]`),
			Want: `messages[0].content[0]: duplicate key "text"`, Dropped: true},
		{Name: "a duplicate key inside details", Dropped: true, Holds: `{"a":1,"a":2}`,
			Request: history(`[{"role":"function_result","function_call_id":"c","function_id":"f","content":[],"details":{"a":1,"a":2},"timestamp":1}]`)},
		{Name: "a number beyond 64 bits in an opaque value", Request: said(`,"x":123456789012345678901234567890`), Holds: "123456789012345678901234567890", Dropped: true},

		{Name: "limits spelled 5000.0", Request: limits("5000.0"), Holds: `"usable":4500`},
		{Name: "limits spelled 5e3", Request: limits("5e3"), Holds: `"usable":4500`},
		{Name: "limits of zero", Request: limits("0"), Holds: `"usable":0`},
		{Name: "limits of 2^64-1", Request: limits("18446744073709551615"), Holds: `"usable":18446744073709531615`},
		{Name: "limits of 2^64", Request: limits("18446744073709551616"), Want: "model.limits.context_window: 18446744073709551616 is out of range", Dropped: true},
		{Name: "limits of -1", Request: limits("-1"), Want: "model.limits.context_window: -1 is out of range"},
		{Name: "an option of -1", Request: options(`"reserved_tokens":-1`), Want: "options.reserved_tokens: -1 is out of range"},
		{Name: "an option of 2^64", Request: options(`"reserved_tokens":18446744073709551616`), Want: "options.reserved_tokens: 18446744073709551616 is out of range", Dropped: true},
		{Name: "an option of 2^64-1", Request: options(`"reserved_tokens":18446744073709551615`), Holds: `"usable":0`},
		{Name: "an option that is a fraction", Request: options(`"tail_turns":1.5`), Want: "options.tail_turns: want an integer, got 1.5"},

		{Name: "a timestamp of -1", Request: at("-1"), Holds: `"timestamp":-1`},
		{Name: "a timestamp of 2^63", Request: at("9223372036854775808"), Want: "messages[0].timestamp: 9223372036854775808 is out of range"},
		{Name: "an empty text", Request: history(`[{"role":"user","content":[{"type":"text","text":""}],"timestamp":1}]`), Holds: `"text":""`},
	}
}
