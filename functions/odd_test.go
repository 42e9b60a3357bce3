package functions_test

import (
	"context"
	"strings"
	"testing"

	"context-manager/functions"
	"context-manager/internal/agent/agenttest"
)

func TestOddRequests(t *testing.T) {
	t.Parallel()
	s := functions.New(functions.Options{})
	spec, _ := functions.Find("context::assemble")
	for _, odd := range agenttest.OddRequests() {
		t.Run(odd.Name, func(t *testing.T) {
			t.Parallel()
			raw, err := spec.Invoke(context.Background(), s, []byte(odd.Request), 0, nil)
			if odd.Want == "" {
				if err != nil || !strings.Contains(string(raw), odd.Holds) {
					t.Errorf("got %.300s, %v, want an answer with %s", raw, err, odd.Holds)
				}
				return
			}
			if err == nil || !strings.HasPrefix(err.Error(), "context/invalid_request: "+odd.Want) {
				t.Errorf("got %.300s, %v, want context/invalid_request: %s", raw, err, odd.Want)
			}
		})
	}
}
