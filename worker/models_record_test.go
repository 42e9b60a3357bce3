package worker

import (
	"strings"
	"testing"

	"context-manager/functions"
	"context-manager/internal/window"

	"github.com/google/go-cmp/cmp"
)

func limit(n uint64) *uint64 { return &n }

func TestDecodeModel(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, answer string
		want         *functions.ModelBudget
		fails        string // part of the error
	}{
		{
			name:   "the record of a router",
			answer: small,
			want:   &functions.ModelBudget{Limits: window.Limits{ContextWindow: 32000, MaxOutput: 16000}},
		},
		{
			name:   "an effective output below the ceiling is the output",
			answer: `{"model":{"context_window":272000,"max_output_tokens":128000},"effective_max_output_tokens":32000}`,
			want:   &functions.ModelBudget{Limits: window.Limits{ContextWindow: 272000, MaxOutput: 32000}},
		},
		{
			name:   "an effective output above the ceiling is cut to the ceiling",
			answer: `{"model":{"context_window":200000,"max_output_tokens":8000},"effective_max_output_tokens":9000}`,
			want:   &functions.ModelBudget{Limits: window.Limits{ContextWindow: 200000, MaxOutput: 8000}},
		},
		{
			name:   "without an effective output the ceiling is the output",
			answer: `{"model":{"context_window":200000,"max_output_tokens":8000}}`,
			want:   &functions.ModelBudget{Limits: window.Limits{ContextWindow: 200000, MaxOutput: 8000}},
		},
		{
			name:   "an effective output of null is none",
			answer: `{"model":{"context_window":200000,"max_output_tokens":8000},"effective_max_output_tokens":null}`,
			want:   &functions.ModelBudget{Limits: window.Limits{ContextWindow: 200000, MaxOutput: 8000}},
		},
		{
			name:   "an effective output of zero is none",
			answer: `{"model":{"context_window":200000,"max_output_tokens":8000},"effective_max_output_tokens":0}`,
			want:   &functions.ModelBudget{Limits: window.Limits{ContextWindow: 200000, MaxOutput: 8000}},
		},
		{
			name: "input limit and thinking budgets are taken",
			answer: `{"model":{"context_window":200000,"max_output_tokens":64000,"input_limit":180000,
				"thinking_budgets":{"minimal":1024,"low":2048,"medium":8192,"high":16384,"xhigh":32768}}}`,
			want: &functions.ModelBudget{
				Limits:   window.Limits{ContextWindow: 200000, MaxOutput: 64000, InputLimit: limit(180000)},
				Thinking: map[string]uint64{"minimal": 1024, "low": 2048, "medium": 8192, "high": 16384, "xhigh": 32768},
			},
		},
		{
			name:   "optional members may be null",
			answer: `{"model":{"context_window":9,"max_output_tokens":8,"input_limit":null,"thinking_budgets":null}}`,
			want:   &functions.ModelBudget{Limits: window.Limits{ContextWindow: 9, MaxOutput: 8}},
		},
		{
			name: "other members may be anything",
			answer: `{"model":{"id":7,"provider":null,"context_window":9,"max_output_tokens":8,"display_name":[],"supports_vision":"perhaps",
				"pricing":{"input":"3"},"reasoning_efforts":[{"effort":"odd"}],"speech":{}},"more":true}`,
			want: &functions.ModelBudget{Limits: window.Limits{ContextWindow: 9, MaxOutput: 8}},
		},
		{
			name:   "numbers come in any spelling",
			answer: `{"model":{"context_window":32000.0,"max_output_tokens":16e3}}`,
			want:   &functions.ModelBudget{Limits: window.Limits{ContextWindow: 32000, MaxOutput: 16000}},
		},
		{
			name:   "the largest number is taken exactly",
			answer: `{"model":{"context_window":18446744073709551615,"max_output_tokens":0}}`,
			want:   &functions.ModelBudget{Limits: window.Limits{ContextWindow: 1<<64 - 1}},
		},
		{name: "null is an unknown model", answer: `null`},
		{name: "a null record is an unknown model", answer: `{"model":null}`},
		{name: "an answer without a record", answer: `{"effective_max_output_tokens":5}`, fails: "no model"},
		{name: "an answer that is no object", answer: `[]`, fails: "array"},
		{name: "a record that is no object", answer: `{"model":"m"}`, fails: "string"},
		{name: "a record without a window", answer: `{"model":{"max_output_tokens":8}}`, fails: "context_window"},
		{name: "a record without a ceiling", answer: `{"model":{"context_window":8}}`, fails: "max_output_tokens"},
		{name: "a fraction", answer: `{"model":{"context_window":8.5,"max_output_tokens":8}}`, fails: "8.5"},
		{name: "a negative number", answer: `{"model":{"context_window":-8,"max_output_tokens":8}}`, fails: "-8"},
		{name: "a number that is too large", answer: `{"model":{"context_window":18446744073709551616,"max_output_tokens":8}}`, fails: "18446744073709551616"},
		{name: "a number in a string", answer: `{"model":{"context_window":"8","max_output_tokens":8}}`, fails: "tokens"},
		{
			name:   "a thinking budget for a level that does not exist",
			answer: `{"model":{"context_window":9,"max_output_tokens":8,"thinking_budgets":{"high":4,"ultra":5}}}`,
			fails:  "ultra",
		},
		{
			name:   "a thinking level in capitals",
			answer: `{"model":{"context_window":9,"max_output_tokens":8,"thinking_budgets":{"High":4}}}`,
			fails:  "High",
		},
		{
			name:   "a thinking budget without a number",
			answer: `{"model":{"context_window":9,"max_output_tokens":8,"thinking_budgets":{"high":null}}}`,
			fails:  "high",
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, err := decodeModel([]byte(test.answer))
			if diff := cmp.Diff(got, test.want); diff != "" {
				t.Errorf("budget (-got +want):\n%s", diff)
			}
			switch {
			case test.fails == "" && err != nil:
				t.Errorf("got the error %v, want none", err)
			case test.fails != "" && (err == nil || !strings.Contains(err.Error(), test.fails)):
				t.Errorf("got the error %v, want one with %q", err, test.fails)
			}
		})
	}
}

// FuzzDecodeModel holds what callers rely on: no answer panics, an error comes
// without a budget, and levels are those that exist.
func FuzzDecodeModel(f *testing.F) {
	for _, seed := range []string{small, large, `null`, `{"model":null}`, `{"model":{"context_window":1e400,"max_output_tokens":8}}`,
		`{"model":{"context_window":9,"max_output_tokens":8,"thinking_budgets":{"high":4}},"effective_max_output_tokens":3}`} {
		f.Add([]byte(seed))
	}
	levels := map[string]bool{"minimal": true, "low": true, "medium": true, "high": true, "xhigh": true}
	f.Fuzz(func(t *testing.T, answer []byte) {
		b, err := decodeModel(answer)
		if err != nil && b != nil {
			t.Errorf("got a budget and the error %v", err)
		}
		if b == nil {
			return
		}
		for level := range b.Thinking {
			if !levels[level] {
				t.Errorf("got the level %q", level)
			}
		}
	})
}
