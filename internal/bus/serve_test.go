package bus_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"context-manager/internal/bus"
)

// codedError is an error of the application with a code of its own.
type codedError struct{ code, text string }

func (e codedError) Error() string     { return e.text }
func (e codedError) ErrorCode() string { return e.code }

func failing(err error) bus.Handler {
	return func(context.Context, *bus.Call, []byte) ([]byte, error) { return nil, err }
}

func TestAnswers(t *testing.T) {
	t.Parallel()
	p := newPeer(t)
	logs := &logBuffer{}
	p.start(bus.Options{Logger: slog.New(slog.NewTextHandler(logs, nil))}, serving(
		bus.Function{ID: "a::echo", Handler: echo},
		bus.Function{ID: "a::nothing", Handler: func(_ context.Context, _ *bus.Call, dst []byte) ([]byte, error) { return dst, nil }},
		bus.Function{ID: "a::short", Handler: func(context.Context, *bus.Call, []byte) ([]byte, error) { return []byte("1"), nil }},
		bus.Function{ID: "a::plain", Handler: failing(errors.New("no \"luck\"\n\xff"))},
		bus.Function{ID: "a::coded", Handler: failing(fmt.Errorf("doing it: %w", codedError{"app/x", "app/x: no"}))},
		bus.Function{ID: "a::prefix", Handler: failing(codedError{"context/overflow", "too big"})},
		bus.Function{ID: "a::remote", Handler: failing(&bus.RemoteError{Code: "router/x", Message: "m"})},
		bus.Function{ID: "a::panic", Handler: func(context.Context, *bus.Call, []byte) ([]byte, error) {
			return nil, fmt.Errorf("%d", []int{}[len(t.Name())])
		}},
		bus.Function{ID: "a::secret", Handler: func(context.Context, *bus.Call, []byte) ([]byte, error) { panic("the user's words") }},
		bus.Function{ID: "a::big", Handler: func(_ context.Context, _ *bus.Call, dst []byte) ([]byte, error) {
			dst = append(dst, '"')
			dst = append(dst, bytes.Repeat([]byte("x"), 60<<20)...)
			return append(dst, '"'), nil
		}},
	))
	c := p.accept()
	for i, tt := range []struct {
		name, function, data  string
		result, code, message string
	}{
		{"an object", "a::echo", `{"b":1,"a":[1.0,"\u00e9"]}`, `{"b":1,"a":[1.0,"\u00e9"]}`, "", ""},
		{"null data", "a::echo", `null`, `null`, "", ""},
		{"no result appended", "a::nothing", `{}`, `null`, "", ""},
		{"dst not extended", "a::short", `{}`, "", "context/internal", "context/internal: the handler gave no result"},
		{"an error without a code", "a::plain", `{}`, "", "invocation_failed", "no \"luck\"\n\uFFFD"},
		{"a coded error inside another", "a::coded", `{}`, "", "app/x", "doing it: app/x: no"},
		{"a context code is put before its message", "a::prefix", `{}`, "", "context/overflow", "context/overflow: too big"},
		{"a remote error keeps its code", "a::remote", `{}`, "", "router/x", "router/x: m"},
		{"a panic", "a::panic", `{}`, "", "context/internal", "context/internal: the handler of a::panic panicked"},
		{"a panic with a value of unknown content", "a::secret", `{}`, "", "context/internal", "context/internal: the handler of a::secret panicked"},
		{"an answer over 60 MiB", "a::big", `{}`, "", "context/result_too_large", ""},
		{"an unknown function", "a::none", `{}`, "", "function_not_found", "Function a::none is not served by this worker"},
		{"a function id to be escaped", `a\u0022\n`, `{}`, "", "function_not_found", "Function a\"\n is not served by this worker"},
	} {
		c.send(`{"type":"invokefunction","invocation_id":%q,"function_id":"%s","data":%s}`, uuid(i), tt.function, tt.data)
		if tt.code == "" {
			f := c.answer()
			if string(f["result"]) != tt.result || f.str("invocation_id") != uuid(i) || f.str("function_id") != tt.function || f["error"] != nil {
				t.Errorf("%s: got answer %v, want result %s", tt.name, f, tt.result)
			}
			continue
		}
		id, code, message := c.failure()
		if id != uuid(i) || code != tt.code || tt.message != "" && message != tt.message || strings.Contains(message, "goroutine") {
			t.Errorf("%s: got %s %s: %q, want %s: %q", tt.name, id, code, message, tt.code, tt.message)
		}
	}
	logs.wait(t, "index out of range", "goroutine", "serve_test.go")
	if strings.Contains(logs.String(), "the user's words") {
		t.Error("the log holds the value of a panic, which may be content")
	}
}

func TestFramesInEveryShape(t *testing.T) {
	t.Parallel()
	p := newPeer(t)
	logs := &logBuffer{}
	p.start(bus.Options{Logger: slog.New(slog.NewTextHandler(logs, nil))}, serving(bus.Function{ID: "a::echo", Handler: echo}))
	c := p.accept().announced()
	for i, tt := range []struct{ name, text, result string }{
		{"the tag last and data first", `{"data":{"type":"x","data":1},"extra":[{}],"function_id":"a::echo","invocation_id":"ID","type":"invokefunction"}`, `{"type":"x","data":1}`},
		{"spaces everywhere", " \n{ \"type\" : \"invokefunction\" ,\t\"invocation_id\":\"ID\" , \"function_id\":\"a::echo\", \"data\" : [ 1 ] } \r\n", `[ 1 ]`},
		{"escaped keys", `{"\u0074ype":"invokefunction","invocation_id":"ID","function_id":"a::\u0065cho","d\u0061ta":1}`, `1`},
		{"quotes and brackets inside strings", `{"type":"invokefunction","invocation_id":"ID","function_id":"a::echo","data":"}\\\"]\\","x":"\\"}`, `"}\\\"]\\"`},
		{"null optional members", `{"type":"invokefunction","invocation_id":"ID","function_id":"a::echo","data":null,"metadata":null,"traceparent":null,"baggage":null}`, `null`},
		{"data nested beyond the decoder's limit, which is the handler's to refuse", `{"type":"invokefunction","invocation_id":"ID","function_id":"a::echo","data":` + nested(9000) + `}`, nested(9000)},
	} {
		c.send("%s", strings.Replace(tt.text, "ID", uuid(i), 1))
		f := c.answer()
		if string(f["result"]) != tt.result || f.str("invocation_id") != uuid(i) {
			t.Errorf("%s: got %v, want result %s", tt.name, f, tt.result)
		}
	}
	for _, text := range []string{
		"", "   \n", "{not json", "[]", `"x"`, `{"type":"ping","type":"ping"}`, `{"x":1,"x":2,"type":"ping"}`, `{"type":"ping"} x`, `{"type":1}`,
		`{"type":"InvokeFunction","function_id":"a::echo","invocation_id":"1","data":{}}`, `{"type":"no_such_type"}`,
		`{"type":"invokefunction","function_id":"a::echo","invocation_id":"1"}`, `{"type":"invokefunction","invocation_id":"1","data":1}`,
		`{"type":"invokefunction","function_id":"a::echo","invocation_id":7,"data":1}`,
		`{"type":"invocationresult","result":1}`, `{"type":"invokefunction","function_id":"a::echo","invocation_id":"1","data":1,"metadata":` + nested(128) + `}`,
		`{"type":"registrationrejected"`, `{"type":"triggerregistrationresult","id":"t","error":7}`, `{"type":"error"}`, `{"type":"unregistertrigger","id":"?"}`,
	} {
		c.send("%s", text)
	}
	c.send(`{"type":"ping"}`)
	if got := c.next().str("type"); got != "pong" {
		t.Errorf("got %s after undecodable frames, want nothing but pong", got)
	}
	logs.wait(t, "undecodable frame", "bytes=9")
	if strings.Contains(logs.String(), "not json") {
		t.Error("the log holds contents of a frame")
	}
}

func nested(levels int) string {
	return strings.Repeat("[", levels) + strings.Repeat("]", levels)
}

func TestBinaryFramesAreDecodedLikeText(t *testing.T) {
	t.Parallel()
	p := newPeer(t)
	p.start(bus.Options{})
	c := p.accept().announced()
	if err := c.ws.Write(context.Background(), 2, []byte(`{"type":"ping"}`)); err != nil {
		t.Fatal(err)
	}
	if got := c.next().str("type"); got != "pong" {
		t.Errorf("got %s, want pong", got)
	}
}

func TestCallWithoutAnIDIsRunButNotAnswered(t *testing.T) {
	t.Parallel()
	p := newPeer(t)
	ran := make(chan string, 1)
	p.start(bus.Options{}, serving(
		bus.Function{ID: "a::f", Handler: func(_ context.Context, call *bus.Call, dst []byte) ([]byte, error) {
			ran <- string(call.Data)
			return dst, nil
		}},
		bus.Function{ID: "a::echo", Handler: echo},
	))
	c := p.accept()
	c.send(`{"type":"invokefunction","function_id":"a::f","data":1}`)
	if got := receive(t, ran); got != "1" {
		t.Errorf("got data %s, want 1", got)
	}
	c.send(`{"type":"invokefunction","function_id":"a::none","data":1}`)
	c.invoke(uuid(1), "a::echo", "2")
	if got := c.answer().str("invocation_id"); got != uuid(1) {
		t.Errorf("got an answer to %q, want only one to %s", got, uuid(1))
	}
}

func TestHandlerSeesMetadataAndTraceContextAndPassesTraceContextOn(t *testing.T) {
	t.Parallel()
	p := newPeer(t)
	var r *running
	ready := make(chan struct{})
	r = p.start(bus.Options{}, serving(bus.Function{ID: "a::f", Handler: func(ctx context.Context, call *bus.Call, dst []byte) ([]byte, error) {
		<-ready
		if string(call.Metadata) != `{"k":[1]}` || call.Depth != 1 || call.InvocationID != uuid(1) || call.FunctionID != "a::f" {
			t.Errorf("got call %+v, want metadata, ids and depth 1", call)
		}
		if err := r.Void(ctx, bus.Request{FunctionID: "b::void", Namespace: "ns"}); err != nil {
			t.Error(err)
		}
		if err := r.Void(context.Background(), bus.Request{FunctionID: "b::alone"}); err != nil {
			t.Error(err)
		}
		return dst, r.Void(bus.Apart(ctx), bus.Request{FunctionID: "b::apart"})
	}}))
	close(ready)
	c := p.accept().announced()
	const parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
	c.send(`{"type":"invokefunction","invocation_id":%q,"function_id":"a::f","data":{},"metadata":{"k":[1]},"traceparent":%q,"baggage":"k=v"}`, uuid(1), parent)
	f := c.expect("invokefunction")
	if f.str("traceparent") != parent || f.str("baggage") != "k=v" || f.str("namespace") != "ns" {
		t.Errorf("got %v, want the trace context of the call being served", f)
	}
	if f := c.expect("invokefunction"); f["traceparent"] != nil || f["baggage"] != nil || f["namespace"] != nil {
		t.Errorf("got %v, want no trace context outside the handler's context", f)
	}
	if f := c.expect("invokefunction"); f.str("traceparent") != parent || f.str("baggage") != "k=v" {
		t.Errorf("got %v, want the trace context of the call that it is made for", f)
	}
}
