package bus_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"context-manager/internal/bus"

	"github.com/coder/websocket"
)

// BenchmarkEcho sends a call with long data to a client and reads the answer. The
// yardstick "bare" is a plain coder/websocket client that sends the same bytes
// back without looking at them.
func BenchmarkEcho(b *testing.B) {
	for _, size := range []int{1 << 10, 100 << 10, 2 << 20} {
		call := fmt.Appendf(nil, `{"type":"invokefunction","invocation_id":%q,"function_id":"a::echo","data":"%s"}`,
			uuid(1), strings.Repeat(`a line of text\n`, size/16))
		for name, connect := range map[string]func(context.Context, string) error{"bare": bareEcho, "bus": busEcho} {
			b.Run(fmt.Sprintf("%s/%dKiB", name, size>>10), func(b *testing.B) { benchmarkEcho(b, call, connect) })
		}
	}
}

func benchmarkEcho(b *testing.B, call []byte, connect func(context.Context, string) error) {
	conns := make(chan *websocket.Conn)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ws, err := websocket.Accept(w, r, nil)
		if err != nil {
			return
		}
		ws.SetReadLimit(-1)
		conns <- ws
		<-r.Context().Done()
	}))
	defer server.Close()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- connect(ctx, "ws"+strings.TrimPrefix(server.URL, "http")) }()
	defer func() {
		cancel()
		<-done
	}()
	ws := <-conns
	defer ws.CloseNow()
	var answer bytes.Buffer
	read := func() {
		answer.Reset()
		_, r, err := ws.Reader(context.Background())
		if err == nil {
			_, err = answer.ReadFrom(r)
		}
		if err != nil {
			b.Fatal(err)
		}
	}
	exchange := func() {
		if err := ws.Write(context.Background(), websocket.MessageText, call); err != nil {
			b.Fatal(err)
		}
		for read(); answer.Len() < len(call)-100; read() { // registrations come first
		}
	}
	exchange()
	b.SetBytes(int64(len(call)))
	b.ReportAllocs()
	for b.Loop() {
		exchange()
	}
}

func bareEcho(ctx context.Context, url string) error {
	ws, _, err := websocket.Dial(ctx, url, nil)
	if err != nil {
		return err
	}
	defer ws.CloseNow()
	ws.SetReadLimit(-1)
	var message bytes.Buffer
	for {
		kind, r, err := ws.Reader(ctx)
		if err != nil {
			return err
		}
		message.Reset()
		if _, err := message.ReadFrom(r); err != nil && err != io.EOF {
			return err
		}
		if err := ws.Write(ctx, kind, message.Bytes()); err != nil {
			return err
		}
	}
}

func busEcho(ctx context.Context, url string) error {
	client := bus.New(bus.Options{URL: url})
	client.RegisterFunction(bus.Function{ID: "a::echo", Handler: echo})
	return client.Run(ctx)
}
