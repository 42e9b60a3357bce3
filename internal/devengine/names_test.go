package devengine_test

import (
	"strings"
	"testing"
	"time"

	"context-manager/internal/devengine"
)

func TestGrace(t *testing.T) {
	t.Parallel()
	e := start(t, devengine.Options{Grace: time.Hour})
	a := dialClient(t, e, "a")
	a.send(`{"type":"registerfunction","id":"a::f"}`)
	a.fail("a::f", `{}`, "function_not_found")
	e.HurryTimers()
	for a.waiting() == "" {
		a.send(`{"type":"invokefunction","function_id":"a::f","data":{}}`)
		a.settle()
	}
	// Its namespace is fixed by now, whatever it says later.
	a.call("engine::workers::register", `{"name":"a","namespace":"late"}`, `{"success":true}`)
	a.call("engine::workers::info", `{"name":"a"}`, `{"worker":{"namespace":"default","$more":true},"$more":true}`)
}

func TestWorkerNames(t *testing.T) {
	t.Parallel()
	e := start(t, devengine.Options{})
	a := connect(t, e, "same")
	b := connect(t, e, "same", "other") // another namespace is another name
	c := connect(t, e, "c")
	if got, want := c.fail("engine::workers::info", `{"name":"same"}`, "NOT_FOUND"),
		"Worker 'same' is ambiguous: it is connected in namespace(s): default, other. Pass `namespace` to disambiguate."; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	c.call("engine::workers::info", `{"name":"same","namespace":"other"}`, `{"worker":{"id":"`+b.vars["id"].(string)+`","$more":true},"$more":true}`)
	if got, want := c.fail("engine::workers::info", `{"name":"same","namespace":"third"}`, "NOT_FOUND"),
		"Worker 'same' is not connected in the requested namespace; it is connected in namespace(s): default, other."; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	// A worker may register again, under its name or another.
	a.call("engine::workers::register", `{"name":"same","pid":2}`, `{"success":true}`)
	a.call("engine::workers::register", `{"name":"new"}`, `{"success":true}`)
	connect(t, e, "same")
	// A name is cleaned before it counts.
	a.call("engine::workers::register", `{"name":" n\u0000\u202ee\u2028w `+strings.Repeat("x", 300)+`"}`, `{"success":true}`)
	a.call("engine::workers::info", `{"name":"new `+strings.Repeat("x", 275)+`"}`, `"$object"`)
}

func TestRegisterInput(t *testing.T) {
	t.Parallel()
	e := start(t, devengine.Options{})
	a := dialClient(t, e, "a")
	for data, want := range map[string]string{
		`null`:                `invalid type: null, expected an object`,
		`{"name":1}`:          "invalid type: number `1`, expected a string",
		`{"pid":-1}`:          "invalid value: number `-1`, expected an integer up to 4294967295",
		`{"pid":4294967296}`:  "invalid value: number `4294967296`, expected an integer up to 4294967295",
		`{"runtime":["go"]}`:  `invalid type: sequence, expected a string`,
		`{"namespace":false}`: "invalid type: boolean `false`, expected a string",
	} {
		if got := a.fail("engine::workers::register", data, "deserialization_error"); !strings.HasSuffix(got, ": "+want) {
			t.Errorf("%s: got %q, want it to end with %q", data, got, want)
		}
	}
	if got, want := a.fail("engine::workers::register", `{"name":"a","namespace":" "}`, "INVALID_NAMESPACE"),
		`namespace is empty: worker 'a' declared " ". Give it a name, or omit the field to register in 'default'.`; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	a.call("engine::workers::register", `{"name":null,"pid":4294967295}`, `{"success":true}`)
}

func TestFunctionIDsOfTheEngine(t *testing.T) {
	t.Parallel()
	e := start(t, devengine.Options{})
	a, b := connect(t, e, "a", "ns"), connect(t, e, "b")
	a.send(`{"type":"registerfunction","id":"engine::x"}`)
	a.want(`{"type":"registrationrejected","code":"FUNCTION_NAMESPACE_CONFLICT","namespace":"ns","function_id":"engine::x","owner_worker_id":""}`)
	// In "default" a worker may replace what the engine has, and takes it away
	// when it leaves.
	b.send(`{"type":"registerfunction","id":"engine::functions::list"}`)
	b.settle()
	id := a.ask("engine::functions::list", `{}`)
	b.serve("engine::functions::list", `"mine"`)
	a.answer(id, `"mine"`)
	e.Disconnect("b")
	a.fail("engine::functions::list", `{}`, "function_not_found")
}

func TestHostedFunctionIsNotRegistered(t *testing.T) {
	t.Parallel()
	e := start(t, devengine.Options{})
	a := connect(t, e, "a")
	a.send(`{"type":"registerfunction","id":"a::f","invocation":{"url":"http://127.0.0.1/"}}`)
	a.send(`{"type":"registerservice","id":"a"}`)
	a.settle()
	a.fail("a::f", `{}`, "function_not_found")
}

func TestReattachIsIgnored(t *testing.T) {
	t.Parallel()
	e := start(t, devengine.Options{})
	a, b := connect(t, e, "a"), connect(t, e, "b")
	id, token, own := a.vars["id"].(string), a.vars["token"].(string), b.vars["id"].(string)
	for _, frame := range []string{
		`{"type":"reattach","previous_worker_id":"` + id + `"}`,
		`{"type":"reattach","previous_worker_id":"` + id + `","reattach_token":"x"}`,
		`{"type":"reattach","previous_worker_id":"x","reattach_token":"` + token + `"}`,
		`{"type":"reattach","previous_worker_id":"` + own + `","reattach_token":"` + b.vars["token"].(string) + `"}`,
		`{"type":"reattach","previous_worker_id":"11111111-2222-4333-8444-555555555555","reattach_token":"` + token + `"}`,
	} {
		b.send(frame)
		b.none()
		a.none()
	}
}

func TestReusedInvocationID(t *testing.T) {
	t.Parallel()
	e := start(t, devengine.Options{})
	a, b := connect(t, e, "a"), connect(t, e, "b")
	b.send(`{"type":"registerfunction","id":"b::f"}`)
	b.settle()
	frame := `{"type":"invokefunction","invocation_id":"11111111-2222-4333-8444-555555555555","function_id":"b::f","data":{}}`
	a.send(frame)
	b.want(`{"type":"invokefunction","$more":true}`)
	b.send(frame)
	b.want(`{"type":"invokefunction","$more":true}`)
	a.failure("11111111-2222-4333-8444-555555555555", "invocation_error")
	b.send(`{"type":"invocationresult","invocation_id":"11111111-2222-4333-8444-555555555555","function_id":"b::f","result":1}`)
	b.answer("11111111-2222-4333-8444-555555555555", `1`)
	a.none()
}

func TestEnqueueWithAQueueWorker(t *testing.T) {
	t.Parallel()
	e := start(t, devengine.Options{})
	a, q := connect(t, e, "a"), connect(t, e, "queue")
	q.send(`{"type":"registerfunction","id":"engine::queue::enqueue"}`)
	q.settle()
	enqueue := func(more string) {
		a.send(`{"type":"invokefunction","invocation_id":"11111111-2222-4333-8444-555555555555","function_id":"x::f","data":{"b":1,"a":2},` +
			`"metadata":{"m":1},"action":{"type":"enqueue","queue":"q"}` + more + `}`)
	}
	enqueue(`,"baggage":"k=v","namespace":"ns"`)
	q.want(`{"type":"invokefunction","invocation_id":"$uuid(i)","function_id":"engine::queue::enqueue","data":{"queue":"q","function_id":"x::f",` +
		`"data":{"a":2,"b":1},"messageReceiptId":"$uuid(receipt)","traceparent":null,"baggage":"k=v","namespace":"ns"}}`)
	q.send(`{"type":"invocationresult","invocation_id":"${i}","function_id":"engine::queue::enqueue","result":{}}`)
	a.vars["receipt"] = q.vars["receipt"]
	a.want(`{"type":"invocationresult","invocation_id":"$uuid","function_id":"x::f","result":{"messageReceiptId":"${receipt}"},"baggage":"k=v"}`)
	enqueue("")
	q.want(`{"type":"invokefunction","invocation_id":"$uuid(i)","function_id":"engine::queue::enqueue","data":{"namespace":"$absent","baggage":null,"$more":true}}`)
	q.send(`{"type":"invocationresult","invocation_id":"${i}","function_id":"engine::queue::enqueue","error":{"code":"full","message":"no room"}}`)
	a.want(`{"type":"invocationresult","invocation_id":"$uuid","function_id":"x::f","error":{"code":"enqueue_error","message":"full: no room"}}`)
}

func TestTraceContext(t *testing.T) {
	t.Parallel()
	const ids = "4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7"
	for _, c := range []struct{ in, want string }{
		{"00-" + ids + "-01", "00-" + ids + "-01"},
		{"00-" + ids + "-00", "00-" + ids + "-00"},
		{"00-" + ids + "-03", "00-" + ids + "-01"},
		{"01-" + ids + "-01-more", "00-" + ids + "-01"},
		{"00-" + ids + "-01-more", ""},
		{"ff-" + ids + "-01", ""},
		{"00-" + strings.ToUpper(ids) + "-01", ""},
		{"00-" + strings.Repeat("0", 32) + "-00f067aa0ba902b7-01", ""},
		{"00-4bf92f3577b34da6a3ce929d0e0e4736-" + strings.Repeat("0", 16) + "-01", ""},
		{"", ""},
	} {
		if got := devengine.CleanTraceparent(c.in); got != c.want {
			t.Errorf("%q: got %q, want %q", c.in, got, c.want)
		}
	}
	for _, c := range []struct{ in, want string }{
		{"", "iii.function.id=a::f"},
		{"k=v", "k=v,iii.function.id=a::f"},
		{" k=v;p=1 , iii.function.id=old,broken, x=y", "k=v;p=1,x=y,iii.function.id=a::f"},
	} {
		if got := devengine.BaggageWith(c.in, "a::f"); got != c.want {
			t.Errorf("%q: got %q, want %q", c.in, got, c.want)
		}
	}
	if got, want := devengine.BaggageWith("", "a, é%"), "iii.function.id=a%2C%20%C3%A9%25"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
