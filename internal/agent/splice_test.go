package agent_test

import (
	"bytes"
	"strings"
	"testing"

	"context-manager/internal/agent"
)

func TestSplicesLeaveEveryOtherByte(t *testing.T) {
	t.Parallel()
	const odd = "{ \"x\" : 1e0 ,\n\"content\":[ {\"type\":\"text\",\"text\":\"\\u0061\"} ],\"details\" : {\"a\":1,\"a\":2} , " +
		"\"role\":\"function_result\",\"function_call_id\":\"c\\/\",\"function_id\":\"f\",\"timestamp\":1.0 }"
	withContent := func(content string) func(*agent.Message) (agent.Message, error) {
		return func(m *agent.Message) (agent.Message, error) { return m.WithContent([]byte(content)) }
	}
	withDetails := func(details string) func(*agent.Message) (agent.Message, error) {
		return func(m *agent.Message) (agent.Message, error) { return m.WithDetails([]byte(details)) }
	}
	withText := func(text string) func(*agent.Message) (agent.Message, error) {
		return func(m *agent.Message) (agent.Message, error) { return m.WithText(text) }
	}
	for _, tt := range []struct {
		name, message string
		splice        func(*agent.Message) (agent.Message, error)
		want          string
	}{
		{"content of an oddly spelled message", odd, withContent(`[]`),
			strings.Replace(odd, "[ {\"type\":\"text\",\"text\":\"\\u0061\"} ]", "[]", 1)},
		{"details of an oddly spelled message", odd, withDetails(`null`),
			strings.Replace(odd, `{"a":1,"a":2}`, "null", 1)},
		{"text of an oddly spelled message", odd, withText("\"\n\x01é"),
			strings.Replace(odd, "[ {\"type\":\"text\",\"text\":\"\\u0061\"} ]", `[{"type":"text","text":"\"\n\u0001é"}]`, 1)},
		{"details that are absent are added at the end",
			`{"role":"function_result","function_call_id":"c","function_id":"f","content":[],"timestamp":1 }`, withDetails(`{"b":1}`),
			`{"role":"function_result","function_call_id":"c","function_id":"f","content":[],"timestamp":1 ,"details":{"b":1}}`},
		{"details of a custom", `{"role":"custom","details":null,"custom_type":"k","content":[],"timestamp":1}`, withDetails(`7`),
			`{"role":"custom","details":7,"custom_type":"k","content":[],"timestamp":1}`},
		{"text takes the place of texts and images; all other blocks stay as they are",
			`{"role":"user","content":[{"type":"image","mime":"m","data":""}, { "type":"x" , "n":1.0 },{"type":"thinking","text":""},{"type":"y"}],"timestamp":1}`, withText("t"),
			`{"role":"user","content":[{"type":"text","text":"t"},{ "type":"x" , "n":1.0 },{"type":"thinking","text":""},{"type":"y"}],"timestamp":1}`},
		{"content that is empty", `{"role":"user","content":[],"timestamp":1}`, withContent(`[{"type":"text","text":""}]`),
			`{"role":"user","content":[{"type":"text","text":""}],"timestamp":1}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			m, err := agent.DecodeMessage([]byte(tt.message))
			if err != nil {
				t.Fatal(err)
			}
			got, err := tt.splice(&m)
			if err != nil {
				t.Fatal(err)
			}
			if string(got.Raw()) != tt.want {
				t.Errorf("got  %s\nwant %s", got.Raw(), tt.want)
			}
			if string(m.Raw()) != tt.message {
				t.Errorf("the original became %s", m.Raw())
			}
		})
	}
}

// Whatever the message, splicing what is there changes nothing, and splicing
// something else changes nothing around it.
func TestSplicesOfGeneratedMessages(t *testing.T) {
	t.Parallel()
	for seed := range uint64(2000) {
		g := newGenerator(seed)
		var b strings.Builder
		g.print(&b, g.message())
		m, err := agent.DecodeMessage([]byte(b.String()))
		if err != nil {
			t.Fatal(err)
		}
		const content = `[{"type":"text","text":"pruned"}]`
		got, err := m.WithContent([]byte(content))
		if err != nil {
			t.Fatal(err)
		}
		if string(got.Content()) != content || !replaced(string(m.Raw()), string(m.Content()), content, string(got.Raw())) {
			t.Errorf("seed %d: %s\nbecame %s", seed, m.Raw(), got.Raw())
		}
		back, err := got.WithContent(m.Content())
		if err != nil || !bytes.Equal(back.Raw(), m.Raw()) || back.Size() != m.Size() {
			t.Errorf("seed %d: %s\ncame back as %s (%v)", seed, m.Raw(), back.Raw(), err)
		}
		if details := m.Details(); details != nil {
			same, err := m.WithDetails(details)
			if err != nil || !bytes.Equal(same.Raw(), m.Raw()) {
				t.Errorf("seed %d: %s\nbecame %s (%v)", seed, m.Raw(), same.Raw(), err)
			}
		}
	}
}

// replaced reports whether got is s with one of the places that hold part
// holding other instead.
func replaced(s, part, other, got string) bool {
	for i := 0; ; i++ {
		next := strings.Index(s[i:], part)
		if next < 0 {
			return false
		}
		i += next
		if s[:i]+other+s[i+len(part):] == got {
			return true
		}
	}
}

func TestSplicesThatMakeNoMessageAreRefused(t *testing.T) {
	t.Parallel()
	user, err := agent.DecodeMessage([]byte(`{"role":"user","content":[],"timestamp":1}`))
	if err != nil {
		t.Fatal(err)
	}
	result, err := agent.DecodeMessage([]byte(`{"role":"function_result","function_call_id":"","function_id":"","content":[],"timestamp":1}`))
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name   string
		splice func([]byte) (agent.Message, error)
		text   string
		want   string
	}{
		{"a content that is an object", user.WithContent, `{}`, "content: want an array of content blocks, got an object"},
		{"a content with a bad block", user.WithContent, `[7]`, "content[0]: want a content block (an object), got a number"},
		{"a content that is not closed", user.WithContent, `[`, "content[0]: unexpected ',', want a content block (at byte 26)"},
		{"a content that goes on", user.WithContent, `[],"x":1`, `content: want one array of content blocks, got [],"x":1`},
		{"no content", user.WithContent, ``, "content: unexpected ',', want a value (at byte 25)"},
		{"details that go on", result.WithDetails, `1,"x":1`, `details: want one value in a function_result or custom message, got 1,"x":1`},
		{"details of a user", user.WithDetails, `1`, `details: want one value in a function_result or custom message, got 1`},
		{"details that are invalid UTF-8", result.WithDetails, "\"\xff\"", "details: invalid UTF-8 in a string (at byte 103)"},
		{"a text that is too deep", result.WithDetails, strings.Repeat("[", 128), "details: nested deeper than 128 levels (at byte 229)"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if _, err := tt.splice([]byte(tt.text)); err == nil || err.Error() != tt.want {
				t.Errorf("got  %v\nwant %s", err, tt.want)
			}
		})
	}
}

func TestStringsAreSpelledCanonically(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, text, want string }{
		{"plain", "a/<&>\u2028é🙂\x7f", "\"a/<&>\u2028é🙂\x7f\""},
		{"escapes", "\"\\\b\f\n\r\t\x00\x1f", `"\"\\\b\f\n\r\t\u0000\u001f"`},
		{"a byte that is no UTF-8", "a\xffb\xed\xa0\x80", "\"a\ufffdb\ufffd\ufffd\ufffd\""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := string(agent.AppendString(nil, tt.text)); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}
