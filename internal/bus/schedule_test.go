package bus_test

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"context-manager/internal/bus"
)

func TestTheCallBeyondTheWaitingOnesIsTurnedAwayAtOnce(t *testing.T) {
	t.Parallel()
	p := newPeer(t)
	h := newHold()
	notice := make(chan struct{}, 1)
	p.start(bus.Options{MaxRunning: 4}, serving(
		bus.Function{ID: "a::hold", Handler: h.handle},
		bus.Function{ID: "a::notice", Bypass: true, Handler: func(_ context.Context, _ *bus.Call, dst []byte) ([]byte, error) {
			notice <- struct{}{}
			return dst, nil
		}},
	))
	c := p.accept()
	for i := range 4 + 1024 {
		c.invoke(uuid(i), "a::hold", "1")
	}
	c.invoke(uuid(5000), "a::hold", "1")
	id, code, message := c.failure()
	if id != uuid(5000) || code != "context/overloaded" || !strings.HasPrefix(message, "context/overloaded: ") {
		t.Errorf("got %s %s %q as first answer, want the 1,025th waiting call turned away with context/overloaded", id, code, message)
	}
	c.invoke(uuid(5001), "a::notice", "1")
	receive(t, notice)
	if got := c.answer().str("invocation_id"); got != uuid(5001) {
		t.Errorf("got answer to %s, want one to the function that bypasses the queue", got)
	}
	if got := len(h.began); got != 4 {
		t.Errorf("got %d handlers at once, want 4", got)
	}
	close(h.letGo)
	seen := map[string]bool{}
	for range 4 + 1024 {
		f := c.answer()
		if string(f["result"]) != "true" {
			t.Errorf("got %v, want every accepted call answered", f)
		}
		seen[f.str("invocation_id")] = true
	}
	if len(seen) != 4+1024 {
		t.Errorf("got %d distinct answers, want %d", len(seen), 4+1024)
	}
}

func TestWaitingBytesAreBounded(t *testing.T) {
	t.Parallel()
	p := newPeer(t)
	h := newHold()
	p.start(bus.Options{MaxRunning: 1, MaxWaitingBytes: 10_000}, serving(bus.Function{ID: "a::hold", Handler: h.handle}))
	c := p.accept()
	long := `"` + strings.Repeat("x", 6000) + `"`
	c.invoke(uuid(1), "a::hold", "1")
	receive(t, h.began)
	c.invoke(uuid(2), "a::hold", long)
	c.invoke(uuid(3), "a::hold", long)
	if id, code, _ := c.failure(); id != uuid(3) || code != "context/overloaded" {
		t.Errorf("got %s for %s, want context/overloaded for %s", code, id, uuid(3))
	}
	c.invoke(uuid(4), "a::hold", "1")
	close(h.letGo)
	for _, want := range []string{uuid(1), uuid(2), uuid(4)} {
		if got := c.answer().str("invocation_id"); got != want {
			t.Errorf("got answer to %s, want %s, in order of arrival", got, want)
		}
	}
	c.invoke(uuid(5), "a::hold", long) // what waited is no longer counted
	if got := c.answer().str("invocation_id"); got != uuid(5) {
		t.Errorf("got answer to %s, want %s", got, uuid(5))
	}
}

func TestHandlersThatWaitOnTheBusStopNobody(t *testing.T) {
	t.Parallel()
	p := newPeer(t)
	var r *running
	ready := make(chan struct{})
	var atWork, most atomic.Int32
	r = p.start(bus.Options{MaxRunning: 4}, serving(
		bus.Function{ID: "a::asks", Handler: func(ctx context.Context, call *bus.Call, dst []byte) ([]byte, error) {
			<-ready
			result, err := r.Call(ctx, bus.Request{FunctionID: "b::slow", Data: call.Data})
			n := atWork.Add(1)
			for old := most.Load(); n > old && !most.CompareAndSwap(old, n); old = most.Load() {
			}
			defer atWork.Add(-1)
			return append(dst, result...), err
		}},
		bus.Function{ID: "a::echo", Handler: echo},
	))
	close(ready)
	c := p.accept().announced()
	const waiting = 64
	for i := range waiting {
		c.invoke(uuid(i), "a::asks", fmt.Sprint(i))
	}
	asked := map[string]string{}
	for range waiting {
		f := c.expect("invokefunction")
		asked[string(f["data"])] = f.str("invocation_id")
	}
	c.invoke(uuid(1000), "a::echo", `"still here"`)
	if got := string(c.answer()["result"]); got != `"still here"` {
		t.Errorf("got %s while 64 handlers wait, want an answer", got)
	}
	for data, id := range asked {
		c.send(`{"type":"invocationresult","invocation_id":%q,"function_id":"b::slow","result":%s}`, id, data)
	}
	for range waiting {
		f := c.answer()
		if want := f.str("invocation_id"); uuid(atoi(string(f["result"]))) != want {
			t.Errorf("got result %s for %s, want each handler its own answer", f["result"], want)
		}
	}
	if most.Load() > 4 {
		t.Errorf("got %d handlers at work at once after their waits, want at most 4", most.Load())
	}
}

func atoi(s string) (n int) {
	fmt.Sscan(s, &n)
	return n
}

func TestAHandlerWithSeveralWaitsHoldsItsPlaceOnce(t *testing.T) {
	t.Parallel()
	p := newPeer(t)
	var r *running
	ready := make(chan struct{})
	r = p.start(bus.Options{MaxRunning: 1}, serving(
		bus.Function{ID: "a::forks", Handler: func(ctx context.Context, _ *bus.Call, dst []byte) ([]byte, error) {
			<-ready
			done := make(chan error, 3)
			for range 3 {
				go func() {
					_, err := r.Call(ctx, bus.Request{FunctionID: "b::f"})
					done <- err
				}()
			}
			for range 3 {
				if err := <-done; err != nil {
					return nil, err
				}
			}
			return dst, nil
		}},
		bus.Function{ID: "a::echo", Handler: echo},
	))
	close(ready)
	c := p.accept().announced()
	for round := range 3 {
		c.invoke(uuid(round), "a::forks", "1")
		var asked []string
		for range 3 {
			asked = append(asked, c.expect("invokefunction").str("invocation_id"))
		}
		c.invoke(uuid(100+round), "a::echo", "1")
		if got := c.answer().str("invocation_id"); got != uuid(100+round) {
			t.Errorf("got answer to %s, want the place to be free during the waits", got)
		}
		for _, id := range asked {
			c.send(`{"type":"invocationresult","invocation_id":%q,"function_id":"b::f"}`, id)
		}
		if got := c.answer(); got["error"] != nil || got.str("invocation_id") != uuid(round) {
			t.Errorf("got %v, want the answer to %s", got, uuid(round))
		}
	}
}

// Calls without a place are bounded where they come in, so that every handler
// can give its place away: each goes on when its own answer comes, whatever the
// others wait for.
func TestParkedHandlersAreBounded(t *testing.T) {
	t.Parallel()
	p := newPeer(t)
	var r *running
	ready := make(chan struct{})
	r = p.start(bus.Options{MaxRunning: 1, MaxWaiting: 3}, serving(bus.Function{ID: "a::asks", Handler: func(ctx context.Context, _ *bus.Call, dst []byte) ([]byte, error) {
		<-ready
		if _, err := r.Call(ctx, bus.Request{FunctionID: "b::first"}); err != nil {
			return nil, err
		}
		_, err := r.Call(ctx, bus.Request{FunctionID: "b::second"})
		return dst, err
	}}))
	close(ready)
	c := p.accept().announced()
	ask := func(function string) (asked []string) {
		for range 4 {
			f := c.expect("invokefunction")
			if f.str("function_id") != function {
				t.Errorf("asked %s, want %s of every handler first", f.str("function_id"), function)
			}
			asked = append(asked, f.str("invocation_id"))
		}
		return asked
	}
	answer := func(id string) {
		c.send(`{"type":"invocationresult","invocation_id":%q,"function_id":"b::f","result":null}`, id)
	}
	for i := range 4 {
		c.invoke(uuid(i), "a::asks", "1")
	}
	asked := ask("b::first")
	c.invoke(uuid(4), "a::asks", "1")
	if id, code, _ := c.failure(); id != uuid(4) || code != "context/overloaded" {
		t.Errorf("got %s for %s, want context/overloaded for the fifth call", code, id)
	}
	for _, id := range asked {
		answer(id)
	}
	for _, id := range ask("b::second") {
		answer(id)
	}
	for range 4 {
		if f := c.answer(); f["error"] != nil {
			t.Errorf("got %v, want an answer", f)
		}
	}
	c.invoke(uuid(5), "a::asks", "1")
	if got := c.expect("invokefunction").str("function_id"); got != "b::first" {
		t.Errorf("asked %s, want the next call taken", got)
	}
}

// A handler whose answer has come and that has no place yet still counts.
func TestResumingBytesAreBounded(t *testing.T) {
	t.Parallel()
	p := newPeer(t)
	h := newHold()
	var r *running
	ready, back := make(chan struct{}), make(chan struct{}, 1)
	r = p.start(bus.Options{MaxRunning: 1, MaxWaitingBytes: 10_000}, serving(
		bus.Function{ID: "a::hold", Handler: h.handle},
		bus.Function{ID: "a::asks", Handler: func(ctx context.Context, _ *bus.Call, dst []byte) ([]byte, error) {
			<-ready
			_, err := r.Call(ctx, bus.Request{FunctionID: "b::slow"})
			back <- struct{}{}
			return dst, err
		}}))
	close(ready)
	c := p.accept().announced()
	long := `"` + strings.Repeat("x", 6000) + `"`
	c.invoke(uuid(1), "a::asks", long)
	asked := c.expect("invokefunction").str("invocation_id")
	c.invoke(uuid(2), "a::hold", "1")
	receive(t, h.began)
	c.send(`{"type":"invocationresult","invocation_id":%q,"function_id":"b::slow"}`, asked)
	for range 50 { // the answer is read before these; the handler goes on meanwhile
		c.send(`{"type":"ping"}`)
		c.expect("pong")
	}
	c.invoke(uuid(3), "a::hold", long)
	if id, code, _ := c.failure(); id != uuid(3) || code != "context/overloaded" {
		t.Errorf("got %s for %s, want context/overloaded", code, id)
	}
	close(h.letGo)
	for _, want := range []string{uuid(2), uuid(1)} {
		if got := c.answer().str("invocation_id"); got != want {
			t.Errorf("got answer to %s, want %s", got, want)
		}
	}
	receive(t, back)
	c.invoke(uuid(4), "a::hold", long)
	if got := c.answer(); got["error"] != nil {
		t.Errorf("got %v, want what waited no longer counted", got)
	}
}

// The bytes of handlers that wait on the bus count as those of waiting calls.
func TestParkedBytesAreBounded(t *testing.T) {
	t.Parallel()
	p := newPeer(t)
	var r *running
	ready := make(chan struct{})
	r = p.start(bus.Options{MaxRunning: 2, MaxWaitingBytes: 10_000}, serving(bus.Function{ID: "a::asks", Handler: func(ctx context.Context, _ *bus.Call, dst []byte) ([]byte, error) {
		<-ready
		_, err := r.Call(ctx, bus.Request{FunctionID: "b::slow"})
		return dst, err
	}}))
	close(ready)
	c := p.accept().announced()
	long := `"` + strings.Repeat("x", 6000) + `"`
	c.invoke(uuid(1), "a::asks", long)
	asked := c.expect("invokefunction").str("invocation_id")
	c.invoke(uuid(2), "a::asks", long)
	if id, code, _ := c.failure(); id != uuid(2) || code != "context/overloaded" {
		t.Errorf("got %s for %s, want context/overloaded", code, id)
	}
	c.send(`{"type":"invocationresult","invocation_id":%q,"function_id":"b::slow"}`, asked)
	c.answer()
	c.invoke(uuid(3), "a::asks", long)
	c.expect("invokefunction")
}
