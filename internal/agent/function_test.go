package agent_test

import (
	"strings"
	"testing"

	"context-manager/internal/agent"
)

func TestCanonicalFormOfTools(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, tool, want string }{
		{"only what is required", `{"name":"t","description":"d"}`,
			`{"name":"t","description":"d","parameters":null}`},
		{"all members, in contract order", `{"parameters":{"b":1.0,"a":[ ]},"label":"L","execution_mode":"parallel","description":"\u0064\n","name":"t","x":1}`,
			`{"name":"t","description":"d\n","parameters":{"a":[],"b":1.0},"label":"L","execution_mode":"parallel"}`},
		{"optional members that are null", `{"name":"","description":"","parameters":null,"label":null,"execution_mode":null}`,
			`{"name":"","description":"","parameters":null}`},
		{"escapes", `{"name":"\/\u0022","description":"\u001F\ud83d\ude42","label":"\u00e9"}`,
			`{"name":"/\"","description":"\u001f` + "\U0001f642" + `","parameters":null,"label":"é"}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var req testRequest
			if err := agent.Decode([]byte(`{`+model+`,"tools":[ `+tt.tool+` ]}`), 0, &req); err != nil {
				t.Fatal(err)
			}
			f := &req.Tools[0]
			if got := string(f.AppendCanonical(nil)); got != tt.want || f.Size() != len(tt.want) {
				t.Errorf("got  %s (size %d)\nwant %s (size %d)", got, f.Size(), tt.want, len(tt.want))
			}
			if string(f.Raw()) != tt.tool {
				t.Errorf("got the bytes %s, want %s", f.Raw(), tt.tool)
			}
			_, parameters, _ := strings.Cut(tt.want, `"parameters":`)
			if got := string(f.AppendParameters(nil)); !strings.HasPrefix(parameters, got) {
				t.Errorf("got the parameters %s, want those of %s", got, tt.want)
			}
		})
	}
}

func TestUserMessagesOfInlineResultsOnly(t *testing.T) {
	t.Parallel()
	const inline, text = `{"type":"function_result","function_call_id":"c","content":[]}`, `{"type":"text","text":""}`
	for _, tt := range []struct {
		name, messages string
		want           bool
	}{
		{"one result", user(inline), true},
		{"two results", user(inline + "," + inline), true},
		{"a result and a text", user(inline + "," + text), false},
		{"a text", user(text), false},
		{"nothing", user(""), false},
		{"a result in a custom message", list(`{"role":"custom","custom_type":"k","content":[` + inline + `],"timestamp":1}`), false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			list, err := agent.DecodeMessages([]byte(tt.messages))
			if err != nil {
				t.Fatal(err)
			}
			if got := list[3].OnlyInlineResults(); got != tt.want {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}

func TestOneMessageEndsTheText(t *testing.T) {
	t.Parallel()
	const message = `{"role":"user","content":[],"timestamp":1}`
	m, err := agent.DecodeMessage([]byte(" " + message + "\n"))
	if err != nil || string(m.Raw()) != message {
		t.Errorf("got %s (%v), want %s", m.Raw(), err, message)
	}
	const want = "request: unexpected '{', want the end of the text (at byte 42)"
	if _, err := agent.DecodeMessage([]byte(message + message)); err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}
