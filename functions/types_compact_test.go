package functions_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"context-manager/functions"
)

func TestCompactResponseWritesItsStatusFirst(t *testing.T) {
	t.Parallel()
	tail := uint(2)
	for _, tc := range []struct {
		name    string
		outcome functions.CompactOutcome
		want    string
	}{
		{"a summary with a tail", functions.CompactOK{Summary: "<b>", TailStartIndex: &tail, TokensBefore: 3, TokensAfter: 1, UsedPriorSummary: true, Estimator: functions.EstimatorHeuristic},
			`{"status":"ok","summary":"<b>","tail_start_index":2,"tokens_before":3,"tokens_after":1,"used_prior_summary":true,"estimator":"heuristic"}`},
		{"a summary of everything has a null tail", functions.CompactOK{},
			`{"status":"ok","summary":"","tail_start_index":null,"tokens_before":0,"tokens_after":0,"used_prior_summary":false}`},
		{"an outcome without members", functions.CompactBusy{}, `{"status":"busy"}`},
		{"an outcome with a reason", functions.CompactEmpty{Reason: functions.SkipNothingToCompact}, `{"status":"empty","reason":"nothing_to_compact"}`},
		{"a failure with a reason", functions.CompactOverflow{Reason: functions.SkipFailed}, `{"status":"overflow","reason":"failed"}`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			var got bytes.Buffer
			e := json.NewEncoder(&got)
			e.SetEscapeHTML(false)
			if err := e.Encode(functions.CompactResponse{Outcome: tc.outcome}); err != nil {
				t.Fatal(err)
			}
			if got.String() != tc.want+"\n" {
				t.Errorf("got  %swant %s", got.String(), tc.want)
			}
		})
	}
	if got, err := json.Marshal(functions.CompactResponse{}); err == nil {
		t.Errorf("got %s for a response without an outcome, want an error", got)
	}
}
