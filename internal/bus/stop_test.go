package bus_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"context-manager/internal/bus"

	"github.com/coder/websocket"
)

func TestStoppingAnswersEverythingAndCloses(t *testing.T) {
	t.Parallel()
	p := newPeer(t)
	began := make(chan string, 10)
	finish := make(chan struct{})
	handler := func(ctx context.Context, call *bus.Call, dst []byte) ([]byte, error) {
		began <- string(call.Data)
		<-ctx.Done()
		if cause := context.Cause(ctx); !errors.Is(cause, bus.ErrStopped) {
			t.Errorf("got cause %v, want ErrStopped", cause)
		}
		switch string(call.Data) {
		case `"ends"`:
			return nil, ctx.Err()
		case `"fails"`:
			return nil, codedError{"app/x", "app/x: own code"}
		}
		<-finish
		return append(dst, `"finished"`...), nil
	}
	r := p.start(bus.Options{MaxRunning: 3, DrainTimeout: time.Hour}, serving(bus.Function{ID: "a::f", Handler: handler}))
	c := p.accept().announced()
	for i, data := range []string{`"ends"`, `"fails"`, `"finishes"`} {
		c.invoke(uuid(i), "a::f", data)
		receive(t, began)
	}
	c.invoke(uuid(3), "a::f", `"waits"`)
	c.send(`{"type":"ping"}`)
	c.expect("pong")
	r.stop()

	got := map[string]string{}
	for range 3 {
		id, code, message := c.failure()
		got[id] = code
		if strings.HasPrefix(code, "context/") && !strings.HasPrefix(message, code+": ") {
			t.Errorf("got message %q, want it to start with %s", message, code)
		}
	}
	c.invoke(uuid(4), "a::f", `"late"`)
	id, code, _ := c.failure()
	got[id] = code
	close(finish)
	if f := c.answer(); string(f["result"]) != `"finished"` || f.str("invocation_id") != uuid(2) {
		t.Errorf("got %v, want the result of the handler that finished in time", f)
	}
	for i, want := range map[int]string{0: "context/stopping", 1: "app/x", 3: "context/stopping", 4: "context/stopping"} {
		if got[uuid(i)] != want {
			t.Errorf("call %d: got %s, want %s", i, got[uuid(i)], want)
		}
	}
	if got := websocket.CloseStatus(c.ended()); got != websocket.StatusNormalClosure {
		t.Errorf("got close status %d, want 1000", got)
	}
	if err := r.wait(t); err != nil {
		t.Errorf("got %v from Run, want nil", err)
	}
}

func TestAHandlerThatIgnoresItsContextIsAnsweredForAndNotWaitedFor(t *testing.T) {
	t.Parallel()
	p := newPeer(t)
	logs := &logBuffer{}
	began, finish, returned := make(chan struct{}), make(chan struct{}), make(chan struct{})
	r := p.start(bus.Options{DrainTimeout: 20 * time.Millisecond, Logger: slog.New(slog.NewTextHandler(logs, nil))}, serving(
		bus.Function{ID: "a::deaf", Handler: func(_ context.Context, call *bus.Call, dst []byte) ([]byte, error) {
			defer close(returned)
			close(began)
			<-finish
			return append(dst, call.Data...), nil
		}}))
	c := p.accept().announced()
	c.invoke(uuid(1), "a::deaf", "1")
	receive(t, began)
	r.stop()
	if id, code, _ := c.failure(); id != uuid(1) || code != "context/stopping" {
		t.Errorf("got %s for %s, want context/stopping", code, id)
	}
	if err := r.wait(t); err != nil {
		t.Errorf("got %v from Run, want nil", err)
	}
	logs.wait(t, "ignores the end of its context", "a::deaf")
	close(finish)
	receive(t, returned)
}

func TestStoppingDoesNotWaitForAnEngineThatDoesNotRead(t *testing.T) {
	t.Parallel()
	p := newPeer(t)
	p.mux.HandleFunc("/deaf/", acceptWithoutReading(p))
	deaf := *p
	deaf.url += "/deaf/"
	logs := &logBuffer{}
	finished := make(chan struct{}, 10)
	r := deaf.start(bus.Options{MaxRunning: 10, DrainTimeout: 300 * time.Millisecond, CloseTimeout: 20 * time.Millisecond, Logger: slog.New(slog.NewTextHandler(logs, nil))}, serving(
		bus.Function{ID: "a::big", Handler: func(_ context.Context, _ *bus.Call, dst []byte) ([]byte, error) {
			defer func() { finished <- struct{}{} }()
			return append(append(append(dst, '"'), strings.Repeat("x", 20<<20)...), '"'), nil
		}}))
	c := p.accept()
	for i := range 10 {
		c.invoke(uuid(i), "a::big", "1")
	}
	for range 10 { // all have returned; their answers fill what there is to fill
		receive(t, finished)
	}
	r.stop()
	if err := r.wait(t); err != nil {
		t.Errorf("got %v from Run, want nil", err)
	}
	if strings.Contains(logs.String(), "ignores the end of its context") {
		t.Errorf("handlers that have returned are blamed:\n%s", logs)
	}
}

func TestStoppingBetweenConnectionsWaitsForHandlers(t *testing.T) {
	t.Parallel()
	p := newPeer(t)
	h := newHold()
	began, finish := make(chan struct{}), make(chan struct{})
	var finished bool
	r := p.start(bus.Options{BackoffFirst: time.Hour, BackoffMax: time.Hour}, serving(
		bus.Function{ID: "a::hold", Handler: h.handle},
		bus.Function{ID: "a::slow", Handler: func(context.Context, *bus.Call, []byte) ([]byte, error) {
			close(began)
			<-finish
			finished = true // read after Run returned
			return nil, nil
		}}))
	c := p.accept()
	c.invoke(uuid(1), "a::slow", "1")
	receive(t, began)
	c.ws.CloseNow()
	r.stop()
	close(finish)
	if err := r.wait(t); err != nil || !finished {
		t.Errorf("got %v, finished %t, want Run to wait for the handler", err, finished)
	}
}

func TestAnEngineThatSendsWithoutReadingLosesTheConnection(t *testing.T) {
	t.Parallel()
	p := newPeer(t)
	logs := &logBuffer{}
	p.mux.HandleFunc("/deaf/", acceptWithoutReading(p))
	deaf := *p
	deaf.url += "/deaf/"
	deaf.start(bus.Options{Logger: slog.New(slog.NewTextHandler(logs, nil))})
	c := p.accept()
	id := strings.Repeat("x", 1<<20)
	for range 64 { // each refusal names the function twice
		if c.ws.Write(context.Background(), websocket.MessageText, []byte(`{"type":"invokefunction","invocation_id":"1","function_id":"`+id+`","data":1}`)) != nil {
			break
		}
	}
	logs.wait(t, "the engine does not read")
	p.accept()
}
