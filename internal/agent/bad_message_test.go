package agent_test

import (
	"errors"
	"strings"
	"testing"

	"context-manager/internal/agent"
)

// list wraps one message behind three good ones, so that paths show an index.
func list(message string) string {
	const good = `{"role":"user","content":[],"timestamp":1},`
	return "[" + good + good + good + message + "]"
}

// assistant, result and user are good but for the members given.
func assistant(members string) string {
	return list(`{"role":"assistant","content":[],"stop_reason":"end","model":"m","provider":"p","timestamp":1` + members + `}`)
}

func result(members string) string {
	return list(`{"role":"function_result","function_call_id":"c","function_id":"f","content":[],"timestamp":1` + members + `}`)
}

func user(blocks string) string {
	return list(`{"role":"user","content":[` + blocks + `],"timestamp":1}`)
}

func custom(members string) string {
	return list(`{"role":"custom","custom_type":"k","content":[],"timestamp":1` + members + `}`)
}

func TestBadMessagesAreRefusedWithTheirPath(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, data, want string }{
		{"no text at all", ``, "messages: the text ends early, want an array of messages (at byte 0)"},
		{"a string", `"hi"`, "messages: want an array of messages, got a string"},
		{"an object", `{}`, "messages: want an array of messages, got an object"},
		{"null", `null`, "messages: want an array of messages, got null"},
		{"text after the list", `[] x`, "request: unexpected 'x', want the end of the text (at byte 3)"},
		{"a message that is a number", list(`7`), "messages[3]: want a message (an object), got a number"},
		{"no timestamp", list(`{"role":"user","content":[]}`), "messages[3].timestamp: missing, want an integer (milliseconds)"},
		{"a timestamp in quotes", list(`{"role":"user","content":[],"timestamp":"1"}`), "messages[3].timestamp: want an integer (milliseconds), got a string"},
		{"a timestamp with a fraction", list(`{"role":"user","content":[],"timestamp":1.5}`), "messages[3].timestamp: want an integer, got 1.5"},
		{"a timestamp above 64 bits", list(`{"role":"user","content":[],"timestamp":9223372036854775808}`), "messages[3].timestamp: 9223372036854775808 is out of range, want an integer of 64 bits"},
		{"a timestamp below 64 bits", list(`{"role":"user","content":[],"timestamp":-9223372036854775809}`), "messages[3].timestamp: -9223372036854775809 is out of range, want an integer of 64 bits"},
		{"no role", list(`{"content":[],"timestamp":1}`), "messages[3].role: missing, want user, assistant, function_result or custom"},
		{"role wizard", list(`{"role":"wizard","content":[],"timestamp":1}`), `messages[3].role: unknown role "wizard", want user, assistant, function_result or custom`},
		{"a role that is null", list(`{"role":null,"content":[],"timestamp":1}`), "messages[3].role: want a string, got null"},
		{"no content", list(`{"role":"user","timestamp":1}`), "messages[3].content: missing, want an array of content blocks"},
		{"a content of text", list(`{"role":"user","content":"hi","timestamp":1}`), "messages[3].content: want an array of content blocks, got a string"},
		{"a content that is null", list(`{"role":"user","content":null,"timestamp":1}`), "messages[3].content: want an array of content blocks, got null"},
		{"the first fault in the order of the contract, whatever the order of the keys",
			list(`{"timestamp":"x","content":[7],"provider":7,"role":"assistant"}`), "messages[3].content[0]: want a content block (an object), got a number"},

		{"no stop reason", list(`{"role":"assistant","content":[],"model":"m","provider":"p","timestamp":1}`), "messages[3].stop_reason: missing, want a string"},
		{"an error kind that is a number", assistant(`,"error_kind":4`), "messages[3].error_kind: want a string or null, got a number"},
		{"warnings that are a string", assistant(`,"warnings":"w"`), "messages[3].warnings: want an array of strings or null, got a string"},
		{"a warning that is null", assistant(`,"warnings":["w",null]`), "messages[3].warnings[1]: want a string, got null"},
		{"usage that is a number", assistant(`,"usage":1`), "messages[3].usage: want an object or null, got a number"},
		{"usage with a fraction of a token", assistant(`,"usage":{"input":0.5}`), "messages[3].usage.input: want an integer, got 0.5"},
		{"usage below zero", assistant(`,"usage":{"input":-1}`), "messages[3].usage.input: -1 is out of range, want an integer from 0 to 18446744073709551615"},
		{"usage above 64 bits", assistant(`,"usage":{"output":18446744073709551616}`), "messages[3].usage.output: 18446744073709551616 is out of range, want an integer from 0 to 18446744073709551615"},
		{"a cost in quotes", assistant(`,"usage":{"cost_usd":"1"}`), "messages[3].usage.cost_usd: want a number or null, got a string"},
		{"a cost beyond a float", assistant(`,"usage":{"cost_usd":1e999}`), "messages[3].usage.cost_usd: 1e999 is out of range, want a number of 64 bits"},
		{"usage with a key twice", assistant(`,"usage":{"input":1,"input":1}`), `messages[3].usage: duplicate key "input"`},

		{"no call id", list(`{"role":"function_result","function_id":"f","content":[],"timestamp":1}`), "messages[3].function_call_id: missing, want a string"},
		{"an is_error that is null", result(`,"is_error":null`), "messages[3].is_error: want a boolean, got null"},
		{"no custom type", list(`{"role":"custom","content":[],"timestamp":1}`), "messages[3].custom_type: missing, want a string"},
		{"a display that is a boolean", custom(`,"display":true`), "messages[3].display: want a string or null, got a boolean"},

		{"a block without type", user(`{"type":"text","text":""},{"text":"hi"}`), "messages[3].content[1].type: missing, want the block's type (a string)"},
		{"a block with a type that is null", user(`{"type":null}`), "messages[3].content[0].type: want a string, got null"},
		{"a block that is a string", user(`"hi"`), "messages[3].content[0]: want a content block (an object), got a string"},
		{"a text block without text", user(`{"type":"text"}`), "messages[3].content[0].text: missing, want a string"},
		{"a text that is null", user(`{"type":"text","text":null}`), "messages[3].content[0].text: want a string, got null"},
		{"an image without data", user(`{"type":"image","mime":"image/png"}`), "messages[3].content[0].data: missing, want a string"},
		{"a signature that is a number", user(`{"type":"thinking","text":"","signature":1}`), "messages[3].content[0].signature: want a string or null, got a number"},
		{"a call without function", user(`{"type":"function_call","id":"c"}`), "messages[3].content[0].function_id: missing, want a string"},
		{"an inline result without content", user(`{"type":"function_result","function_call_id":"c"}`), "messages[3].content[0].content: missing, want an array of content blocks"},
		{"an inline result whose is_error is a string", user(`{"type":"function_result","function_call_id":"c","content":[],"is_error":"no"}`), "messages[3].content[0].is_error: want a boolean or null, got a string"},
		{"a fault inside inline results",
			user(`{"content":[{"type":"text","text":""},{"content":[{"type":"text"}],"function_call_id":"d","type":"function_result"}],"function_call_id":"c","type":"function_result"}`),
			"messages[3].content[0].content[1].content[0].text: missing, want a string"},

		{"a key twice in a message", list(`{"role":"user","content":[],"timestamp":1,"role":"user"}`), `messages[3]: duplicate key "role"`},
		{"an unknown key twice in a message", list(`{"role":"user","x":1,"content":[],"timestamp":1,"\u0078":1}`), `messages[3]: duplicate key "x"`},
		{"a key twice in a block", user(`{"type":"text","text":"","text":""}`), `messages[3].content[0]: duplicate key "text"`},
		{"a key twice in an unknown block", user(`{"type":"x","y":1,"y":1}`), `messages[3].content[0]: duplicate key "y"`},
		{"a key twice in an inline result's block",
			user(`{"type":"function_result","function_call_id":"c","content":[{"type":"text","text":"","text":""}]}`),
			`messages[3].content[0].content[0]: duplicate key "text"`},

		{"invalid UTF-8 in a text", user("{\"type\":\"text\",\"text\":\"a\xffb\"}"), "messages[3].content[0].text: invalid UTF-8 in a string"},
		{"a surrogate in UTF-8", user("{\"type\":\"text\",\"text\":\"\xed\xa0\x80\"}"), "messages[3].content[0].text: invalid UTF-8 in a string"},
		{"invalid UTF-8 in a key", list("{\"r\xc0\xafole\":1}"), "messages[3]: invalid UTF-8 in a string"},
		{"the first half of a surrogate pair alone", user(`{"type":"text","text":"\ud83d"}`), "messages[3].content[0].text: bad escape or lone surrogate in a string"},
		{"the second half alone", user(`{"type":"text","text":"\ude42"}`), "messages[3].content[0].text: bad escape or lone surrogate in a string"},
		{"two first halves", user(`{"type":"text","text":"\ud83d\ud83d"}`), "messages[3].content[0].text: bad escape or lone surrogate in a string"},
		{"half a pair inside details", result(`,"details":{"a":["\ud83d"]}`), "messages[3].details: bad escape or lone surrogate in a string"},
		{"a raw newline in a text", user("{\"type\":\"text\",\"text\":\"a\nb\"}"), "messages[3].content[0].text: control character 0x0a in a string"},
		{"an unknown escape", user(`{"type":"text","text":"\x41"}`), "messages[3].content[0].text: bad escape or lone surrogate in a string"},
		{"a text that is not closed", `[{"role":"user`, "messages[0].role: a string is not closed"},
		{"a number with a leading zero", custom(`,"details":01`), "messages[3]: unexpected '1', want a comma or }"},
		{"a number without digits", custom(`,"details":-`), "messages[3].details: unexpected '}', want a digit"},
		{"a word that is none", custom(`,"details":nul`), "messages[3].details: unexpected word, want null"},
		{"a comma before the end", custom(`,"details":[1,]`), "messages[3].details: unexpected ']', want a value"},
		{"a comma before the end of a message", custom(`,`), "messages[3]: unexpected '}', want a key in quotes"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := agent.DecodeMessages([]byte(tt.data))
			if err == nil {
				t.Fatalf("got %d messages and no error, want %s", len(got), tt.want)
			}
			var field *agent.FieldError
			if !errors.As(err, &field) {
				t.Errorf("got an error of type %T, want a FieldError in it", err)
			}
			text, _, _ := strings.Cut(err.Error(), " (at byte")
			want, _, _ := strings.Cut(tt.want, " (at byte")
			if text != want {
				t.Errorf("got  %s\nwant %s", err, tt.want)
			}
			if _, ok := slowMessages([]byte(tt.data)); ok {
				t.Errorf("the slow checks accept it")
			}
		})
	}
}

func TestOddMessagesAreAccepted(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, data string }{
		{"an unknown block type", user(`{"type":"hologram","content":[7,{"a":1,"a":2}],"text":null}`)},
		{"an unknown block that holds broken blocks", user(`{"content":[{"type":"text"}],"type":"hologram"}`)},
		{"an unknown stop reason", list(`{"role":"assistant","content":[],"stop_reason":"paused","model":"m","provider":"p","timestamp":1}`)},
		{"an unknown error kind", assistant(`,"error_kind":"cosmic"`)},
		{"optional members of an answer that are null", assistant(`,"native_stop_reason":null,"error_message":null,"error_kind":null,"warnings":null,"usage":null`)},
		{"usage whose members are null", assistant(`,"usage":{"cache_read":null,"cache_write":null,"cost_usd":null,"input":null,"output":null,"reasoning":null}`)},
		{"usage of 64 bits", assistant(`,"usage":{"input":18446744073709551615}`)},
		{"unknown keys twice inside usage", assistant(`,"usage":{"x":1,"x":2}`)},
		{"usage with keys twice in a message that has none", custom(`,"usage":{"input":1,"input":"x"}`)},
		{"warnings of numbers in a message that has none", custom(`,"warnings":[1]`)},
		{"details that are null", result(`,"details":null`)},
		{"a custom's members that are null", custom(`,"display":null,"details":null`)},
		{"keys twice inside details", result(`,"details":{"a":1,"a":{"b":1,"b":2}}`)},
		{"keys twice inside arguments", user(`{"type":"function_call","id":"c","function_id":"f","arguments":{"a":1,"a":2}}`)},
		{"keys twice inside unknown members", custom(`,"x":{"a":1,"a":2}`)},
		{"arguments that are null", user(`{"type":"function_call","id":"c","function_id":"f","arguments":null}`)},
		{"numbers that no machine holds inside details", custom(`,"details":[123456789012345678901234567890,1e400,-0.0]`)},
		{"a signature and an is_error that are null", user(`{"type":"thinking","text":"","signature":null},{"type":"function_result","function_call_id":"","content":[],"is_error":null}`)},
		{"a timestamp before the epoch", list(`{"role":"user","content":[],"timestamp":-1}`)},
		{"the last timestamp", list(`{"role":"user","content":[],"timestamp":9223372036854775807}`)},
		{"a timestamp spelled with an exponent", list(`{"role":"user","content":[],"timestamp":5.0e3}`)},
		{"an empty text", user(`{"type":"text","text":""}`)},
		{"a surrogate pair and a solidus in escapes", user(`{"type":"text","text":"\ud83d\ude42\/\u0000"}`)},
		{"keys in escapes", list(`{"r\u006fle":"us\u0065r","content":[],"timestamp":1}`)},
		{"no messages", ` [ ] `},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := agent.DecodeMessages([]byte(tt.data))
			if err != nil {
				t.Fatal(err)
			}
			if back := string(got.AppendJSON(nil)); len(got) > 0 && back != tt.data {
				t.Errorf("got  %s\nwant the same bytes as %s", back, tt.data)
			}
			if _, ok := slowMessages([]byte(tt.data)); !ok {
				t.Errorf("the slow checks refuse it")
			}
		})
	}
}
