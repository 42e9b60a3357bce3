package worker

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"

	"context-manager/functions"
	"context-manager/internal/agent/agenttest"
	"context-manager/internal/bus"
)

// The pair below shows what the worker adds to moving the bytes: the same
// request over the same kind of socket, once through the bus client and
// context::assemble, which changes nothing, and once echoed as it is. There is
// no engine between.

// BenchmarkAssembleOverSocket is a pass-through assemble asked by a bare peer.
func BenchmarkAssembleOverSocket(b *testing.B) {
	for _, h := range []struct {
		name            string
		messages, bytes int
	}{{"7KB", 12, 7 << 10}, {"100KB", 50, 100 << 10}, {"2MB", 1000, 2 << 20}, {"20MB", 10000, 20 << 20}} {
		request := fmt.Appendf(nil, `{"messages":%s,"model":{"id":"bench","limits":{"context_window":1000000000,"max_output_tokens":0}}}`,
			agenttest.History(1, h.messages, h.bytes))
		frame := fmt.Appendf(nil, `{"type":"invokefunction","invocation_id":"11111111-2222-4333-8444-555555555555","function_id":"context::assemble","data":%s}`, request)
		b.Run("assemble/"+h.name, func(b *testing.B) {
			p := newBarePeer(b)
			p.serveAssemble(b)
			p.measure(b, frame)
		})
		b.Run("echo/"+h.name, func(b *testing.B) {
			p := newBarePeer(b)
			p.serveEcho(b)
			p.measure(b, frame)
		})
	}
}

// barePeer stands where an engine would and does nothing of what one does.
type barePeer struct {
	url  string
	conn chan *websocket.Conn
	buf  bytes.Buffer
}

func newBarePeer(b *testing.B) *barePeer {
	p := &barePeer{conn: make(chan *websocket.Conn, 1)}
	over := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c, err := websocket.Accept(w, r, nil)
		if err != nil {
			return
		}
		c.SetReadLimit(128 << 20)
		p.conn <- c
		<-over
		_ = c.CloseNow()
	}))
	b.Cleanup(func() { close(over); server.Close() })
	p.url = "ws" + strings.TrimPrefix(server.URL, "http")
	return p
}

func (p *barePeer) serveAssemble(b *testing.B) {
	client := bus.New(bus.Options{URL: p.url, Worker: bus.WorkerInfo{Name: "bench"}})
	s := functions.New(functions.Options{})
	spec, _ := functions.Find("context::assemble")
	client.RegisterFunction(bus.Function{ID: spec.ID, Handler: func(ctx context.Context, call *bus.Call, dst []byte) ([]byte, error) {
		return spec.Invoke(ctx, s, call.Data, call.Depth, dst)
	}})
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { _ = client.Run(ctx) })
	b.Cleanup(func() { cancel(); running.Wait() })
}

func (p *barePeer) serveEcho(b *testing.B) {
	ctx, cancel := context.WithCancel(context.Background())
	c, _, err := websocket.Dial(ctx, p.url, nil)
	if err != nil {
		b.Fatal(err)
	}
	c.SetReadLimit(128 << 20)
	var running sync.WaitGroup
	running.Go(func() {
		var buf bytes.Buffer
		for {
			_, r, err := c.Reader(ctx)
			if err != nil {
				return
			}
			buf.Reset()
			if _, err := buf.ReadFrom(r); err != nil {
				return
			}
			if err := c.Write(ctx, websocket.MessageText, buf.Bytes()); err != nil {
				return
			}
		}
	})
	b.Cleanup(func() { cancel(); running.Wait() })
}

// measure sends the frame and waits for its answer, b.N times; other frames are
// registrations. An answer is shorter than its request where the history has
// custom messages, so it is told by its first bytes.
func (p *barePeer) measure(b *testing.B, frame []byte) {
	ctx := context.Background()
	c := <-p.conn
	b.SetBytes(int64(len(frame)))
	var took []time.Duration
	for b.Loop() {
		began := time.Now()
		if err := c.Write(ctx, websocket.MessageText, frame); err != nil {
			b.Fatal(err)
		}
		for p.buf.Reset(); !answers(p.buf.Bytes()); {
			_, r, err := c.Reader(ctx)
			if err != nil {
				b.Fatal(err)
			}
			p.buf.Reset()
			if _, err := p.buf.ReadFrom(r); err != nil {
				b.Fatal(err)
			}
		}
		took = append(took, time.Since(began))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2])/1e6, "p50-ms")
	b.ReportMetric(float64(took[len(took)*99/100])/1e6, "p99-ms")
}

func answers(frame []byte) bool {
	return bytes.HasPrefix(frame, []byte(`{"type":"invocationresult"`)) || bytes.HasPrefix(frame, []byte(`{"type":"invokefunction","invocation_id":"1111`))
}
