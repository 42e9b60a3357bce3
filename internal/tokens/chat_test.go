package tokens_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"context-manager/internal/agent"
)

// A chat makes random histories of every kind of message and block.
type chat struct {
	r      *rand.Rand
	images []string
	seen   map[string]int // what was made, so that a test can tell that it was
}

var phrases = []string{
	"Please look at the failing build", " of the harbour service", ".\n", "\n\n", "func main() {\n\tfmt.Println(\"<b>&amp;</b>\")\n}\n",
	"`go test ./...`", " 3 passed, 1 failed in 0.42s", "Grüße aus Köln", "我们先看一下日志", " 👩‍👩‍👧 ", "<|endoftext|>", "\t", "\\path\\to", "\"quoted\"",
	"\u0001\b\f\u007f", "https://example.org/a?b=c&d=e", " 1234567 -0.5e-3", "'s 'LL", "e\u0301", strings.Repeat("=", 70), " ",
}

func (c *chat) text() string {
	var b strings.Builder
	for range c.r.IntN(8) {
		b.WriteString(phrases[c.r.IntN(len(phrases))])
	}
	return b.String()
}

// value is any JSON, its keys in no order.
func (c *chat) value(depth int) any {
	switch n := c.r.IntN(7); {
	case n == 0 && depth > 0:
		list := make([]any, c.r.IntN(3))
		for i := range list {
			list[i] = c.value(depth - 1)
		}
		return list
	case n < 3 && depth > 0:
		object := map[string]any{}
		for range c.r.IntN(4) {
			object[[]string{"zeta", "path", "a b", "ключ", "10", "\"", "line"}[c.r.IntN(7)]] = c.value(depth - 1)
		}
		return object
	case n == 3:
		return json.Number([]string{"0", "-1", "1.50", "1e400", "12345678901234567890", "-0.0"}[c.r.IntN(6)])
	case n == 4:
		return []any{nil, true, false}[c.r.IntN(3)]
	}
	return c.text()
}

func (c *chat) blocks(depth, most int) []any {
	list := make([]any, c.r.IntN(most+1))
	for i := range list {
		b := map[string]any{"unknown_member": c.value(1)}
		kind := []string{"text", "text", "image", "thinking", "function_call", "function_result", "citation"}[c.r.IntN(7)]
		if kind == "function_result" && depth == 0 {
			kind = "text"
		}
		c.seen[kind]++
		b["type"] = kind
		switch kind {
		case "text":
			b["text"] = c.text()
		case "image":
			b["mime"], b["data"] = "image/png", c.images[c.r.IntN(len(c.images))]
		case "thinking":
			b["text"], b["signature"] = c.text(), "c2lnbmF0dXJl"
		case "function_call":
			b["id"], b["function_id"], b["arguments"] = fmt.Sprintf("call_%d", c.r.IntN(100)), "files::read", c.value(3)
			if c.r.IntN(8) == 0 {
				delete(b, "arguments")
			}
		case "function_result":
			b["function_call_id"], b["content"] = "call_1", c.blocks(depth-1, 3)
		}
		list[i] = b
	}
	return list
}

func (c *chat) message() map[string]any {
	role := []string{"user", "assistant", "function_result", "custom"}[c.r.IntN(4)]
	c.seen[role]++
	m := map[string]any{"role": role, "content": c.blocks(2, 4), "timestamp": 1700000000000 + c.r.IntN(1000), "id": "m1"}
	switch role {
	case "assistant":
		m["stop_reason"], m["model"], m["provider"] = "end", "gpt-4o", "openai"
		m["usage"] = map[string]any{"input": 1, "output": 2, "cache_read": 0, "cache_write": 0, "reasoning": 0, "cost_usd": 0.5}
	case "function_result":
		m["function_call_id"], m["function_id"], m["details"] = "call_1", "files::read", c.value(2)
	case "custom":
		m["custom_type"], m["details"] = "note", c.value(1)
	}
	return m
}

func (c *chat) tool() map[string]any {
	return map[string]any{"name": "files::read", "description": c.text(), "parameters": c.value(3), "label": c.text()}
}

// decoded returns messages as they arrive, in the wire's spelling.
func decoded(t testing.TB, messages []map[string]any) agent.Messages {
	t.Helper()
	return decodedBytes(t, marshal(t, messages))
}

func decodedBytes(t testing.TB, data []byte) agent.Messages {
	t.Helper()
	list, err := agent.DecodeMessages(data)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func marshal(t testing.TB, v any) []byte {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := json.Indent(&b, data, "", " "); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// decodedTool returns a tool as it arrives.
func decodedTool(t testing.TB, f map[string]any) *agent.Function {
	t.Helper()
	var req struct {
		Tool agent.Function `json:"tool"`
	}
	if err := agent.Decode(marshal(t, map[string]any{"tool": f}), 0, &req); err != nil {
		t.Fatal(err)
	}
	return &req.Tool
}
