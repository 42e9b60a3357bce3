package tokens_test

import (
	"bytes"
	"encoding/json"
	"sync"
	"testing"

	tiktoken "github.com/pkoukk/tiktoken-go"
	loader "github.com/pkoukk/tiktoken-go-loader"
)

// slow counts a message as the tokenizer does, a second time and in another
// way: over decoded JSON, with the other implementation of the encodings.
type slow struct {
	t      *testing.T
	count  *tiktoken.Tiktoken
	images map[string]uint64 // by base64 text
}

var o200k = sync.OnceValue(func() *tiktoken.Tiktoken { return newOracle("o200k_base") })

var cl100k = sync.OnceValue(func() *tiktoken.Tiktoken { return newOracle("cl100k_base") })

var setLoader = sync.OnceFunc(func() { tiktoken.SetBpeLoader(loader.NewOfflineLoader()) })

func newOracle(name string) *tiktoken.Tiktoken {
	setLoader()
	o, err := tiktoken.GetEncoding(name)
	if err != nil {
		panic(err)
	}
	return o
}

func (s slow) text(text string) uint64 { return uint64(len(s.count.EncodeOrdinary(text))) }

// compact returns a value as compact JSON with sorted keys.
func (s slow) compact(v any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		s.t.Fatal(err)
	}
	return string(bytes.TrimSuffix(b.Bytes(), []byte("\n")))
}

func (s slow) message(m map[string]any) uint64 {
	role := m["role"].(string)
	if role == "function_result" {
		return 3 + s.text("tool") + 8 + s.blocks(m["content"])
	}
	return 3 + s.text(role) + s.blocks(m["content"])
}

func (s slow) blocks(list any) (n uint64) {
	for _, item := range list.([]any) {
		b := item.(map[string]any)
		switch b["type"] {
		case "text", "thinking":
			n += s.text(b["text"].(string))
		case "image":
			n += s.images[b["data"].(string)]
		case "function_call":
			n += 8 + s.text(b["function_id"].(string)) + s.text(s.compact(b["arguments"]))
		case "function_result":
			n += 8 + s.blocks(b["content"])
		default:
			n += s.text(s.compact(b))
		}
	}
	return n
}

func (s slow) resultText(m map[string]any) (n uint64) {
	for _, item := range m["content"].([]any) {
		if b := item.(map[string]any); b["type"] == "text" {
			n += s.text(b["text"].(string))
		}
	}
	return n
}

func (s slow) tool(f map[string]any) uint64 {
	return s.text(`{"name":` + s.compact(f["name"]) + `,"description":` + s.compact(f["description"]) +
		`,"parameters":` + s.compact(f["parameters"]) + `}`)
}
