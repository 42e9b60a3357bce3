package agent_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"testing"

	"context-manager/internal/agent"
	"context-manager/internal/agent/agenttest"

	"github.com/go-json-experiment/json/jsontext"
)

// histories are the sizes that the documentation quotes.
var histories = []struct {
	name            string
	messages, bytes int
}{
	{"7KB", 2, 7_000},
	{"100KB", 50, 100_000},
	{"2MB", 1_000, 2_000_000},
	{"20MB", 10_000, 20_000_000},
}

// eachHistory runs one benchmark per size.
func eachHistory(b *testing.B, run func(b *testing.B, data []byte)) {
	for _, h := range histories {
		b.Run(h.name, func(b *testing.B) {
			data := agenttest.History(1, h.messages, h.bytes)
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			b.ResetTimer()
			run(b, data)
		})
	}
}

// BenchmarkDecode is the whole of what an unchanged history costs: checks,
// index and canonical sizes.
func BenchmarkDecode(b *testing.B) {
	eachHistory(b, func(b *testing.B, data []byte) {
		for b.Loop() {
			if _, err := agent.DecodeMessages(data); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkDecodeRequest adds the request around the messages, as functions
// decode it.
func BenchmarkDecodeRequest(b *testing.B) {
	eachHistory(b, func(b *testing.B, data []byte) {
		data = request(data)
		for b.Loop() {
			var req benchRequest
			if err := agent.Decode(data, 3, &req); err != nil {
				b.Fatal(err)
			}
		}
	})
}

type benchRequest struct {
	Messages     agent.Messages   `json:"messages,omitempty"`
	Model        agent.ModelInput `json:"model"`
	SystemPrompt *string          `json:"system_prompt,omitempty"`
}

func request(messages []byte) []byte {
	return slices.Concat([]byte(`{"messages":`), messages, []byte(`,"model":{"id":"big","limits":null},"system_prompt":"be brief"}`))
}

// BenchmarkNaive is the yardstick: encoding/json into typed structs and back,
// which also is how one would count the bytes of the canonical form.
func BenchmarkNaive(b *testing.B) {
	eachHistory(b, func(b *testing.B, data []byte) {
		for b.Loop() {
			var list []naiveMessage
			if err := json.Unmarshal(data, &list); err != nil {
				b.Fatal(err)
			}
			if _, err := json.Marshal(list); err != nil {
				b.Fatal(err)
			}
		}
	})
}

type naiveMessage struct {
	Role           string          `json:"role"`
	FunctionCallID string          `json:"function_call_id,omitempty"`
	FunctionID     string          `json:"function_id,omitempty"`
	CustomType     string          `json:"custom_type,omitempty"`
	Content        []naiveBlock    `json:"content"`
	StopReason     string          `json:"stop_reason,omitempty"`
	Usage          *agent.Usage    `json:"usage,omitempty"`
	Model          string          `json:"model,omitempty"`
	Provider       string          `json:"provider,omitempty"`
	Details        json.RawMessage `json:"details,omitempty"`
	IsError        bool            `json:"is_error,omitempty"`
	Timestamp      int64           `json:"timestamp"`
}

type naiveBlock struct {
	Type           string          `json:"type"`
	Text           string          `json:"text,omitempty"`
	Signature      string          `json:"signature,omitempty"`
	MIME           string          `json:"mime,omitempty"`
	Data           string          `json:"data,omitempty"`
	ID             string          `json:"id,omitempty"`
	FunctionCallID string          `json:"function_call_id,omitempty"`
	FunctionID     string          `json:"function_id,omitempty"`
	Arguments      json.RawMessage `json:"arguments,omitempty"`
	Content        []naiveBlock    `json:"content,omitempty"`
}

// BenchmarkTokens reads the tokens of a history and does nothing with them: the
// least that a decoder built on jsontext would cost.
func BenchmarkTokens(b *testing.B) {
	eachHistory(b, func(b *testing.B, data []byte) {
		in := bytes.NewReader(nil)
		d := jsontext.NewDecoder(in)
		for b.Loop() {
			in.Reset(data)
			d.Reset(in)
			for {
				if _, err := d.ReadToken(); errors.Is(err, io.EOF) {
					break
				} else if err != nil {
					b.Fatal(err)
				}
			}
		}
	})
}

// BenchmarkCanonical builds the canonical form that lease keys are hashed from.
func BenchmarkCanonical(b *testing.B) {
	eachHistory(b, func(b *testing.B, data []byte) {
		list, err := agent.DecodeMessages(data)
		if err != nil {
			b.Fatal(err)
		}
		var dst []byte
		for b.Loop() {
			dst = dst[:0]
			for i := range list {
				dst = list[i].AppendCanonical(dst)
			}
		}
	})
}
