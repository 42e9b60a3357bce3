package tokens_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"context-manager/internal/tokens"
)

// history returns a request's messages of about size bytes, a thousand of
// them: questions, calls, and results with source code.
func history(b *testing.B, size int) []byte {
	var messages []map[string]any
	for i := range 250 {
		code := fmt.Sprintf("// step %d\nfunc step%d(ctx context.Context, in []byte) error {\n\tif len(in) == %d {\n\t\treturn fmt.Errorf(\"step %%d: %%w\", len(in), io.EOF)\n\t}\n\treturn nil\n}\n", i, i, i*7)
		code = strings.Repeat(code, max(1, size/250/len(code)*9/10))
		messages = append(messages,
			map[string]any{"role": "user", "content": []any{text(fmt.Sprintf("Please look at step %d next, it fails when the input is empty.", i))}, "timestamp": i},
			map[string]any{"role": "assistant", "content": []any{text("I'll read the file first."),
				map[string]any{"type": "function_call", "id": fmt.Sprintf("call_%d", i), "function_id": "files::read", "arguments": map[string]any{"path": fmt.Sprintf("steps/step%d.go", i)}}},
				"stop_reason": "function_call", "model": "gpt-4o", "provider": "openai", "timestamp": i},
			map[string]any{"role": "function_result", "function_call_id": fmt.Sprintf("call_%d", i), "function_id": "files::read",
				"content": []any{text(code)}, "details": nil, "is_error": false, "timestamp": i},
			map[string]any{"role": "assistant", "content": []any{text(fmt.Sprintf("Step %d returns an error for %d bytes; the caller does not expect that.", i, i*7))},
				"stop_reason": "end", "model": "gpt-4o", "provider": "openai", "timestamp": i})
	}
	return marshal(b, messages)
}

// What a request of 2 MB costs: decoding alone, then decoding and counting by
// each estimator. "again" is the tokenizer with a history it knows.
//
//	go test ./internal/tokens -run '^$' -bench History -count 10
func BenchmarkHistory(b *testing.B) {
	data := history(b, 2<<20)
	run := func(name string, e func() tokens.Estimator) {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			if e != nil { // what there is to remember is remembered
				list, estimator := decodedBytes(b, data), e()
				for i := range list {
					estimator.Message(&list[i])
				}
			}
			for b.Loop() {
				list := decodedBytes(b, data)
				if e == nil {
					continue
				}
				estimator := e()
				for i := range list {
					estimator.Message(&list[i])
				}
			}
		})
	}
	cache := tokens.NewCache(tokens.CacheBytes)
	run("decode", nil)
	run("heuristic", func() tokens.Estimator { return tokens.For("gpt-4o", tokens.ByHeuristic, tokens.Options{}) })
	run("fitted", func() tokens.Estimator { return tokens.For("claude-sonnet-4", tokens.ByFitted, tokens.Options{}) })
	run("again", func() tokens.Estimator { return tokens.For("gpt-4o", tokens.Auto, tokens.Options{Cache: cache}) })
	run("new", func() tokens.Estimator {
		return tokens.For("gpt-4o", tokens.Auto, tokens.Options{Cache: tokens.NewCache(1 << 20)})
	})
}

// What an unchanged history costs when it is counted again, as a multiple of
// the heuristic: requests of both kinds in turn, so that whatever else the
// machine does falls on both, and the ratio of their medians.
func BenchmarkAgainVersusHeuristic(b *testing.B) {
	data := history(b, 2<<20)
	cache := tokens.NewCache(tokens.CacheBytes)
	choices := []tokens.Choice{tokens.ByHeuristic, tokens.Auto}
	times := make([][]float64, len(choices))
	for b.Loop() {
		for i, choice := range choices {
			start := time.Now()
			list := decodedBytes(b, data)
			e := tokens.For("gpt-4o", choice, tokens.Options{Cache: cache})
			for i := range list {
				e.Message(&list[i])
			}
			times[i] = append(times[i], time.Since(start).Seconds())
		}
	}
	for i := range times {
		slices.Sort(times[i])
	}
	middle := len(times[0]) / 2
	b.ReportMetric(times[1][middle]/times[0][middle], "again/heuristic")
}
