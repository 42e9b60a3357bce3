package bus_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"context-manager/internal/bus"
)

func TestCallFramesAndAnswers(t *testing.T) {
	t.Parallel()
	p := newPeer(t)
	r := p.start(bus.Options{})
	c := p.accept().announced()
	type outcome struct {
		result json.RawMessage
		err    error
	}
	for _, tt := range []struct {
		name         string
		request      bus.Request
		sent, answer string
		result       string
		code, text   string
	}{
		{"a result", bus.Request{FunctionID: "b::f", Data: []byte(`{"x":1}`)}, `{"x":1}`, `"result":{"b":2}`, `{"b":2}`, "", ""},
		{"no data is an empty object", bus.Request{FunctionID: "b::f"}, `{}`, `"result":1`, `1`, "", ""},
		{"no result is null", bus.Request{FunctionID: "b::f"}, `{}`, `"traceparent":"x"`, `null`, "", ""},
		{"a null result", bus.Request{FunctionID: "b::f"}, `{}`, `"result":null,"error":null`, `null`, "", ""},
		{"an error wins over a result", bus.Request{FunctionID: "b::f"}, `{}`, `"result":1,"error":{"code":"c/d","message":"m","stacktrace":null}`, "", "c/d", "calling b::f: c/d: m"},
		{"a message with its code", bus.Request{FunctionID: "b::f"}, `{}`, `"error":{"code":"c/d","message":"c/d: m"}`, "", "c/d", "calling b::f: c/d: m"},
		{"an error without a code", bus.Request{FunctionID: "b::f"}, `{}`, `"error":{"message":"m"}`, "", "undecodable_answer", "calling b::f: the answer cannot be decoded: malformed error object"},
		{"a result of 128 levels", bus.Request{FunctionID: "b::f"}, `{}`, `"result":` + nested(127), nested(127), "", ""},
		{"a result of 129 levels", bus.Request{FunctionID: "b::f"}, `{}`, `"result":` + nested(128), "", "undecodable_answer", ""},
	} {
		done := make(chan outcome, 1)
		go func() {
			result, err := r.Call(context.Background(), tt.request)
			done <- outcome{result, err}
		}()
		f := c.expect("invokefunction")
		if string(f["data"]) != tt.sent || f.str("function_id") != "b::f" || f["action"] != nil || f["namespace"] != nil {
			t.Errorf("%s: got frame %v, want data %s and no action", tt.name, f, tt.sent)
		}
		c.send(`{"type":"invocationresult","invocation_id":"00000000-0000-4000-8000-000000000000","function_id":"b::f","result":"nobody asked"}`)
		c.send(`{"type":"invocationresult","invocation_id":%s,"function_id":"b::f",%s}`, f["invocation_id"], tt.answer)
		got := receive(t, done)
		if string(got.result) != tt.result || errorCode(got.err) != tt.code || tt.text != "" && got.err.Error() != tt.text {
			t.Errorf("%s: got %s, %v, want %s %s", tt.name, got.result, got.err, tt.result, tt.code)
		}
	}
}

func TestVoidAndEnqueue(t *testing.T) {
	t.Parallel()
	p := newPeer(t)
	r := p.start(bus.Options{})
	c := p.accept().announced()
	if err := r.Void(context.Background(), bus.Request{FunctionID: "b::f", Data: []byte(`[1]`), Namespace: "ns", Metadata: []byte(`{"m":1}`)}); err != nil {
		t.Fatal(err)
	}
	f := c.next()
	if f["invocation_id"] != nil || string(f["action"]) != `{"type":"void"}` || string(f["data"]) != "[1]" || f.str("namespace") != "ns" || string(f["metadata"]) != `{"m":1}` {
		t.Errorf("got %v, want a void call without an id", f)
	}
	done := make(chan string, 1)
	go func() {
		receipt, err := r.Enqueue(context.Background(), bus.Request{FunctionID: "b::f"}, "q\"1")
		if err != nil {
			t.Error(err)
		}
		done <- string(receipt)
	}()
	f = c.next()
	if string(f["action"]) != `{"type":"enqueue","queue":"q\"1"}` {
		t.Errorf("got action %s, want enqueue", f["action"])
	}
	c.send(`{"type":"invocationresult","invocation_id":%s,"function_id":"b::f","result":{"messageReceiptId":"r"}}`, f["invocation_id"])
	if got := receive(t, done); got != `{"messageReceiptId":"r"}` {
		t.Errorf("got %s, want the receipt", got)
	}
}

func TestWhatTheEngineWouldNotTakeIsNotSent(t *testing.T) {
	t.Parallel()
	p := newPeer(t)
	r := p.start(bus.Options{})
	c := p.accept().announced()
	long := json.RawMessage(`"` + strings.Repeat("x", 64<<20) + `"`)
	for _, tt := range []struct {
		name    string
		request bus.Request
		want    error
	}{
		{"data over 64 MiB", bus.Request{FunctionID: "b::f", Data: long}, bus.ErrTooLarge},
		{"a frame over 64 MiB", bus.Request{FunctionID: "b::f", Data: long[:len(long)-2]}, bus.ErrTooLarge},
		{"data that is no JSON", bus.Request{FunctionID: "b::f", Data: []byte(`{`)}, bus.ErrInvalidData},
		{"data that is not UTF-8", bus.Request{FunctionID: "b::f", Data: []byte("\"\xff\"")}, bus.ErrInvalidData},
		{"data of 129 levels with the frame", bus.Request{FunctionID: "b::f", Data: []byte(nested(128))}, bus.ErrInvalidData},
		{"metadata that is no JSON", bus.Request{FunctionID: "b::f", Metadata: []byte(`x`)}, bus.ErrInvalidData},
	} {
		if tt.name == "a frame over 64 MiB" {
			tt.request.Data[len(tt.request.Data)-1] = '"'
		}
		if err := r.Void(context.Background(), tt.request); !errors.Is(err, tt.want) || errorCode(err) == "" {
			t.Errorf("%s: got %v, want a coded %v", tt.name, err, tt.want)
		}
		if _, err := r.Call(context.Background(), tt.request); !errors.Is(err, tt.want) {
			t.Errorf("%s: got %v, want %v", tt.name, err, tt.want)
		}
	}
	if err := r.Void(context.Background(), bus.Request{FunctionID: "b::next"}); err != nil {
		t.Fatal(err)
	}
	if got := c.next().str("function_id"); got != "b::next" {
		t.Errorf("got %s on the connection, want only b::next", got)
	}
}

func TestCallsEndWithTheirTimeoutOrContext(t *testing.T) {
	t.Parallel()
	p := newPeer(t)
	r := p.start(bus.Options{CallTimeout: time.Millisecond})
	c := p.accept().announced()
	_, err := r.Call(context.Background(), bus.Request{FunctionID: "b::f"})
	if !errors.Is(err, bus.ErrTimeout) || errorCode(err) != "TIMEOUT" || err.Error() != "calling b::f: no answer in time (1ms)" {
		t.Errorf("got %v, want ErrTimeout after the client's timeout", err)
	}
	if _, err = r.Call(context.Background(), bus.Request{FunctionID: "b::f", Timeout: 2 * time.Millisecond}); !errors.Is(err, bus.ErrTimeout) || !strings.Contains(err.Error(), "2ms") {
		t.Errorf("got %v, want ErrTimeout after the request's timeout", err)
	}
	why := errors.New("enough")
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(why)
	if _, err = r.Call(ctx, bus.Request{FunctionID: "b::f", Timeout: time.Hour}); !errors.Is(err, why) {
		t.Errorf("got %v, want the cause of the context's end", err)
	}
	if err = r.Void(ctx, bus.Request{FunctionID: "b::f"}); !errors.Is(err, why) {
		t.Errorf("got %v from a void call, want the cause of the context's end", err)
	}
	for range 2 {
		c.next()
	}
	c.send(`{"type":"ping"}`)
	if got := c.next().str("type"); got != "pong" {
		t.Errorf("got %s on the wire, want no call whose context had ended before", got)
	}
}
