package agent_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"context-manager/internal/agent"
)

// testRequest has a member of every kind that requests have.
type testRequest struct {
	Messages     agent.Messages   `json:"messages,omitempty"`
	Model        agent.ModelInput `json:"model"`
	Options      *testOptions     `json:"options,omitempty"`
	SystemPrompt *string          `json:"system_prompt,omitempty"`
	Tools        []agent.Function `json:"tools,omitempty"`
}

type testOptions struct {
	AllowPrune *bool                `json:"allow_prune,omitempty"`
	Level      *agent.ThinkingLevel `json:"thinking_level,omitempty"`
	Protected  []string             `json:"protected_functions,omitempty"`
	Reserved   *uint64              `json:"reserved_tokens,omitempty"`
	TailTurns  *uint                `json:"tail_turns,omitempty"`
}

const model = `"model":{"id":"m"}`

func limits(window, output string) string {
	return `{"model":{"id":"m","limits":{"context_window":` + window + `,"max_output_tokens":` + output + `}}}`
}

func options(members string) string { return `{` + model + `,"options":{` + members + `}}` }

func TestBadRequestsAreRefusedWithTheirPath(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, data, want string }{
		{"no text", ``, "request: the text ends early, want an object"},
		{"a list", `[]`, "request: want an object, got an array"},
		{"null", `null`, "request: want an object, got null"},
		{"two texts", `{` + model + `}{}`, "request: unexpected '{', want the end of the text"},
		{"messages that are a string", `{` + model + `,"messages":"hi"}`, "messages: want an array of messages, got a string"},
		{"message 3 without timestamp", `{` + model + `,"messages":` + list(`{"role":"user","content":[]}`) + `}`,
			"messages[3].timestamp: missing, want an integer (milliseconds)"},
		{"no model", `{"messages":[]}`, "model: missing, want an object"},
		{"a model that is null", `{"model":null}`, "model: want an object, got null"},
		{"a model without id", `{"model":{}}`, "model.id: missing, want a string"},
		{"limits without output", `{"model":{"id":"m","limits":{"context_window":1}}}`, "model.limits.max_output_tokens: missing, want an integer"},
		{"a limit that is null", limits("null", "1"), "model.limits.context_window: want an integer, got null"},
		{"a limit below zero", limits("-1", "1"), "model.limits.context_window: -1 is out of range, want an integer from 0 to 18446744073709551615"},
		{"a limit of 2^64", limits("1", "18446744073709551616"), "model.limits.max_output_tokens: 18446744073709551616 is out of range, want an integer from 0 to 18446744073709551615"},
		{"a limit with a fraction", limits("0.5", "1"), "model.limits.context_window: want an integer, got 0.5"},
		{"a limit beyond measure", limits("1e999999999999999999999", "1"), "model.limits.context_window: 1e999999999999999999999 is out of range, want an integer from 0 to 18446744073709551615"},
		{"a limit just above nothing", limits("1e-999999999999999999999", "1"), "model.limits.context_window: want an integer, got 1e-999999999999999999999"},
		{"an option below zero", options(`"reserved_tokens":-1`), "options.reserved_tokens: -1 is out of range, want an integer from 0 to 18446744073709551615"},
		{"an option of 2^64", options(`"tail_turns":18446744073709551616`), "options.tail_turns: 18446744073709551616 is out of range, want an integer from 0 to 18446744073709551615"},
		{"a switch that is a number", options(`"allow_prune":1`), "options.allow_prune: want true or false, got a number"},
		{"an unknown thinking level", options(`"thinking_level":"extreme"`), `options.thinking_level: unknown value "extreme", want one of minimal, low, medium, high, xhigh`},
		{"a name that is null", options(`"protected_functions":["a",null]`), "options.protected_functions[1]: want a string, got null"},
		{"options that are a list", `{` + model + `,"options":[]}`, "options: want an object, got an array"},
		{"a tool without description", `{` + model + `,"tools":[{"name":"t"}]}`, "tools[0].description: missing, want a string"},
		{"a tool that is a string", `{` + model + `,"tools":["t"]}`, "tools[0]: want a tool (an object), got a string"},
		{"an unknown execution mode", `{` + model + `,"tools":[{"name":"t","description":"","execution_mode":"later"}]}`,
			`tools[0].execution_mode: unknown value "later", want one of parallel, sequential`},
		{"a tool with a key twice", `{` + model + `,"tools":[{"name":"t","description":"","name":"t"}]}`, `tools[0]: duplicate key "name"`},
		{"a key twice", `{` + model + `,` + model + `}`, `request: duplicate key "model"`},
		{"an unknown key twice", `{"x":1,` + model + `,"x":1}`, `request: duplicate key "x"`},
		{"a key twice in options", options(`"tail_turns":1,"tail_turns":1`), `options: duplicate key "tail_turns"`},
		{"an ill-formed unknown member", `{"x":[1,],` + model + `}`, "x: unexpected ']', want a value"},
		{"two faults: the one that is declared first", `{"system_prompt":1,"options":1,"model":1,"messages":1}`, "messages: want an array of messages, got a number"},
		{"a fault and a missing member: in the order of declaration", `{"system_prompt":1}`, "model: missing, want an object"},
		{"a fault and broken text: the text", `{"model":1,"x":}`, "x: unexpected '}', want a value"},
		{"a fault inside broken text: the text", `{"messages":[{"role":"user","role":"user"},]}`, "messages: unexpected ']', want a value"},
		{"a fault deep down takes no depth from what follows",
			`{"options":{"protected_functions":[1]},` + model + `,"x":` + nested("[", 127, "", "]") + `}`, "options.protected_functions[0]: want a string, got a number"},
		{"invalid UTF-8 in a prompt", "{" + model + ",\"system_prompt\":\"\xff\"}", "system_prompt: invalid UTF-8 in a string"},
		{"half a surrogate pair in a tool", `{` + model + `,"tools":[{"name":"\ud800"}]}`, "tools[0].name: bad escape or lone surrogate in a string"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var req testRequest
			err := agent.Decode([]byte(tt.data), 0, &req)
			if err == nil {
				t.Fatalf("got no error, want %s", tt.want)
			}
			if text, _, _ := strings.Cut(err.Error(), " (at byte"); text != tt.want {
				t.Errorf("got  %s\nwant %s", text, tt.want)
			}
			var field *agent.FieldError
			if !errors.As(err, &field) {
				t.Errorf("got an error of type %T, want a FieldError in it", err)
			}
		})
	}
}

func TestWhatRequestsMayHold(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, data, want string }{
		{"only what is required", `{` + model + `}`, "m"},
		{"unknown members", `{"future_option":42,` + model + `,"options":{"x":{"a":1,"a":2}}}`, "m options"},
		{"null for everything that is optional",
			`{"messages":null,"model":{"id":"m","provider":null,"limits":null},"options":null,"system_prompt":null,"tools":null}`, "m"},
		{"null for every option",
			options(`"allow_prune":null,"thinking_level":null,"protected_functions":null,"reserved_tokens":null,"tail_turns":null`), "m options"},
		{"empty lists and texts", `{"messages":[],"model":{"id":""},"options":{"protected_functions":[]},"system_prompt":"","tools":[]}`,
			" messages:0 options protected:0 prompt: tools:0"},
		{"white space everywhere", " {\n\"model\" : { \"id\" :\t\"m\" } , \"tools\" : [ ] }\r\n", "m tools:0"},
		{"limits of zero", limits("0", "0"), "m limits:0/0"},
		{"limits in any spelling", limits("5000.0", "5e3"), "m limits:5000/5000"},
		{"limits in odder spellings", limits("50E+2", "0.05e5"), "m limits:5000/5000"},
		{"limits whose digits come out in the end", limits("500000e-2", "-0"), "m limits:5000/0"},
		{"limits of 64 bits", limits("18446744073709551615", "1.8446744073709551615e19"), "m limits:18446744073709551615/18446744073709551615"},
		{"limits with more zeros than any number needs", limits("0e99999999999", "1"+strings.Repeat("0", 100)+"e-100"), "m limits:0/1"},
		{"escapes in keys and texts", `{"mod\u0065l":{"id":"a\u0000\ud83d\ude42\/\n"}}`, "a\x00\U0001f642/\n"},
		{"options", options(`"allow_prune":false,"thinking_level":"xhigh","protected_functions":["a","b"],"reserved_tokens":7,"tail_turns":2`),
			"m options prune:false level:xhigh protected:2 reserved:7 turns:2"},
		{"tools", `{` + model + `,"tools":[{"name":"t","description":"d","parameters":{"a":1,"a":2},"label":null,"execution_mode":"parallel"},{"description":"","name":""}]}`,
			"m tools:2"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var req testRequest
			if err := agent.Decode([]byte(tt.data), 0, &req); err != nil {
				t.Fatal(err)
			}
			if got := req.print(); got != tt.want {
				t.Errorf("got  %q\nwant %q", got, tt.want)
			}
		})
	}
}

// print names what is there.
func (r *testRequest) print() string {
	out := r.Model.ID
	add := func(there bool, format string, args ...any) {
		if there {
			out += " " + fmt.Sprintf(format, args...)
		}
	}
	add(r.Messages != nil, "messages:%d", len(r.Messages))
	if l := r.Model.Limits; l != nil {
		add(true, "limits:%d/%d", l.ContextWindow, l.MaxOutputTokens)
	}
	if o := r.Options; o != nil {
		add(true, "options")
		add(o.AllowPrune != nil, "prune:%v", o.AllowPrune != nil && *o.AllowPrune)
		if o.Level != nil {
			add(true, "level:%s", *o.Level)
		}
		add(o.Protected != nil, "protected:%d", len(o.Protected))
		if o.Reserved != nil {
			add(true, "reserved:%d", *o.Reserved)
		}
		if o.TailTurns != nil {
			add(true, "turns:%d", *o.TailTurns)
		}
	}
	if r.SystemPrompt != nil {
		add(true, "prompt:%s", *r.SystemPrompt)
	}
	add(r.Tools != nil, "tools:%d", len(r.Tools))
	return out
}

// Where the published schema allows null, null works; where it does not, the
// error says what is wanted. The table lists the former, the members of the
// examples are the latter too.
func TestNullIsAcceptedExactlyWhereTheContractAllowsIt(t *testing.T) {
	t.Parallel()
	nullable := map[string]bool{
		"assistant.native_stop_reason": true, "assistant.error_message": true, "assistant.error_kind": true,
		"assistant.warnings": true, "assistant.usage": true, "function_result.details": true,
		"custom.display": true, "custom.details": true, "block thinking.signature": true,
		"block function_call.arguments": true, "block function_result.is_error": true,
	}
	for tag, rules := range slowRules {
		for _, nulled := range rules {
			example := object{}
			for _, r := range rules {
				switch {
				case r.name == nulled.name:
					example = append(example, field{r.name, nil})
				case r.required:
					example = append(example, field{r.name, exampleOf[r.name]})
				}
			}
			message := append(example, field{"role", tag})
			if kind, ok := strings.CutPrefix(tag, "block "); ok {
				block := append(example, field{"type", kind})
				message = object{{"role", "user"}, {"content", []any{block}}, {"timestamp", printed("1")}}
			}
			name := tag + "." + nulled.name
			_, err := agent.DecodeMessage([]byte(slowCompact(message)))
			if got, want := err == nil, nullable[name]; got != want {
				t.Errorf("null as %s: got accepted %v, want %v (%v)", name, got, want, err)
			}
		}
	}
}

// exampleOf holds a valid value for each required member.
var exampleOf = map[string]any{
	"content": []any{}, "timestamp": printed("1"), "stop_reason": "end", "model": "m", "provider": "p",
	"function_call_id": "c", "function_id": "f", "custom_type": "k", "text": "", "mime": "", "data": "", "id": "",
}
