package worker

import (
	"context"
	"strings"
	"testing"

	"context-manager/internal/agent/agenttest"
	"context-manager/internal/bus"
	"context-manager/internal/devengine"
)

// The requests that an engine passes on as they are end the same way over the
// socket. The others it drops or spells anew before a worker sees them.
func TestOddRequestsOverTheSocket(t *testing.T) {
	t.Parallel()
	r := newRig(t, startEngine(t, devengine.Options{}), Options{})
	passed := 0
	for _, odd := range agenttest.OddRequests() {
		if odd.Dropped {
			continue
		}
		passed++
		raw, err := r.caller.Call(context.Background(), bus.Request{FunctionID: "context::assemble", Data: []byte(odd.Request), Timeout: patience})
		if odd.Want == "" {
			if err != nil || !strings.Contains(string(raw), odd.Holds) {
				t.Errorf("%s: got %.300s, %v, want an answer with %s", odd.Name, raw, err, odd.Holds)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), "context/invalid_request: "+odd.Want) {
			t.Errorf("%s: got %.300s, %v, want context/invalid_request: %s", odd.Name, raw, err, odd.Want)
		}
	}
	if passed < 15 {
		t.Errorf("%d requests went through, want most of them", passed)
	}
}
