package agent_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"

	"context-manager/internal/agent"
)

// seeds are texts that reach the corners of every decoder here.
var seeds = []string{
	``, `[]`, ` [ ] `, `null`, `{}`, `"\ud83d\ude42"`, `"\ud83d"`, `"\ude42"`, "\"\xff\"", "\"\xed\xa0\x80\"", `"\u0000\u001F\u002f\/"`,
	`-0`, `01`, `1.`, `1e`, `1E+05`, `123456789012345678901234567890`, `[1,]`, `{"a":1,"a":2}`, `{"b":[{"z":1,"a":"\n"}],"a":"\u00e9é"}`,
	strings.Repeat("[", 126) + strings.Repeat("]", 126), strings.Repeat("[", 127) + strings.Repeat("]", 127),
	`"` + strings.Repeat("x", 63) + `\n` + strings.Repeat("é", 40) + `"`, `"` + strings.Repeat("x", 62) + `\\` + `"`,
	`{` + strings.Repeat(`"b":1,"a":2,"b":3,"c":4,`, 20) + `"a":5}`,
	`[{"role":"user","content":[{"type":"text","text":"hello"}],"timestamp":1001}]`,
	`[{"content":[{"arguments":{"b":1,"a":2},"function_id":"f","id":"c","type":"function_call"}],"model":"m","provider":"p","role":"assistant","stop_reason":"function_call","timestamp":1e3,"usage":{"cost_usd":1,"input":5.0},"warnings":["w"]}]`,
	`[{"content":[{"type":"image","mime":"image/png","data":"QUJD"}],"details":{"status":"denied"},"function_call_id":"c","function_id":"f","is_error":true,"role":"function_result","timestamp":-1}]`,
	`[{"role":"custom","custom_type":"k","content":[{"type":"function_result","function_call_id":"c","content":[{"type":"x","content":[1]}],"is_error":null}],"display":null,"details":[],"timestamp":0}]`,
	`{"messages":[],"model":{"id":"m","limits":{"context_window":5e3,"max_output_tokens":-0}},"options":{"thinking_level":"low","tail_turns":2},"tools":[{"name":"t","description":""}]}`,
}

// FuzzMessages: a text is a list of messages exactly when the slow checks say
// so; then it prints back byte for byte, and the sizes are right.
func FuzzMessages(f *testing.F) {
	for _, s := range seeds {
		f.Add([]byte(s))
	}
	for seed := range 20 {
		g := newGenerator(uint64(seed))
		var b strings.Builder
		g.print(&b, []any{g.message(), g.message()})
		f.Add([]byte(b.String()))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		list, err := agent.DecodeMessages(data)
		canonical, ok := slowMessages(data)
		if (err == nil) != ok {
			t.Fatalf("got error %v, want accepted %v", err, ok)
		}
		if err != nil {
			return
		}
		if len(list) != len(canonical) {
			t.Fatalf("got %d messages, want %d", len(list), len(canonical))
		}
		rest := data
		for i := range list {
			if got := string(list[i].AppendCanonical(nil)); got != canonical[i] || list[i].Size() != len(got) {
				t.Errorf("canonical form of message %d:\ngot  %s (size %d)\nwant %s", i, got, list[i].Size(), canonical[i])
			}
			_, after, found := bytes.Cut(rest, list[i].Raw())
			if !found {
				t.Fatalf("message %d: the text does not hold its bytes %s", i, list[i].Raw())
			}
			rest = after
		}
		if back := list.AppendJSON(nil); !sameTree(back, data) || list.RawLen() < len(back) {
			t.Errorf("got %s (promised %d bytes), want the messages of %s", back, list.RawLen(), data)
		}
	})
}

// FuzzOpaque: where any value may stand, exactly valid JSON of legal depth and
// without half surrogate pairs may, duplicate keys and all, and it stays as it
// is.
func FuzzOpaque(f *testing.F) {
	for _, s := range seeds {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		const before, after = `{"role":"custom","custom_type":"k","content":[],"timestamp":1,"details":`, `}`
		whole := []byte(before + string(data) + after)
		if json.Valid(whole) != json.Valid(data) {
			return // the input closes the member and opens others
		}
		m, err := agent.DecodeMessage(whole)
		if want := slowText(data, 1); (err == nil) != want {
			t.Fatalf("got error %v, want accepted %v", err, want)
		}
		if err == nil && !bytes.Equal(m.Details(), bytes.Trim(data, " \t\r\n")) {
			t.Errorf("got details %q, want %q", m.Details(), data)
		}
	})
}

// FuzzDecode: the decoder of request structs accepts what the slow checks
// accept, and else names the same member.
func FuzzDecode(f *testing.F) {
	for _, s := range seeds {
		f.Add([]byte(s))
		f.Add([]byte(`{"model":{"id":"m"},"messages":` + s + `}`))
		f.Add([]byte(`{"model":{"id":` + s + `},"system_prompt":"","options":{"reserved_tokens":` + s + `}}`))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var req testRequest
		err := agent.Decode(data, 3, &req)
		if !slowText(data, 3) {
			if err == nil {
				t.Fatal("got no error, want one about the text")
			}
			return
		}
		want := slowRequest(slowParse(data))
		if (err == nil) != (want == "") {
			t.Fatalf("got error %v, want a fault at %q", err, want)
		}
		var fault *agent.FieldError
		if err == nil || !errors.As(err, &fault) {
			return
		}
		got, _, inMessage := strings.Cut(fault.Path, "messages[")
		if inMessage {
			got = "messages"
		}
		if got == "" {
			got = "request"
		}
		if got != want {
			t.Errorf("got a fault at %q (%v), want one at %q", got, err, want)
		}
	})
}

// FuzzCompact: the compact form of a valid value is the value, compact and
// sorted, and as long as the scanner said when it passed it.
func FuzzCompact(f *testing.F) {
	for _, s := range seeds {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if !slowText(data, 3) {
			return
		}
		got := agent.AppendCompact([]byte("before "), data)
		want := slowCompact(slowParse(data))
		if string(got) != "before "+want {
			t.Fatalf("got  %s\nwant before %s", got, want)
		}
		if again := agent.AppendCompact(nil, []byte(want)); string(again) != want {
			t.Errorf("a second time: got %s, want %s", again, want)
		}
		if !sameTree([]byte(want), data) {
			t.Errorf("got the value %s, want that of %s", want, data)
		}
		m, err := agent.DecodeMessage([]byte(`{"role":"user","timestamp":1,"content":[{"type":"function_call","id":"","function_id":"","arguments":` + string(data) + `}]}`))
		if err != nil {
			t.Fatal(err)
		}
		if size := m.Blocks()[0].ArgumentsSize(); size != len(want) {
			t.Errorf("got a size of %d, want %d", size, len(want))
		}
	})
}

// sameTree compares what encoding/json makes of two texts.
func sameTree(a, b []byte) bool {
	var x, y any
	for _, t := range []struct {
		data []byte
		into *any
	}{{a, &x}, {b, &y}} {
		d := json.NewDecoder(bytes.NewReader(t.data))
		d.UseNumber()
		if d.Decode(t.into) != nil {
			return false
		}
	}
	return reflect.DeepEqual(x, y)
}
