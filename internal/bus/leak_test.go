package bus_test

import (
	"context"
	"os"
	"runtime"
	"testing"

	"context-manager/internal/bus"
)

// TestNothingIsLeftBehind is not parallel: it counts the goroutines and files of
// the process before the other tests start theirs.
func TestNothingIsLeftBehind(t *testing.T) {
	p := newPeer(t)
	round := func() {
		r := p.start(bus.Options{}, serving(bus.Function{ID: "a::echo", Handler: echo}), func(c *bus.Client) {
			c.OnConnect(func(ctx context.Context) { <-ctx.Done() })
			c.RegisterTriggerType(bus.TriggerType{ID: "a::ev"})
		})
		for range 5 {
			c := p.accept()
			for i := range 20 {
				c.invoke(uuid(i), "a::echo", "1")
			}
			for range 20 {
				c.answer()
			}
			c.ws.CloseNow()
		}
		c := p.accept().announced()
		r.stop()
		if err := r.wait(t); err != nil {
			t.Errorf("got %v from Run, want nil", err)
		}
		c.ended()
	}
	round()
	goroutines, files := runtime.NumGoroutine(), openFiles(t)
	for range 3 {
		round()
	}
	for range 1000 { // the server's goroutines end on their own time
		if runtime.NumGoroutine() <= goroutines+2 {
			break
		}
		runtime.Gosched()
	}
	if got := runtime.NumGoroutine(); got > goroutines+2 {
		t.Errorf("got %d goroutines after three more rounds, want %d as after the first", got, goroutines)
	}
	if got := openFiles(t); got > files+2 {
		t.Errorf("got %d open files after three more rounds, want %d as after the first", got, files)
	}
}

func openFiles(t *testing.T) int {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return 0 // only Linux tells
	}
	return len(entries)
}
