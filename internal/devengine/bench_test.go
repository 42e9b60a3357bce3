package devengine_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/coder/websocket"
	"github.com/google/uuid"

	"context-manager/internal/devengine"
)

// history is a payload of about n bytes in the shape of a conversation, keys
// not in order.
func history(n int) []byte {
	var b bytes.Buffer
	b.WriteString(`{"model":{"id":"m","limits":{"output":8192,"context":200000}},"messages":[`)
	for i := 0; b.Len() < n; i++ {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"role":"assistant","content":[{"type":"text","text":"line %d\n\"quoted\" %s é"},{"type":"function_call","id":"c%d","function_id":"shell::run","arguments":{"path":"a/b.go","cwd":"/","n":%d.50}}],"timestamp":%d}`,
			i, strings.Repeat("Some words of an answer, as they come. ", 45), i, i, 1700000000000+i)
	}
	b.WriteString(`]}`)
	return b.Bytes()
}

// BenchmarkDecode is one frame through the scanner, beside encoding/json doing
// the same job.
func BenchmarkDecode(b *testing.B) {
	for _, n := range []int{2 << 10, 100 << 10, 2 << 20} {
		frame := append([]byte(`{"type":"invokefunction","invocation_id":"11111111-2222-4333-8444-555555555555","function_id":"f","data":`), history(n)...)
		frame = append(frame, '}')
		b.Run(fmt.Sprintf("scanner-%dK", n>>10), func(b *testing.B) {
			b.SetBytes(int64(len(frame)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := devengine.Relay(frame, "W"); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(fmt.Sprintf("encoding-json-%dK", n>>10), func(b *testing.B) {
			b.SetBytes(int64(len(frame)))
			b.ReportAllocs()
			for b.Loop() {
				d := json.NewDecoder(bytes.NewReader(frame))
				d.UseNumber()
				var v any
				if err := d.Decode(&v); err != nil {
					b.Fatal(err)
				}
				compact(v)
			}
		})
	}
}

// BenchmarkEcho is a call through the engine to a worker that sends the data
// back, one at a time and many at once.
func BenchmarkEcho(b *testing.B) {
	for _, n := range []int{100, 1 << 10, 64 << 10, 2 << 20} {
		for _, window := range []int{1, 32} {
			b.Run(fmt.Sprintf("%dB-x%d", n, window), func(b *testing.B) { echo(b, n, window) })
		}
	}
}

func echo(b *testing.B, n, window int) {
	e := devengine.New(devengine.Options{})
	if err := e.Start(); err != nil {
		b.Fatal(err)
	}
	defer e.Close()
	ctx := context.Background()
	worker, _, _, err := dial(e.URL(), websocket.DialOptions{})
	if err != nil {
		b.Fatal(err)
	}
	defer worker.CloseNow()
	caller, _, _, err := dial(e.URL(), websocket.DialOptions{})
	if err != nil {
		b.Fatal(err)
	}
	defer caller.CloseNow()
	send := func(c *websocket.Conn, text string) {
		if err := c.Write(ctx, websocket.MessageText, []byte(text)); err != nil {
			b.Error(err)
		}
	}
	register := `{"type":"invokefunction","invocation_id":"11111111-2222-4333-8444-555555555555","function_id":"engine::workers::register","data":{}}`
	for _, c := range []*websocket.Conn{worker, caller} {
		send(c, register)
		for range 2 { // the greeting and the answer
			if _, _, err := c.Read(ctx); err != nil {
				b.Fatal(err)
			}
		}
	}
	send(worker, `{"type":"registerfunction","id":"f"}`)
	send(worker, `{"type":"ping"}`)
	if _, _, err := worker.Read(ctx); err != nil {
		b.Fatal(err)
	}
	go func() {
		marker := []byte(`"function_id":"f","data":`)
		var out []byte
		for {
			_, text, err := worker.Read(ctx)
			if err != nil {
				return
			}
			// {"type":"invokefunction","invocation_id":"…","function_id":"f","data":…}
			id := text[len(`{"type":"invokefunction","invocation_id":"`):][:36]
			data := text[bytes.Index(text, marker)+len(marker):]
			out = append(append(append(out[:0], `{"type":"invocationresult","invocation_id":"`...), id...), `","function_id":"f","result":`...)
			out = append(out, data...) // the closing brace comes with it
			if worker.Write(ctx, websocket.MessageText, out) != nil {
				return
			}
		}
	}()
	data := history(n)
	if n < 1000 {
		data = []byte(`{"b":1,"a":"` + strings.Repeat("x", n-20) + `"}`)
	}
	b.SetBytes(int64(2 * len(data)))
	room := make(chan struct{}, window)
	got := make(chan struct{})
	total := b.N
	go func() {
		defer close(got)
		for range total {
			_, r, err := caller.Reader(ctx)
			if err != nil {
				b.Error(err)
				return
			}
			var sink bytes.Buffer
			if _, err := sink.ReadFrom(r); err != nil {
				b.Error(err)
				return
			}
			<-room
		}
	}()
	b.ResetTimer()
	for range total {
		room <- struct{}{}
		send(caller, `{"type":"invokefunction","invocation_id":"`+uuid.NewString()+`","function_id":"f","data":`+string(data)+`}`)
	}
	<-got
}
