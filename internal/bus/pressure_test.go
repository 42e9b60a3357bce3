package bus_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"context-manager/internal/bus"

	"github.com/coder/websocket"
)

func TestSendersWaitWhileTheEngineDoesNotRead(t *testing.T) {
	t.Parallel()
	p := newPeer(t)
	begin := make(chan struct{})
	p.mux.HandleFunc("/late/", func(w http.ResponseWriter, r *http.Request) {
		ws, err := websocket.Accept(w, r, nil)
		if err != nil {
			return
		}
		ws.SetReadLimit(-1)
		c := &peerConn{t: t, ws: ws, frames: make(chan frame, 100)}
		p.conns <- c
		<-begin
		c.read()
	})
	late := *p
	late.url += "/late/"
	r := late.start(bus.Options{})
	c := p.accept()
	if err := r.WaitConnected(context.Background()); err != nil {
		t.Fatal(err)
	}
	long := bus.Request{FunctionID: "b::f", Data: json.RawMessage(`"` + strings.Repeat("x", 17<<20) + `"`)}
	if err := r.Void(context.Background(), long); err != nil { // fits into the queue
		t.Fatal(err)
	}
	why := errors.New("enough")
	ctx, cancel := context.WithCancelCause(context.Background())
	time.AfterFunc(time.Millisecond, func() { cancel(why) })
	if err := r.Void(ctx, long); !errors.Is(err, why) {
		t.Errorf("got %v from a sender that waits for room, want the cause of its context's end", err)
	}
	done := make(chan error, 1)
	go func() { done <- r.Void(context.Background(), long) }()
	close(begin)
	if err := receive(t, done); err != nil {
		t.Errorf("got %v, want the sender to go on when the engine reads", err)
	}
	c.announced()
	for range 2 {
		if got := len(c.expect("invokefunction")["data"]); got != len(long.Data) {
			t.Errorf("got %d bytes, want %d", got, len(long.Data))
		}
	}
}

func TestALostConnectionFailsSendersThatWait(t *testing.T) {
	t.Parallel()
	p := newPeer(t)
	p.mux.HandleFunc("/deaf/", acceptWithoutReading(p))
	deaf := *p
	deaf.url += "/deaf/"
	r := deaf.start(bus.Options{BackoffFirst: time.Hour, BackoffMax: time.Hour})
	c := p.accept()
	if err := r.WaitConnected(context.Background()); err != nil {
		t.Fatal(err)
	}
	long := bus.Request{FunctionID: "b::f", Data: json.RawMessage(`"` + strings.Repeat("x", 17<<20) + `"`)}
	if err := r.Void(context.Background(), long); err != nil {
		t.Fatal(err)
	}
	time.AfterFunc(time.Millisecond, func() { c.ws.CloseNow() })
	if err := r.Void(context.Background(), long); !errors.Is(err, bus.ErrDisconnected) {
		t.Errorf("got %v, want ErrDisconnected", err)
	}
}

// A handler whose context ends while it waits for a place goes on without one,
// and the count of places survives that.
func TestAHandlerNeedsNoPlaceToGiveUp(t *testing.T) {
	t.Parallel()
	p := newPeer(t)
	var r *running
	ready, letGo, returned := make(chan struct{}), make(chan struct{}), make(chan struct{})
	began := make(chan struct{}, 10)
	var atOnce, most atomic.Int32
	r = p.start(bus.Options{MaxRunning: 1}, serving(
		bus.Function{ID: "a::asks", Handler: func(ctx context.Context, _ *bus.Call, dst []byte) ([]byte, error) {
			<-ready
			defer close(returned)
			_, err := r.Call(ctx, bus.Request{FunctionID: "b::slow"})
			return dst, err
		}},
		bus.Function{ID: "a::stubborn", Handler: func(_ context.Context, _ *bus.Call, dst []byte) ([]byte, error) {
			began <- struct{}{}
			<-letGo
			return dst, nil
		}},
		bus.Function{ID: "a::counts", Handler: func(_ context.Context, _ *bus.Call, dst []byte) ([]byte, error) {
			n := atOnce.Add(1)
			defer atOnce.Add(-1)
			for old := most.Load(); n > old && !most.CompareAndSwap(old, n); old = most.Load() {
			}
			return dst, nil
		}},
	))
	close(ready)
	first := p.accept().announced()
	first.invoke(uuid(1), "a::asks", "1")
	id := first.expect("invokefunction").str("invocation_id")
	first.invoke(uuid(2), "a::stubborn", "1") // takes the place
	receive(t, began)
	first.send(`{"type":"invocationresult","invocation_id":%q,"function_id":"b::slow"}`, id)
	first.send(`{"type":"ping"}`)
	first.expect("pong")
	select {
	case <-returned:
		t.Error("the handler went on although another one has the place")
	default:
	}
	first.ws.CloseNow()
	receive(t, returned)
	close(letGo)
	second := p.accept()
	for i := range 50 {
		second.invoke(uuid(100+i), "a::counts", "1")
	}
	for range 50 {
		second.answer()
	}
	if most.Load() != 1 {
		t.Errorf("got %d handlers at once, want 1", most.Load())
	}
}

// A handler that leaves a waiting goroutine behind gives its place back once.
func TestAWaitThatOutlivesItsHandler(t *testing.T) {
	t.Parallel()
	p := newPeer(t)
	var r *running
	ready := make(chan struct{})
	ends := make(chan error, 100)
	h := newHold()
	r = p.start(bus.Options{MaxRunning: 2}, serving(
		bus.Function{ID: "a::leaves", Handler: func(ctx context.Context, _ *bus.Call, dst []byte) ([]byte, error) {
			<-ready
			go func() {
				_, err := r.Call(ctx, bus.Request{FunctionID: "b::slow"})
				ends <- err
			}()
			return dst, nil
		}},
		bus.Function{ID: "a::hold", Handler: h.handle},
	))
	close(ready)
	c := p.accept()
	for i := range 50 {
		c.invoke(uuid(i), "a::leaves", "1")
	}
	for range 50 {
		c.answer()
		if err := receive(t, ends); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v, want the wait to end with its handler", err)
		}
	}
	for i := range 5 {
		c.invoke(uuid(100+i), "a::hold", "1")
	}
	receive(t, h.began)
	receive(t, h.began)
	c.send(`{"type":"ping"}`)
	c.expect("pong")
	if got := len(h.began); got != 0 {
		t.Errorf("got %d handlers beyond the two places", got)
	}
	close(h.letGo)
	for range 5 {
		c.answer()
	}
}
