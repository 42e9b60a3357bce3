package functions_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"context-manager/internal/agent"
)

// The checks below share no code with what they check: messages are read with
// encoding/json and pairs are found the slow way.

type plainBlock struct {
	Type           string       `json:"type"`
	ID             string       `json:"id"`
	Text           string       `json:"text"`
	FunctionCallID string       `json:"function_call_id"`
	Content        []plainBlock `json:"content"`
}

type plainMessage struct {
	Role           string       `json:"role"`
	Content        []plainBlock `json:"content"`
	FunctionCallID string       `json:"function_call_id"`
}

type pair struct{ call, answer int }

func read(raw json.RawMessage) plainMessage {
	var m plainMessage
	if err := json.Unmarshal(raw, &m); err != nil {
		panic(err)
	}
	return m
}

// pairs finds which message answers which, and the loose results as
// "index code".
func pairs(list []json.RawMessage) (found []pair, loose []string) {
	type call struct {
		id       string
		at       int
		answered bool
	}
	var calls []call
	answer := func(at int, id string) {
		known := false
		for k := len(calls) - 1; k >= 0; k-- {
			if calls[k].id != id {
				continue
			}
			known = true
			if !calls[k].answered {
				calls[k].answered = true
				found = append(found, pair{calls[k].at, at})
				return
			}
		}
		code := "orphan_result"
		if known {
			code = "duplicate_result"
		}
		loose = append(loose, fmt.Sprint(at, " ", code))
	}
	var walk func(at int, blocks []plainBlock)
	walk = func(at int, blocks []plainBlock) {
		for _, b := range blocks {
			switch b.Type {
			case "function_call":
				calls = append(calls, call{id: b.ID, at: at})
			case "function_result":
				answer(at, b.FunctionCallID)
				walk(at, b.Content)
			}
		}
	}
	for i, raw := range list {
		m := read(raw)
		if m.Role == "custom" {
			continue
		}
		if m.Role == "function_result" {
			answer(i, m.FunctionCallID)
		}
		walk(i, m.Content)
	}
	return found, loose
}

// kept checks that what came back is the request's messages from index on,
// customs left out when they are not wanted, rewritten only where that is
// allowed.
func kept(request, answer []json.RawMessage, from int, customs bool) error {
	var want []json.RawMessage
	for _, raw := range request[from:] {
		if customs || read(raw).Role != "custom" {
			want = append(want, raw)
		}
	}
	if len(want) != len(answer) {
		return fmt.Errorf("%d messages came back, want %d", len(answer), len(want))
	}
	for i := range want {
		if err := same(want[i], answer[i]); err != nil {
			return fmt.Errorf("message %d of the answer: %w", i, err)
		}
	}
	return nil
}

// same checks one message: byte-equal, or a function result of which only
// texts, images and details were replaced.
func same(before, after json.RawMessage) error {
	if !utf8.Valid(after) || !json.Valid(after) {
		return fmt.Errorf("not valid UTF-8 JSON: %q", after)
	}
	if bytes.Equal(before, after) {
		return nil
	}
	var a, b map[string]json.RawMessage
	if err := json.Unmarshal(before, &a); err != nil {
		return err
	}
	if err := json.Unmarshal(after, &b); err != nil {
		return err
	}
	if string(a["role"]) != `"function_result"` {
		return fmt.Errorf("a message of role %s was rewritten", a["role"])
	}
	for key, value := range a {
		if key == "content" || key == "details" && !bytes.Contains(value, []byte(`"denied"`)) {
			continue
		}
		if !bytes.Equal(b[key], value) {
			return fmt.Errorf("member %s became %s, want %s", key, b[key], value)
		}
	}
	if err := shrunk(before, after); err != nil {
		return err
	}
	return carried(a["content"], b["content"])
}

// shrunk checks that a rewrite was worth it: a placeholder has fewer bytes than
// the text it replaces, a reference makes the message's estimate smaller.
func shrunk(before, after json.RawMessage) error {
	a, err := agent.DecodeMessage(before)
	if err != nil {
		return err
	}
	b, err := agent.DecodeMessage(after)
	if err != nil {
		return err
	}
	if strings.HasPrefix(string(b.AppendText(nil)), "[output pruned: was ~") {
		if b.TextLen() >= a.TextLen() {
			return fmt.Errorf("a placeholder of %d bytes replaced a text of %d", b.TextLen(), a.TextLen())
		}
		return nil
	}
	if b.EstimateSize()/4 >= a.EstimateSize()/4 {
		return fmt.Errorf("a reference of %d bytes replaced a message of %d", b.EstimateSize(), a.EstimateSize())
	}
	return nil
}

// carried checks that a rewritten content still has every block that is no
// text and no image, byte for byte and in order.
func carried(before, after json.RawMessage) error {
	others := func(raw json.RawMessage) (out []string) {
		var blocks []json.RawMessage
		if err := json.Unmarshal(raw, &blocks); err != nil {
			panic(err)
		}
		for _, b := range blocks {
			var t plainBlock
			if err := json.Unmarshal(b, &t); err != nil {
				panic(err)
			}
			if t.Type != "text" && t.Type != "image" {
				out = append(out, string(b))
			}
		}
		return out
	}
	if got, want := others(after), others(before); !slices.Equal(got, want) {
		return fmt.Errorf("blocks that must stay became %v, want %v", got, want)
	}
	return nil
}
