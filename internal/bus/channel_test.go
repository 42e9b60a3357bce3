package bus_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"context-manager/internal/bus"

	"github.com/coder/websocket"
)

// channelEnd lets the test be the engine of one end of the channel "ch-1".
func (p *peer) channelEnd(serve func(ws *websocket.Conn, r *http.Request)) {
	p.mux.HandleFunc("/ws/channels/{id}", func(w http.ResponseWriter, r *http.Request) {
		if r.PathValue("id") != "ch-1" || r.URL.Query().Get("key") != "k&1" {
			http.Error(w, "Channel not found", http.StatusNotFound)
			return
		}
		ws, err := websocket.Accept(w, r, nil)
		if err != nil {
			return
		}
		defer ws.CloseNow()
		ws.SetReadLimit(-1)
		serve(ws, r)
	})
}

func TestCreateChannel(t *testing.T) {
	t.Parallel()
	p := newPeer(t)
	r := p.start(bus.Options{})
	c := p.accept().announced()
	type ends struct {
		writer, reader bus.ChannelRef
		err            error
	}
	create := func(bufferSize int, data, answer string) ends {
		t.Helper()
		done := make(chan ends, 1)
		go func() {
			writer, reader, err := r.CreateChannel(context.Background(), bufferSize)
			done <- ends{writer, reader, err}
		}()
		f := c.expect("invokefunction")
		if f.str("function_id") != "engine::channels::create" || string(f["data"]) != data {
			t.Errorf("got %v, want engine::channels::create with %s", f, data)
		}
		c.send(`{"type":"invocationresult","invocation_id":%s,"function_id":"engine::channels::create",%s}`, f["invocation_id"], answer)
		return receive(t, done)
	}
	got := create(128, `{"buffer_size":128}`, `"result":{"reader":{"access_key":"k","channel_id":"c","direction":"read"},"writer":{"access_key":"k","channel_id":"c","direction":"write"}}`)
	want := ends{bus.ChannelRef{ChannelID: "c", AccessKey: "k", Direction: "write"}, bus.ChannelRef{ChannelID: "c", AccessKey: "k", Direction: "read"}, nil}
	if got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if got := create(0, `{}`, `"error":{"code":"function_not_found","message":"m"}`); errorCode(got.err) != "function_not_found" {
		t.Errorf("got %v, want the engine's code", got.err)
	}
	if got := create(0, `{}`, `"result":[]`); !errors.Is(got.err, bus.ErrUndecodable) {
		t.Errorf("got %v, want ErrUndecodable", got.err)
	}
}

func TestReadingAChannel(t *testing.T) {
	t.Parallel()
	p := newPeer(t)
	p.channelEnd(func(ws *websocket.Conn, _ *http.Request) {
		for i := range 100 {
			ws.Write(context.Background(), websocket.MessageText, fmt.Appendf(nil, "frame %d", i))
		}
		ws.Write(context.Background(), websocket.MessageBinary, []byte{0, 255})
		ws.Write(context.Background(), websocket.MessageText, bytes.Repeat([]byte("x"), 1<<20))
		ws.Close(websocket.StatusNoStatusRcvd, "") // the engine sends no code
	})
	client := bus.New(bus.Options{URL: p.url})
	reader, err := client.OpenReader(context.Background(), bus.ChannelRef{ChannelID: "ch-1", AccessKey: "k&1", Direction: "read"})
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	var frames []bus.Frame
	for {
		f, err := reader.Next(context.Background())
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		frames = append(frames, f)
	}
	if len(frames) != 102 {
		t.Fatalf("got %d frames, want 102", len(frames))
	}
	for i, f := range frames[:100] {
		if want := fmt.Sprintf("frame %d", i); f.Binary || string(f.Data) != want {
			t.Errorf("got %q, binary %t, want text %q", f.Data, f.Binary, want)
		}
	}
	if f := frames[100]; !f.Binary || !bytes.Equal(f.Data, []byte{0, 255}) {
		t.Errorf("got %v, want the binary frame unchanged", f)
	}
	if f := frames[101]; f.Binary || len(f.Data) != 1<<20 {
		t.Errorf("got %d bytes, want 1 MiB of text", len(f.Data))
	}
	if _, err := reader.Next(context.Background()); err != io.EOF {
		t.Errorf("got %v after the end, want io.EOF again", err)
	}
}

func TestChannelsThatFail(t *testing.T) {
	t.Parallel()
	p := newPeer(t)
	p.channelEnd(func(ws *websocket.Conn, r *http.Request) {
		if r.URL.Query().Get("dir") == "read" {
			ws.Write(context.Background(), websocket.MessageText, bytes.Repeat([]byte("x"), 100))
			<-p.ended
		}
		ws.Read(context.Background()) // and is dropped without a close frame
	})
	client := bus.New(bus.Options{URL: p.url})
	ref := bus.ChannelRef{ChannelID: "ch-1", AccessKey: "k&1"}
	if _, err := client.OpenReader(context.Background(), bus.ChannelRef{ChannelID: "ch-1", AccessKey: "other"}); !errors.Is(err, bus.ErrNoChannel) {
		t.Errorf("got %v for a wrong key, want ErrNoChannel", err)
	}
	unreachable := bus.New(bus.Options{URL: "ws://127.0.0.1:1"})
	if _, err := unreachable.OpenWriter(context.Background(), ref); !errors.Is(err, bus.ErrDisconnected) {
		t.Errorf("got %v without an engine, want ErrDisconnected", err)
	}
	reader, err := client.OpenReader(context.Background(), ref)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := reader.Next(context.Background()); err != nil {
		t.Fatal(err)
	}
	why := errors.New("enough")
	ctx, cancel := context.WithCancelCause(context.Background())
	time.AfterFunc(time.Millisecond, func() { cancel(why) })
	if _, err := reader.Next(ctx); !errors.Is(err, why) {
		t.Errorf("got %v, want the cause of the context's end", err)
	}
	if _, err := reader.Next(context.Background()); !errors.Is(err, why) {
		t.Errorf("got %v from the next read, want the same", err)
	}
	narrow := bus.New(bus.Options{URL: p.url, ReadLimit: 99})
	if reader, err = narrow.OpenReader(context.Background(), ref); err != nil {
		t.Fatal(err)
	}
	if _, err := reader.Next(context.Background()); err == nil || !strings.Contains(err.Error(), "over the read limit") {
		t.Errorf("got %v for a frame over the read limit, want an error that says so", err)
	}
	writer, err := client.OpenWriter(context.Background(), ref)
	if err != nil {
		t.Fatal(err)
	}
	defer writer.Close()
	if err := writer.WriteText(context.Background(), make([]byte, 64<<20+1)); !errors.Is(err, bus.ErrTooLarge) {
		t.Errorf("got %v for 64 MiB and a byte, want ErrTooLarge", err)
	}
	err = writer.WriteText(context.Background(), []byte("drop"))
	for err == nil { // the engine closes; a later frame notices
		err = writer.WriteText(context.Background(), []byte("more"))
	}
	if !errors.Is(err, bus.ErrDisconnected) {
		t.Errorf("got %v after the engine dropped the writer, want ErrDisconnected", err)
	}
}

func TestWritingAChannel(t *testing.T) {
	t.Parallel()
	p := newPeer(t)
	got := make(chan string, 1000)
	p.channelEnd(func(ws *websocket.Conn, _ *http.Request) {
		for {
			kind, b, err := ws.Read(context.Background())
			if err != nil {
				got <- fmt.Sprintf("close %d", websocket.CloseStatus(err))
				return
			}
			got <- fmt.Sprintf("%v %d", kind, len(b))
		}
	})
	client := bus.New(bus.Options{URL: p.url})
	writer, err := client.OpenWriter(context.Background(), bus.ChannelRef{ChannelID: "ch-1", AccessKey: "k&1"})
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range []error{
		writer.WriteText(context.Background(), []byte(strings.Repeat("x", 100_000))),
		writer.WriteBinary(context.Background(), make([]byte, 150_000)),
		writer.WriteBinary(context.Background(), nil),
	} {
		if err != nil {
			t.Error(err)
		}
	}
	writer.Close()
	for _, want := range []string{"MessageText 100000", "MessageBinary 65536", "MessageBinary 65536", "MessageBinary 18928", "MessageBinary 0", "close 1000"} {
		if got := receive(t, got); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestAHandlerThatReadsAChannelStopsNobody(t *testing.T) {
	t.Parallel()
	p := newPeer(t)
	letGo := make(chan struct{})
	p.channelEnd(func(ws *websocket.Conn, _ *http.Request) {
		<-letGo
		ws.Write(context.Background(), websocket.MessageText, []byte("x"))
		ws.Close(websocket.StatusNormalClosure, "")
	})
	var r *running
	ready := make(chan struct{})
	r = p.start(bus.Options{MaxRunning: 1}, serving(
		bus.Function{ID: "a::reads", Handler: func(ctx context.Context, _ *bus.Call, dst []byte) ([]byte, error) {
			<-ready
			reader, err := r.OpenReader(ctx, bus.ChannelRef{ChannelID: "ch-1", AccessKey: "k&1"})
			if err != nil {
				return nil, err
			}
			defer reader.Close()
			f, err := reader.Next(ctx)
			return append(append(append(dst, '"'), f.Data...), '"'), err
		}},
		bus.Function{ID: "a::echo", Handler: echo},
	))
	close(ready)
	c := p.accept()
	c.invoke(uuid(1), "a::reads", "1")
	c.invoke(uuid(2), "a::echo", "2")
	if got := c.answer().str("invocation_id"); got != uuid(2) {
		t.Errorf("got answer to %s, want the place to be free while the other reads", got)
	}
	close(letGo)
	if got := string(c.answer()["result"]); got != `"x"` {
		t.Errorf("got %s, want what came over the channel", got)
	}
}
