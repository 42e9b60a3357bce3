package agent_test

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"context-manager/internal/agent"
)

func ptr[T any](v T) *T { return &v }

func TestVariantsWriteTheirTagFirst(t *testing.T) {
	t.Parallel()
	text := []agent.BlockVariant{agent.TextBlock{Text: "hi"}}
	for _, tc := range []struct {
		name    string
		message agent.MessageVariant
		want    string
	}{
		{"an empty user message has its members", agent.UserMessage{}, `{"role":"user","content":[],"timestamp":0}`},
		{"an empty assistant message has its members", agent.AssistantMessage{},
			`{"role":"assistant","content":[],"stop_reason":"","model":"","provider":"","timestamp":0}`},
		{"an empty result has details and is_error", agent.FunctionResultMessage{},
			`{"role":"function_result","function_call_id":"","function_id":"","content":[],"details":null,"is_error":false,"timestamp":0}`},
		{"an empty custom message has neither details nor display", agent.CustomMessage{},
			`{"role":"custom","custom_type":"","content":[],"timestamp":0}`},
		{"optional members follow the canonical order", agent.AssistantMessage{
			Content: text, StopReason: agent.StopError, NativeStopReason: ptr("x"), ErrorMessage: ptr(""),
			ErrorKind: ptr(agent.ErrorTransient), Warnings: []string{"a", "b"},
			Usage: &agent.Usage{CacheRead: ptr(uint64(1)), CostUSD: ptr(2.0), Reasoning: ptr(uint64(math.MaxUint64))},
			Model: "m", Provider: "p", Timestamp: -1,
		}, `{"role":"assistant","content":[{"type":"text","text":"hi"}],"stop_reason":"error","native_stop_reason":"x",` +
			`"error_message":"","error_kind":"transient","warnings":["a","b"],"usage":{"cache_read":1,"cost_usd":2.0,"reasoning":18446744073709551615},` +
			`"model":"m","provider":"p","timestamp":-1}`},
		{"an empty usage and empty warnings are written", agent.AssistantMessage{Warnings: []string{}, Usage: &agent.Usage{}},
			`{"role":"assistant","content":[],"stop_reason":"","warnings":[],"usage":{},"model":"","provider":"","timestamp":0}`},
		{"details lose their spaces", agent.FunctionResultMessage{Details: json.RawMessage(`{ "a": [1.50, "<" ] }`), IsError: true},
			`{"role":"function_result","function_call_id":"","function_id":"","content":[],"details":{"a":[1.50,"<"]},"is_error":true,"timestamp":0}`},
		{"a custom message keeps null details and an empty display", agent.CustomMessage{CustomType: "marker", Content: text, Details: json.RawMessage("null"), Display: ptr("")},
			`{"role":"custom","custom_type":"marker","content":[{"type":"text","text":"hi"}],"display":"","details":null,"timestamp":0}`},
		{"every kind of block", agent.UserMessage{Timestamp: 7, Content: []agent.BlockVariant{
			agent.ImageBlock{MIME: "image/png", Data: "AA=="},
			agent.ThinkingBlock{Text: "t"},
			agent.ThinkingBlock{Text: "t", Signature: ptr("s")},
			agent.FunctionCallBlock{ID: "c1", FunctionID: "shell::run"},
			agent.FunctionCallBlock{ID: "c2", FunctionID: "f", Arguments: json.RawMessage(`{"arg" : "value"}`)},
			agent.FunctionResultBlock{FunctionCallID: "c1"},
			agent.FunctionResultBlock{FunctionCallID: "c2", Content: text, IsError: ptr(false)},
		}}, `{"role":"user","content":[{"type":"image","mime":"image/png","data":"AA=="},{"type":"thinking","text":"t"},` +
			`{"type":"thinking","text":"t","signature":"s"},{"type":"function_call","id":"c1","function_id":"shell::run","arguments":null},` +
			`{"type":"function_call","id":"c2","function_id":"f","arguments":{"arg":"value"}},{"type":"function_result","function_call_id":"c1","content":[]},` +
			`{"type":"function_result","function_call_id":"c2","content":[{"type":"text","text":"hi"}],"is_error":false}],"timestamp":7}`},
		{"markup, separators and controls are escaped only where JSON demands it", agent.UserMessage{Content: []agent.BlockVariant{
			agent.TextBlock{Text: "<b>&\u2028\u007f\"\\\b\f\n\r\t\x00é😀"}}},
			`{"role":"user","content":[{"type":"text","text":"<b>&` + "\u2028\u007f" + `\"\\\b\f\n\r\t\u0000é😀"}],"timestamp":0}`},
		{"invalid UTF-8 becomes the replacement character", agent.UserMessage{Content: []agent.BlockVariant{agent.TextBlock{Text: "a\xffb"}}},
			`{"role":"user","content":[{"type":"text","text":"a` + "\uFFFD" + `b"}],"timestamp":0}`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			got, err := tc.message.AppendJSON([]byte("before"))
			if err != nil {
				t.Fatal(err)
			}
			if string(got) != "before"+tc.want {
				t.Errorf("got  %s\nwant before%s", got, tc.want)
			}
			if _, err := json.Marshal(tc.message); err != nil {
				t.Errorf("json.Marshal: %v", err)
			}
		})
	}
}

func TestVariantsWithUnwritableMembersAppendNothing(t *testing.T) {
	t.Parallel()
	broken := json.RawMessage(`{"a":`)
	inside := agent.FunctionResultBlock{Content: []agent.BlockVariant{agent.TextBlock{}, agent.FunctionCallBlock{Arguments: broken}}}
	for _, tc := range []struct {
		name    string
		message agent.MessageVariant
		want    string
	}{
		{"broken details", agent.FunctionResultMessage{Details: broken}, "writing details: "},
		{"broken arguments in a nested block", agent.UserMessage{Content: []agent.BlockVariant{inside}}, "writing content[0]: writing content[1]: writing arguments: "},
		{"a nil block", agent.CustomMessage{Content: []agent.BlockVariant{nil}}, "writing content[0]: block is nil"},
		{"a cost that is no number", agent.AssistantMessage{Usage: &agent.Usage{CostUSD: ptr(math.NaN())}}, "cost_usd"},
		{"an infinite cost", agent.AssistantMessage{Usage: &agent.Usage{CostUSD: ptr(math.Inf(1))}}, "cost_usd"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			got, err := tc.message.AppendJSON([]byte("before"))
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got error %v, want one with %q", err, tc.want)
			}
			if string(got) != "before" {
				t.Errorf("got %q, want nothing appended", got)
			}
		})
	}
}

// A message built in Go is in canonical form already, so decoding it measures
// exactly its own bytes.
func TestVariantsAreCanonical(t *testing.T) {
	t.Parallel()
	for _, cost := range []float64{0, 1, -2, 0.1, 1e-7, 1e20, 1e15, 123456789.5, 1e-5} {
		m := agent.AssistantMessage{
			Content: []agent.BlockVariant{
				agent.FunctionCallBlock{ID: "c", FunctionID: "f", Arguments: json.RawMessage(`{"a":1}`)},
				agent.FunctionResultBlock{FunctionCallID: "c", Content: []agent.BlockVariant{agent.TextBlock{Text: "é\n"}}, IsError: ptr(true)},
			},
			StopReason: agent.StopEnd, Usage: &agent.Usage{CostUSD: &cost, Input: ptr(uint64(3))}, Model: "m", Provider: "p", Timestamp: 1,
		}
		text, err := m.AppendJSON(nil)
		if err != nil {
			t.Fatal(err)
		}
		decoded, err := agent.DecodeMessage(text)
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		if got, want := decoded.Size(), len(text); got != want {
			t.Errorf("cost %v: got canonical size %d, want %d of %s", cost, got, want, text)
		}
		if got := decoded.AppendCanonical(nil); string(got) != string(text) {
			t.Errorf("cost %v: got canonical form %s, want %s", cost, got, text)
		}
	}
}
