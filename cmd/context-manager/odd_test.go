package main

import (
	"encoding/json"
	"strings"
	"testing"

	"context-manager/internal/agent/agenttest"
)

func TestCallTreatsOddRequestsLikeTheFunctionsDo(t *testing.T) {
	t.Parallel()
	for _, odd := range agenttest.OddRequests() {
		t.Run(odd.Name, func(t *testing.T) {
			t.Parallel()
			got := play(t, odd.Request, nil, "call", "assemble")
			if odd.Want != "" {
				if got.code != 1 || got.stdout != "" || !strings.HasPrefix(got.stderr, "context/invalid_request: "+odd.Want) {
					t.Errorf("got %.400v, want exit code 1 and %s", got, odd.Want)
				}
				return
			}
			// What is printed for people is indented; the values stay.
			flat := strings.Join(strings.Fields(got.stdout), "")
			if got.code != 0 || !json.Valid([]byte(got.stdout)) || !strings.Contains(flat, strings.ReplaceAll(odd.Holds, " ", "")) {
				t.Errorf("got %.400v, want exit code 0 and %s", got, odd.Holds)
			}
		})
	}
}
