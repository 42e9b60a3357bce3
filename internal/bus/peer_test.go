package bus_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"context-manager/internal/bus"

	"github.com/coder/websocket"
)

// limit bounds every wait of these tests; reaching it is a failure.
const limit = 2 * time.Minute

// peer stands in for the engine: it accepts sockets and does what the test says.
type peer struct {
	t     *testing.T
	url   string
	mux   *http.ServeMux
	conns chan *peerConn
	ended chan struct{} // closed before the server is
}

// peerConn is one connection of a worker, seen from the engine's side.
type peerConn struct {
	t      testing.TB
	ws     *websocket.Conn
	frames chan frame // everything received, in order; closed at the end
	mu     sync.Mutex
	end    error
}

type frame map[string]json.RawMessage

func (f frame) str(key string) string {
	var s string
	json.Unmarshal(f[key], &s)
	return s
}

func newPeer(t *testing.T) *peer {
	t.Helper()
	p := &peer{t: t, mux: http.NewServeMux(), conns: make(chan *peerConn, 100), ended: make(chan struct{})}
	server := httptest.NewServer(p.mux)
	t.Cleanup(func() {
		close(p.ended)
		server.Close()
	})
	p.url = "ws" + strings.TrimPrefix(server.URL, "http")
	p.mux.HandleFunc("/{$}", func(w http.ResponseWriter, r *http.Request) {
		ws, err := websocket.Accept(w, r, nil)
		if err != nil {
			return
		}
		ws.SetReadLimit(-1)
		c := &peerConn{t: t, ws: ws, frames: make(chan frame, 10000)}
		p.conns <- c
		c.read()
	})
	return p
}

func (c *peerConn) read() {
	defer close(c.frames)
	defer c.ws.CloseNow()
	for {
		_, b, err := c.ws.Read(context.Background())
		if err != nil {
			c.mu.Lock()
			c.end = err
			c.mu.Unlock()
			return
		}
		var f frame
		if err := json.Unmarshal(b, &f); err != nil {
			c.t.Errorf("worker sent what is not an object: %v", err)
			return
		}
		c.frames <- f
	}
}

// acceptWithoutReading is an engine whose read loop hangs.
func acceptWithoutReading(p *peer) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		ws, err := websocket.Accept(w, r, nil)
		if err != nil {
			return
		}
		defer ws.CloseNow()
		p.conns <- &peerConn{t: p.t, ws: ws}
		<-p.ended
	}
}

// accept waits for the next connection.
func (p *peer) accept() *peerConn {
	p.t.Helper()
	select {
	case c := <-p.conns:
		return c
	case <-time.After(limit):
		p.t.Fatal("the worker did not connect")
		return nil
	}
}

// next returns the next frame, whatever it is.
func (c *peerConn) next() frame {
	c.t.Helper()
	select {
	case f, ok := <-c.frames:
		if !ok {
			c.t.Fatalf("connection ended (%v) instead of a frame", c.reason())
		}
		return f
	case <-time.After(limit):
		c.t.Fatal("no frame came")
	}
	return nil
}

// expect skips to the next frame of a type.
func (c *peerConn) expect(kind string) frame {
	c.t.Helper()
	for {
		if f := c.next(); f.str("type") == kind {
			return f
		}
	}
}

// announced skips the frame in which the worker introduces itself, which is the
// last of a connection without registrations.
func (c *peerConn) announced() *peerConn {
	c.t.Helper()
	for c.expect("invokefunction").str("function_id") != "engine::workers::register" {
	}
	return c
}

func (c *peerConn) send(text string, args ...any) {
	c.t.Helper()
	if len(args) > 0 {
		text = fmt.Sprintf(text, args...)
	}
	if err := c.ws.Write(context.Background(), websocket.MessageText, []byte(text)); err != nil {
		c.t.Errorf("sending to the worker: %v", err)
	}
}

// invoke sends a call.
func (c *peerConn) invoke(id, function, data string) {
	c.t.Helper()
	c.send(`{"type":"invokefunction","invocation_id":%q,"function_id":%q,"data":%s}`, id, function, data)
}

// answer returns the next answer.
func (c *peerConn) answer() frame {
	c.t.Helper()
	return c.expect("invocationresult")
}

// failure returns code and message of the next answer, which must be an error.
func (c *peerConn) failure() (id, code, message string) {
	c.t.Helper()
	f := c.answer()
	var e struct{ Code, Message string }
	if err := json.Unmarshal(f["error"], &e); err != nil {
		c.t.Fatalf("got answer %s, want an error", f["result"])
	}
	return f.str("invocation_id"), e.Code, e.Message
}

// ended waits for the end of the connection and returns why.
func (c *peerConn) ended() error {
	c.t.Helper()
	timeout := time.After(limit)
	for {
		select {
		case _, ok := <-c.frames:
			if !ok {
				return c.reason()
			}
		case <-timeout:
			c.t.Fatal("the connection did not end")
		}
	}
}

func (c *peerConn) reason() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.end
}

// running is a client whose Run is under way.
type running struct {
	*bus.Client
	stop context.CancelFunc
	done chan error
}

// start runs a client against the peer with short pauses; the test waits for its
// end.
func (p *peer) start(o bus.Options, prepare ...func(*bus.Client)) *running {
	p.t.Helper()
	o.URL = p.url
	if o.Worker.Name == "" {
		o.Worker.Name = "w"
	}
	if o.BackoffFirst == 0 {
		o.BackoffFirst = time.Millisecond
	}
	client := bus.New(o)
	for _, f := range prepare {
		f(client)
	}
	ctx, cancel := context.WithCancel(context.Background())
	r := &running{Client: client, stop: cancel, done: make(chan error, 1)}
	go func() { r.done <- client.Run(ctx) }()
	p.t.Cleanup(func() {
		cancel()
		if _, ok := <-r.done; ok {
			close(r.done)
		}
	})
	return r
}

// wait returns what Run returned.
func (r *running) wait(t *testing.T) error {
	t.Helper()
	select {
	case err := <-r.done:
		close(r.done)
		return err
	case <-time.After(limit):
		t.Fatal("Run did not return")
		return nil
	}
}

func echo(_ context.Context, call *bus.Call, dst []byte) ([]byte, error) {
	return append(dst, call.Data...), nil
}

func serving(functions ...bus.Function) func(*bus.Client) {
	return func(c *bus.Client) { c.RegisterFunction(functions...) }
}

// hold is a handler that waits until it is let go or its context ends.
type hold struct {
	began, letGo chan struct{}
}

func newHold() *hold {
	return &hold{began: make(chan struct{}, 10000), letGo: make(chan struct{})}
}

func (h *hold) handle(ctx context.Context, _ *bus.Call, dst []byte) ([]byte, error) {
	h.began <- struct{}{}
	select {
	case <-h.letGo:
		return append(dst, "true"...), nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

func receive[T any](t *testing.T, c <-chan T) T {
	t.Helper()
	select {
	case v := <-c:
		return v
	case <-time.After(limit):
		t.Fatal("nothing came in time")
		panic("unreachable")
	}
}

func errorCode(err error) string {
	var c interface{ ErrorCode() string }
	if errors.As(err, &c) {
		return c.ErrorCode()
	}
	return ""
}

func uuid(n int) string { return fmt.Sprintf("00000000-0000-4000-8000-%012d", n) }

func decode(t *testing.T, raw []byte) (v map[string]any) {
	t.Helper()
	if err := json.Unmarshal(raw, &v); err != nil {
		t.Fatalf("got %s: %v, want an object", raw, err)
	}
	return v
}
