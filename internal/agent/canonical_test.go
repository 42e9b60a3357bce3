package agent_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
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
	role, text := member(tree, "role").(string), func(key string) string {
		s, _ := member(tree, key).(string)
		return s
	}
	callID, functionID, top := "", "", slowTopText(tree)
	if role == "function_result" {
		callID, functionID = text("function_call_id"), text("function_id")
	}
	when, _ := slowTime(member(tree, "timestamp"))
	c := comparison{t, m.Raw()}
	same(c, "canonical form", string(m.AppendCanonical(nil)), want)
	same(c, "size", m.Size(), len(want))
	same(c, "estimate size", m.EstimateSize(), slowEstimate(want, tree))
	same(c, "text", string(m.AppendText(nil)), top)
	same(c, "text length", m.TextLen(), len(top))
	same(c, "role", m.Role().String(), role)
	same(c, "call id", string(m.CallID()), callID)
	same(c, "function id", string(m.FunctionID()), functionID)
	same(c, "id", string(m.ID()), text("id"))
	same(c, "error mark", m.IsError(), role == "function_result" && member(tree, "is_error") == true)
	same(c, "denial", m.Denied(), role == "function_result" && slowDenied(tree))
	same(c, "timestamp", strconv.FormatInt(m.Timestamp(), 10), when)
	same(c, "presence of details", m.Details() != nil, has(tree, "details") && (role == "function_result" || role == "custom"))
	for i := range m.Blocks() {
		compareBlock(t, &m.Blocks()[i], member(tree, "content").([]any)[i])
	}
}

// comparison says where and about what a difference is reported.
type comparison struct {
	t   *testing.T
	raw []byte
}

func same[T comparable](c comparison, what string, got, want T) {
	if got != want {
		c.t.Errorf("%s of %s:\ngot  %v\nwant %v", what, c.raw, got, want)
	}
}

// compareBlock checks what the accessors of a block return.
func compareBlock(t *testing.T, b *agent.Block, tree any) {
	t.Helper()
	form, _ := slowBlock(tree)
	var text, signature, mime, data, callID, functionID string
	get := func(key string) string {
		s, _ := member(tree, key).(string)
		return s
	}
	c := comparison{t, b.Raw()}
	switch b.Type() {
	case agent.BlockText:
		text = get("text")
	case agent.BlockThinking:
		text, signature = get("text"), get("signature")
	case agent.BlockImage:
		mime, data = get("mime"), get("data")
	case agent.BlockFunctionCall:
		callID, functionID = get("id"), get("function_id")
		want := slowCompact(member(tree, "arguments"))
		same(c, "arguments", string(b.AppendArguments(nil)), want)
		same(c, "arguments size", b.ArgumentsSize(), len(want))
	case agent.BlockFunctionResult:
		callID = get("function_call_id")
		inner := member(tree, "content").([]any)
		same(c, "inner blocks", len(b.Inner()), len(inner))
		for i := range b.Inner() {
			compareBlock(t, &b.Inner()[i], inner[i])
		}
		same(c, "error mark", b.IsError(), member(tree, "is_error") == true)
	}
	same(c, "size", b.Size(), len(form))
	same(c, "text", string(b.Text()), text)
	same(c, "appended text", string(b.AppendText(nil)), text)
	same(c, "text length", b.TextLen(), len(text))
	same(c, "signature", string(b.Signature()), signature)
	same(c, "mime", string(b.MIME()), mime)
	same(c, "data", string(b.Data()), data)
	same(c, "data length", b.DataCanonicalLen(), max(0, len(slowString(data))-2))
	same(c, "call id", string(b.CallID()), callID)
	same(c, "function id", string(b.FunctionID()), functionID)
}

// member returns a member of a tree's object; nil when it is not there.
func member(tree any, key string) any {
	v, _ := tree.(object).get(key)
	return v
}

func has(tree any, key string) bool {
	_, ok := tree.(object).get(key)
	return ok
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
