package devengine_test

import (
	"bytes"
	"errors"
	"os"
	"testing"
	"time"

	"github.com/coder/websocket"

	"context-manager/internal/devengine"
)

func TestDisconnect(t *testing.T) {
	t.Parallel()
	e := start(t, devengine.Options{})
	a, b := connect(t, e, "a"), connect(t, e, "b")
	b.send(`{"type":"registerfunction","id":"b::f"}`)
	b.settle()
	id := a.ask("b::f", `{}`)
	b.want(`{"type":"invokefunction","$more":true}`)
	if n := e.InFlight(); n != 1 {
		t.Errorf("InFlight: got %d, want 1", n)
	}
	if n := e.Disconnect("b"); n != 1 {
		t.Errorf("got %d connections, want 1", n)
	}
	b.gone()
	a.failure(id, "invocation_stopped")
	// It has been cleaned up when Disconnect returns.
	connect(t, e, "b")
	if n := e.Disconnect("nobody"); n != 0 {
		t.Errorf("nobody: got %d connections, want 0", n)
	}
	if n := e.Disconnect(""); n != 2 {
		t.Errorf("all: got %d connections, want 2", n)
	}
	a.gone()
	if n := e.InFlight(); n != 0 {
		t.Errorf("InFlight: got %d, want 0", n)
	}
}

func TestStall(t *testing.T) {
	t.Parallel()
	e := start(t, devengine.Options{})
	a, b := connect(t, e, "a"), connect(t, e, "b")
	b.send(`{"type":"registerfunction","id":"b::f"}`)
	b.settle()
	resume := e.Stall("b")
	b.send(`{"type":"ping"}`)
	for range 200 { // more than the engine queues before it holds back pongs
		a.ask("b::f", `{"n":1}`)
	}
	a.settle() // the caller is not held up
	if got := b.waiting(); got != "" {
		t.Errorf("stalled: got %s, want nothing", got)
	}
	resume()
	resume()
	b.want(`{"type":"pong"}`)
	for range 200 {
		b.serve("b::f", `2`)
	}
	for range 200 {
		a.want(`{"type":"invocationresult","result":2,"$more":true}`)
	}
	e.Stall("b")
	e.Disconnect("b") // ends a stall too
	b.gone()
}

func TestDelayAndDrop(t *testing.T) {
	t.Parallel()
	e := start(t, devengine.Options{})
	a := connect(t, e, "a")
	e.Drop("engine::workers::list", 2)
	a.ask("engine::workers::list", `{}`)
	a.ask("engine::workers::list", `{}`)
	a.none()
	a.call("engine::workers::list", `{}`, `"$object"`)

	e.Delay("engine::workers::list", time.Hour)
	a.ask("engine::workers::list", `{}`)
	a.none()
	e.Delay("engine::workers::list", time.Millisecond)
	a.call("engine::workers::list", `{}`, `"$object"`)
	e.Delay("engine::workers::list", 0)
	a.call("engine::workers::list", `{}`, `"$object"`)
}

func TestDelayedCallOfOneWhoLeft(t *testing.T) {
	t.Parallel()
	e := start(t, devengine.Options{})
	a, b := connect(t, e, "a"), connect(t, e, "b")
	b.send(`{"type":"registerfunction","id":"b::f"}`)
	b.settle()
	e.Delay("b::f", time.Hour)
	a.ask("b::f", `{"n":1}`)
	a.settle()
	e.Disconnect("a")
	b.ask("b::f", `{"n":2}`)
	b.settle()
	e.HurryTimers()
	b.want(`{"type":"invokefunction","data":{"n":2,"$more":true},"$more":true}`)
	b.none()
}

// TestCloseWithAPeerThatDoesNotRead: the engine waits for such a peer to make
// room for pongs, and must not wait for it when it ends.
func TestCloseWithAPeerThatDoesNotRead(t *testing.T) {
	t.Parallel()
	e := start(t, devengine.Options{})
	ws, tcp, _, err := dial(e.URL(), websocket.DialOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer ws.CloseNow()
	ping := append(header(pingFrame, 125), make([]byte, 125)...)
	batch := bytes.Repeat(ping, 500)
	// Until what it sends does not fit into the sockets any more.
	for range 1000 {
		if err := tcp.SetWriteDeadline(time.Now().Add(time.Second)); err != nil {
			t.Fatal(err)
		}
		if _, err = tcp.Write(batch); err != nil {
			break
		}
	}
	if !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Fatalf("got %v, want the engine to stop reading", err)
	}
	done := make(chan error, 1)
	go func() { done <- e.Close() }()
	select {
	case <-done:
	case <-time.After(patience):
		t.Fatal("the engine does not end")
	}
}
