package bus_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"context-manager/internal/bus"

	"github.com/coder/websocket"
)

func TestALostConnectionFailsWhatWaitsForIt(t *testing.T) {
	t.Parallel()
	p := newPeer(t)
	r := p.start(bus.Options{})
	c := p.accept().announced()
	done := make(chan error, 1)
	go func() {
		_, err := r.Call(context.Background(), bus.Request{FunctionID: "b::f", Timeout: time.Hour})
		done <- err
	}()
	c.expect("invokefunction")
	c.ws.CloseNow()
	if err := receive(t, done); !errors.Is(err, bus.ErrDisconnected) || errorCode(err) != "invocation_stopped" {
		t.Errorf("got %v, want ErrDisconnected", err)
	}
}

func TestALostConnectionEndsHandlersAndTakesTheirAnswersAlong(t *testing.T) {
	t.Parallel()
	p := newPeer(t)
	causes := make(chan error, 1)
	letGo := make(chan struct{})
	began := make(chan struct{}, 10)
	p.start(bus.Options{MaxRunning: 1}, serving(
		bus.Function{ID: "a::stubborn", Handler: func(ctx context.Context, call *bus.Call, dst []byte) ([]byte, error) {
			began <- struct{}{}
			<-ctx.Done()
			causes <- context.Cause(ctx)
			<-letGo // and answers on a connection that is gone
			return append(dst, call.Data...), nil
		}},
		bus.Function{ID: "a::echo", Handler: echo},
	))
	first := p.accept()
	first.invoke(uuid(1), "a::stubborn", "1")
	receive(t, began)
	for i := range 10 { // these wait, and are lost with the connection
		first.invoke(uuid(2+i), "a::stubborn", "1")
	}
	first.send(`{"type":"ping"}`)
	first.expect("pong")
	first.ws.CloseNow()
	if cause := receive(t, causes); !errors.Is(cause, bus.ErrDisconnected) {
		t.Errorf("got cause %v, want ErrDisconnected", cause)
	}
	second := p.accept().announced()
	second.invoke(uuid(100), "a::echo", "2") // waits for the one place
	close(letGo)
	f := second.answer()
	if f.str("invocation_id") != uuid(100) {
		t.Errorf("got an answer to %s on the new connection, want only one to %s", f.str("invocation_id"), uuid(100))
	}
	if len(began) != 0 {
		t.Errorf("got %d calls of the lost connection begun, want none", len(began))
	}
}

func TestAMessageOverTheReadLimitCostsTheConnectionOnly(t *testing.T) {
	t.Parallel()
	p := newPeer(t)
	p.start(bus.Options{}, serving(bus.Function{ID: "a::echo", Handler: echo}))
	first := p.accept().announced()
	// Its error is that the worker closed meanwhile.
	first.ws.Write(context.Background(), websocket.MessageText, []byte(`{"data":"`+strings.Repeat("x", 70_000_000)+`"}`))
	if got := websocket.CloseStatus(first.ended()); got != websocket.StatusMessageTooBig {
		t.Errorf("got close status %d, want 1009", got)
	}
	second := p.accept()
	second.invoke(uuid(1), "a::echo", "7")
	if got := string(second.answer()["result"]); got != "7" {
		t.Errorf("got %s on the next connection, want 7", got)
	}
}

func TestAMessageOfExactlyTheReadLimitPasses(t *testing.T) {
	t.Parallel()
	p := newPeer(t)
	const size = 100_000
	p.start(bus.Options{ReadLimit: size}, serving(bus.Function{ID: "a::echo", Handler: echo}))
	c := p.accept().announced()
	head := fmt.Sprintf(`{"type":"invokefunction","invocation_id":%q,"function_id":"a::echo","data":"`, uuid(1))
	call := func(n int) string { return head + strings.Repeat("x", n-len(head)-2) + `"}` }
	c.send("%s", call(size))
	if got := len(c.answer()["result"]); got != size-len(head) {
		t.Errorf("got a result of %d bytes, want %d", got, size-len(head))
	}
	c.send("%s", call(size+1))
	if got := websocket.CloseStatus(c.ended()); got != websocket.StatusMessageTooBig {
		t.Errorf("got close status %d for one byte more, want 1009", got)
	}
	p.accept()
}

func TestSilenceIsTakenForALostConnection(t *testing.T) {
	t.Parallel()
	p := newPeer(t)
	logs := &logBuffer{}
	// The peer neither reads, and so does not answer pings, nor writes.
	p.mux.HandleFunc("/silent/", acceptWithoutReading(p))
	silent := *p
	silent.url += "/silent/"
	silent.start(bus.Options{PingInterval: 10 * time.Millisecond, SilenceLimit: 50 * time.Millisecond, Logger: slog.New(slog.NewTextHandler(logs, nil))})
	p.accept()
	logs.wait(t, "the engine has been silent for")
	p.accept() // and it tries again
}

func TestPingsKeepAnIdleConnection(t *testing.T) {
	t.Parallel()
	p := newPeer(t)
	pings := make(chan struct{}, 1000)
	p.mux.HandleFunc("/idle/", func(w http.ResponseWriter, r *http.Request) {
		ws, err := websocket.Accept(w, r, &websocket.AcceptOptions{OnPingReceived: func(context.Context, []byte) bool {
			pings <- struct{}{}
			return true
		}})
		if err != nil {
			return
		}
		defer ws.CloseNow()
		c := &peerConn{t: t, ws: ws, frames: make(chan frame, 10)}
		p.conns <- c
		c.read()
	})
	idle := *p
	idle.url += "/idle/"
	idle.start(bus.Options{PingInterval: 5 * time.Millisecond, SilenceLimit: 10 * time.Second})
	c := p.accept().announced()
	for range 5 {
		receive(t, pings)
	}
	c.send(`{"type":"ping"}`)
	if got := c.next().str("type"); got != "pong" {
		t.Errorf("got %s, want the same connection to answer with pong", got)
	}
}
