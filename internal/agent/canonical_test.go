package agent_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"testing"

	"context-manager/internal/agent"
	"context-manager/internal/agent/agenttest"
)

// TestCanonicalFormOfGeneratedMessages compares 100,000 messages with the slow
// encoder: the form itself, its length and what the heuristic counts.
func TestCanonicalFormOfGeneratedMessages(t *testing.T) {
	t.Parallel()
	const lists, perList = 1000, 100
	for part := range 4 {
		t.Run(fmt.Sprintf("part %d", part), func(t *testing.T) {
			t.Parallel()
			for seed := part * lists / 4; seed < (part+1)*lists/4; seed++ {
				g := newGenerator(uint64(seed))
				trees := make([]any, perList)
				for i := range trees {
					trees[i] = g.message()
				}
				var b strings.Builder
				g.print(&b, trees)
				data := b.String()
				list, err := agent.DecodeMessages([]byte(data))
				if err != nil {
					t.Fatalf("seed %d: %v\n%s", seed, err, data)
				}
				for i := range list {
					compareWithSlow(t, &list[i], trees[i])
				}
				if t.Failed() {
					t.Fatalf("seed %d", seed)
				}
			}
		})
	}
}

func compareWithSlow(t *testing.T, m *agent.Message, tree any) {
	t.Helper()
	want, ok := slowMessage(tree)
	if !ok {
		t.Fatalf("the generator made what is no message: %s", m.Raw())
	}
	if got := string(m.AppendCanonical(nil)); got != want {
		t.Errorf("canonical form of %s:\ngot  %s\nwant %s", m.Raw(), got, want)
	}
	if got := m.Size(); got != len(want) {
		t.Errorf("size of %s:\ngot  %d\nwant %d", m.Raw(), got, len(want))
	}
	if got, want := m.EstimateSize(), slowEstimate(want, tree); got != want {
		t.Errorf("estimate size of %s:\ngot  %d\nwant %d", m.Raw(), got, want)
	}
	if got, want := string(m.AppendText(nil)), slowTopText(tree); got != want || m.TextLen() != len(want) {
		t.Errorf("text of %s:\ngot  %q (%d bytes)\nwant %q (%d bytes)", m.Raw(), got, m.TextLen(), want, len(want))
	}
	for i := range m.Blocks() {
		compareBlock(t, &m.Blocks()[i], member(tree, "content").([]any)[i])
	}
}

// compareBlock checks what the accessors of a block return.
func compareBlock(t *testing.T, b *agent.Block, tree any) {
	t.Helper()
	form, _ := slowBlock(tree)
	same := func(what string, got, want any) {
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s of %s:\ngot  %v\nwant %v", what, b.Raw(), got, want)
		}
	}
	text := func(key string, types ...string) string {
		for _, name := range types {
			if b.Type().String() == name {
				s, _ := member(tree, key).(string)
				return s
			}
		}
		return ""
	}
	same("size", b.Size(), len(form))
	same("text", string(b.Text()), text("text", "text", "thinking"))
	same("text length", b.TextLen(), len(text("text", "text", "thinking")))
	same("signature", string(b.Signature()), text("signature", "thinking"))
	same("mime", string(b.MIME()), text("mime", "image"))
	same("data", string(b.Data()), text("data", "image"))
	same("data length", b.DataCanonicalLen(), max(0, len(slowString(text("data", "image")))-2))
	same("call id", string(b.CallID()), text("id", "function_call")+text("function_call_id", "function_result"))
	same("function id", string(b.FunctionID()), text("function_id", "function_call"))
	switch b.Type() {
	case agent.BlockFunctionCall:
		want := slowCompact(member(tree, "arguments"))
		same("arguments", string(b.AppendArguments(nil)), want)
		same("arguments size", b.ArgumentsSize(), len(want))
	case agent.BlockFunctionResult:
		same("is_error", b.IsError(), member(tree, "is_error") == true)
		inner := member(tree, "content").([]any)
		same("inner blocks", len(b.Inner()), len(inner))
		for i := range b.Inner() {
			compareBlock(t, &b.Inner()[i], inner[i])
		}
	}
}

// member returns a member of a tree's object; nil when it is not there.
func member(tree any, key string) any {
	v, _ := tree.(object).get(key)
	return v
}

// slowTopText joins the text blocks on the top level.
func slowTopText(tree any) string {
	text := ""
	for _, b := range member(tree, "content").([]any) {
		if member(b, "type") == "text" {
			text += member(b, "text").(string)
		}
	}
	return text
}

// The key of a compaction lease is made of these hashes, so that two workers
// of different versions must agree on them.
func TestHashOfOneUserMessageIsPinned(t *testing.T) {
	t.Parallel()
	list, err := agent.DecodeMessages(agenttest.Messages(agenttest.User("hello")))
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(append(list[0].AppendCanonical(nil), 0))
	const want = "6d3bbbf3be536c2b20ab85b866f342ddba24db0c9e88e00a27be9b992283f63b"
	if got := hex.EncodeToString(sum[:]); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestCanonicalFormByExample(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, message, want string }{
		{"a result's missing members have defaults",
			`{"timestamp":1,"role":"function_result","function_id":"f","function_call_id":"c","content":[]}`,
			`{"role":"function_result","function_call_id":"c","function_id":"f","content":[],"details":null,"is_error":false,"timestamp":1}`},
		{"a custom's details count whole",
			`{"role":"custom","custom_type":"k","content":[],"details":{"b":1,"a":[1.0]},"timestamp":1}`,
			`{"role":"custom","custom_type":"k","content":[],"details":{"a":[1.0],"b":1},"timestamp":1}`},
		{"optional members that are null are left out",
			`{"role":"custom","custom_type":"k","content":[],"display":null,"details":null,"timestamp":1}`,
			`{"role":"custom","custom_type":"k","content":[],"timestamp":1}`},
		{"usage stands in the order of the schema, its counts in digits, its cost as a float",
			`{"role":"assistant","content":[],"stop_reason":"end","model":"m","provider":"p","timestamp":1,` +
				`"usage":{"output":2e1,"reasoning":null,"input":3.0,"cost_usd":1,"cache_write":5,"cache_read":6,"total":7}}`,
			`{"role":"assistant","content":[],"stop_reason":"end",` +
				`"usage":{"cache_read":6,"cache_write":5,"cost_usd":1.0,"input":3,"output":20},"model":"m","provider":"p","timestamp":1}`},
		{"unknown members of known types are left out, an unknown block counts whole",
			`{"role":"user","id":"m1","content":[{"type":"text","text":"\u0061\/","cache":true},{"z":1, "type":"x","b":[ ]}],"timestamp":1}`,
			`{"role":"user","content":[{"type":"text","text":"a/"},{"b":[],"type":"x","z":1}],"timestamp":1}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			m, err := agent.DecodeMessage([]byte(tt.message))
			if err != nil {
				t.Fatal(err)
			}
			if got := string(m.AppendCanonical(nil)); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}
