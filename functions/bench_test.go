package functions_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"context-manager/config"
	"context-manager/functions"
	"context-manager/internal/agent"
	"context-manager/internal/agent/agenttest"
	"context-manager/internal/tokens"
	"context-manager/internal/window"
)

// histories are the sizes that docs/performance.md reports.
var histories = []struct {
	name            string
	messages, bytes int
}{
	{"7KB", 12, 7 << 10},
	{"100KB", 50, 100 << 10},
	{"2MB", 1000, 2 << 20},
	{"20MB", 10000, 20 << 20},
}

// roomy is a window that any of the histories fits.
const roomy = `{"id":"bench","limits":{"context_window":1000000000,"max_output_tokens":0}}`

func request(messages []byte, options string) []byte {
	return fmt.Appendf(nil, `{"messages":%s,"model":%s,"options":%s}`, messages, roomy, options)
}

func eachHistory(b *testing.B, run func(b *testing.B, messages []byte)) {
	for _, h := range histories {
		b.Run(h.name, func(b *testing.B) {
			messages := agenttest.History(1, h.messages, h.bytes)
			b.SetBytes(int64(len(messages)))
			b.ReportAllocs()
			run(b, messages)
		})
	}
}

func mustInvoke(b testing.TB, s *functions.Service, id string, request, dst []byte) []byte {
	spec, ok := functions.Find(id)
	if !ok {
		b.Fatal("no function ", id)
	}
	out, err := spec.Invoke(context.Background(), s, request, 0, dst)
	if err != nil {
		b.Fatal(err)
	}
	return out
}

// BenchmarkAssembleUnchanged is the hot path: everything fits, every byte of
// every message comes back as it was.
func BenchmarkAssembleUnchanged(b *testing.B) {
	s := functions.New(functions.Options{})
	eachHistory(b, func(b *testing.B, messages []byte) {
		req := request(messages, "{}")
		dst := make([]byte, 0, len(req)+1<<16)
		for b.Loop() {
			mustInvoke(b, s, "context::assemble", req, dst)
		}
	})
}

// BenchmarkAssembleOverBudget prunes and reduces to half the size.
func BenchmarkAssembleOverBudget(b *testing.B) {
	set := config.Default()
	set.ProtectRecentTokens, set.MinFreeTokens, set.MaxOutputChars = 0, 0, 100
	s := functions.New(functions.Options{Settings: func() *config.Settings { return &set }})
	eachHistory(b, func(b *testing.B, messages []byte) {
		req := fmt.Appendf(nil, `{"messages":%s,"model":{"id":"bench","limits":{"context_window":%d,"max_output_tokens":0}},"options":{"reserved_tokens":0,"allow_compaction":false}}`,
			messages, len(messages)*85/100/4)
		dst := make([]byte, 0, len(req)+1<<16)
		for b.Loop() {
			mustInvoke(b, s, "context::assemble", req, dst)
		}
	})
}

// BenchmarkPrune replaces every output that is old enough.
func BenchmarkPrune(b *testing.B) {
	s := functions.New(functions.Options{})
	eachHistory(b, func(b *testing.B, messages []byte) {
		req := request(messages, `{"protect_recent_tokens":0,"min_free_tokens":0,"max_output_chars":100}`)
		dst := make([]byte, 0, len(req)+1<<16)
		for b.Loop() {
			mustInvoke(b, s, "context::prune", req, dst)
		}
	})
}

// BenchmarkCountTokens decodes and sizes.
func BenchmarkCountTokens(b *testing.B) {
	s := functions.New(functions.Options{})
	eachHistory(b, func(b *testing.B, messages []byte) {
		req := request(messages, "{}")
		for b.Loop() {
			mustInvoke(b, s, "context::count-tokens", req, nil)
		}
	})
}

// BenchmarkSize is what is left of sizing after decoding: the sizes fall out of
// the decoder's pass.
func BenchmarkSize(b *testing.B) {
	est := tokens.NewHeuristic(0)
	eachHistory(b, func(b *testing.B, messages []byte) {
		list, err := agent.DecodeMessages(messages)
		if err != nil {
			b.Fatal(err)
		}
		for b.Loop() {
			window.NewView(list, est, nil)
		}
	})
}

// naiveMessage is how the job is done without care: decode into structs, count
// by encoding each message, encode the whole again.
type naiveMessage struct {
	Role           string            `json:"role"`
	Content        []json.RawMessage `json:"content"`
	FunctionCallID string            `json:"function_call_id,omitempty"`
	FunctionID     string            `json:"function_id,omitempty"`
	Details        json.RawMessage   `json:"details,omitempty"`
	IsError        bool              `json:"is_error,omitempty"`
	StopReason     string            `json:"stop_reason,omitempty"`
	Model          string            `json:"model,omitempty"`
	Provider       string            `json:"provider,omitempty"`
	CustomType     string            `json:"custom_type,omitempty"`
	Usage          json.RawMessage   `json:"usage,omitempty"`
	Timestamp      int64             `json:"timestamp"`
}

// BenchmarkNaive decodes and encodes the same request with encoding/json, and
// nothing else: no counting, no checks.
func BenchmarkNaive(b *testing.B) {
	eachHistory(b, func(b *testing.B, messages []byte) {
		req := request(messages, "{}")
		for b.Loop() {
			var v struct {
				Model    json.RawMessage `json:"model"`
				Messages []naiveMessage  `json:"messages"`
				Options  json.RawMessage `json:"options"`
			}
			if err := json.Unmarshal(req, &v); err != nil {
				b.Fatal(err)
			}
			if _, err := json.Marshal(v); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// What an unchanged message costs must not include an allocation.
func TestAllocationsDoNotGrowWithTheHistory(t *testing.T) {
	s := functions.New(functions.Options{})
	for _, id := range []string{"context::assemble", "context::count-tokens", "context::prune"} {
		allocs := func(messages int) float64 {
			req := request(agenttest.History(1, messages, messages*200), "{}")
			dst := make([]byte, 0, 2*len(req)+1<<16)
			return testing.AllocsPerRun(10, func() { mustInvoke(t, s, id, req, dst) })
		}
		few, many := allocs(100), allocs(10000)
		if many > few+8 {
			t.Errorf("%s: %v allocations for 10,000 messages, want at most 8 more than the %v for 100", id, many, few)
		}
	}
}
