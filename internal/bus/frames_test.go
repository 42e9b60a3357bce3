package bus_test

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha1"
	"encoding/base64"
	"encoding/binary"
	"io"
	"net"
	"net/http"
	"testing"

	"context-manager/internal/bus"
)

// rawEngine is an engine's end of a connection without a WebSocket library, to
// see the frames as they are on the wire.
type rawEngine struct {
	t    *testing.T
	conn net.Conn
	r    *bufio.Reader
}

// rawFrame is one WebSocket frame.
type rawFrame struct {
	fin     bool
	opcode  byte
	rsv     byte
	payload []byte
}

func acceptRaw(t *testing.T, listener net.Listener) *rawEngine {
	t.Helper()
	conn, err := listener.Accept()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	e := &rawEngine{t: t, conn: conn, r: bufio.NewReaderSize(conn, 1<<20)}
	request, err := http.ReadRequest(e.r)
	if err != nil {
		t.Fatal(err)
	}
	if got := request.Header.Get("Sec-WebSocket-Extensions"); got != "" {
		t.Errorf("got offer of extensions %q, want none: compression is off", got)
	}
	sum := sha1.Sum([]byte(request.Header.Get("Sec-WebSocket-Key") + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"))
	io.WriteString(conn, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: "+
		base64.StdEncoding.EncodeToString(sum[:])+"\r\n\r\n")
	return e
}

func (e *rawEngine) read() (f rawFrame) {
	e.t.Helper()
	head := e.bytes(2)
	f.fin, f.rsv, f.opcode = head[0]&0x80 != 0, head[0]&0x70, head[0]&0x0f
	size := uint64(head[1] & 0x7f)
	switch size {
	case 126:
		size = uint64(binary.BigEndian.Uint16(e.bytes(2)))
	case 127:
		size = binary.BigEndian.Uint64(e.bytes(8))
	}
	mask := e.bytes(4)
	f.payload = e.bytes(int(size))
	unmask(f.payload, mask)
	return f
}

func unmask(p, mask []byte) {
	half := uint64(binary.LittleEndian.Uint32(mask))
	for ; len(p) >= 8; p = p[8:] {
		binary.LittleEndian.PutUint64(p, binary.LittleEndian.Uint64(p)^(half<<32|half))
	}
	for i := range p {
		p[i] ^= mask[i%4]
	}
}

func (e *rawEngine) bytes(n int) []byte {
	e.t.Helper()
	b := make([]byte, n)
	if _, err := io.ReadFull(e.r, b); err != nil {
		e.t.Fatalf("reading from the worker: %v", err)
	}
	return b
}

// message reads one text message with the sizes of its frames.
func (e *rawEngine) message() (text []byte, sizes []int) {
	e.t.Helper()
	for {
		f := e.read()
		if f.rsv != 0 {
			e.t.Errorf("got reserved bits %x, want none: compression is off", f.rsv)
		}
		if f.opcode > 2 {
			continue
		}
		sizes = append(sizes, len(f.payload))
		text = append(text, f.payload...)
		if f.fin {
			return text, sizes
		}
	}
}

func (e *rawEngine) send(text []byte) {
	e.t.Helper()
	head := binary.BigEndian.AppendUint64([]byte{0x81, 127}, uint64(len(text)))
	if _, err := e.conn.Write(append(head, text...)); err != nil {
		e.t.Fatalf("writing to the worker: %v", err)
	}
}

func TestNoFrameExceeds8MiB(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	client := bus.New(bus.Options{URL: "ws://" + listener.Addr().String()})
	answer := func(size int) bus.Handler {
		return func(_ context.Context, call *bus.Call, dst []byte) ([]byte, error) {
			dst = append(dst, '"')
			dst = append(dst, bytes.Repeat([]byte("x"), size)...)
			return append(dst, '"'), nil
		}
	}
	sizes := map[string]int{"a::small": 1, "a::page": 4096, "a::pages": 40960, "a::8MiB": 8<<20 - 1000, "a::more": 8 << 20, "a::21MiB": 21 << 20}
	for id, size := range sizes {
		client.RegisterFunction(bus.Function{ID: id, Handler: answer(size)})
	}
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- client.Run(ctx) }()
	defer func() {
		stop()
		<-done
	}()
	e := acceptRaw(t, listener)
	for range len(sizes) + 1 {
		if _, frames := e.message(); len(frames) != 1 {
			t.Errorf("got a registration in %d frames, want one", len(frames))
		}
	}
	for id, size := range sizes {
		e.send([]byte(`{"type":"invokefunction","invocation_id":"` + uuid(1) + `","function_id":"` + id + `","data":1}`))
		text, frames := e.message()
		head := `{"type":"invocationresult","invocation_id":"` + uuid(1) + `","function_id":"` + id + `","result":"x`
		if !bytes.HasPrefix(text, []byte(head)) || !bytes.HasSuffix(text, []byte(`x"}`)) || len(text) != len(head)-1+size+2 {
			t.Errorf("%s: got %d bytes, want the answer with %d", id, len(text), size)
		}
		for _, n := range frames {
			if n > 8<<20 {
				t.Errorf("%s: got a frame of %d bytes, want at most 8 MiB", id, n)
			}
		}
		if len(text) <= 8<<20 && len(frames) != 1 {
			t.Errorf("%s: got %d frames, want one", id, len(frames))
		}
	}
}

// A message whose last piece fills coder/websocket's write buffer must leave the
// process although nothing follows it.
func TestMessagesOfEveryLengthAroundTheWriteBufferLeaveAtOnce(t *testing.T) {
	t.Parallel()
	p := newPeer(t)
	p.start(bus.Options{}, serving(bus.Function{ID: "a::echo", Handler: echo}))
	c := p.accept().announced()
	for size := 8192 - 250; size < 8192; size++ {
		data := `"` + string(bytes.Repeat([]byte("y"), size)) + `"`
		c.invoke(uuid(size), "a::echo", data)
		if got := string(c.answer()["result"]); got != data {
			t.Fatalf("got %d bytes, want %d", len(got), len(data))
		}
	}
}
