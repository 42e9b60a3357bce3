package bus_test

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"context-manager/internal/bus"
)

func TestRegistersInOrderOnEveryConnection(t *testing.T) {
	t.Parallel()
	p := newPeer(t)
	p.start(bus.Options{
		Namespace: "ns",
		Worker:    bus.WorkerInfo{Name: "ctx", Version: "1.2.3", Description: "a \"worker\""},
	}, func(c *bus.Client) {
		// Registered in another order than they must be sent.
		c.RegisterTrigger(bus.Trigger{ID: "t1", Type: "configuration", FunctionID: "a::on", Metadata: []byte(`{"m":1}`), Namespace: "ns", TriggerNamespace: "default"})
		c.RegisterFunction(bus.Function{ID: "a::f", Description: "does f", RequestFormat: []byte(`{"type":"object"}`), Handler: echo})
		c.RegisterFunction(bus.Function{ID: "a::on", Metadata: []byte(`{"internal":true}`), Handler: echo, Bypass: true})
		c.RegisterTriggerType(bus.TriggerType{ID: "a::ev", CallRequestFormat: []byte(`{}`)})
	})
	want := []map[string]string{
		{"type": `"invokefunction"`, "function_id": `"engine::workers::register"`, "namespace": `"default"`, "action": `{"type":"void"}`, "invocation_id": "",
			"data": `{"runtime":"go","version":"1.2.3","name":"ctx","description":"a \"worker\"","os":"` + runtime.GOOS + " " + runtime.GOARCH + `","pid":` + strconv.Itoa(os.Getpid()) + `,"namespace":"ns"}`},
		{"type": `"registertriggertype"`, "id": `"a::ev"`, "description": `""`, "call_request_format": "{}", "trigger_request_format": "", "namespace": ""},
		{"type": `"registerfunction"`, "id": `"a::f"`, "description": `"does f"`, "request_format": `{"type":"object"}`, "response_format": "", "metadata": ""},
		{"type": `"registerfunction"`, "id": `"a::on"`, "description": "", "metadata": `{"internal":true}`},
		{"type": `"registertrigger"`, "id": `"t1"`, "trigger_type": `"configuration"`, "function_id": `"a::on"`, "config": "{}", "metadata": `{"m":1}`, "namespace": `"ns"`, "trigger_namespace": `"default"`},
	}
	check := func(c *peerConn) {
		t.Helper()
		for i, members := range want {
			f := c.next()
			for key, value := range members {
				if string(f[key]) != value {
					t.Errorf("frame %d: got %s = %s, want %s", i, key, f[key], value)
				}
			}
		}
	}
	first := p.accept()
	first.send(`{"type":"workerregistered","worker_id":"W1","reattach_token":"T1"}`)
	check(first)
	first.invoke(uuid(1), "a::f", "1") // its answer proves that W1 was read
	first.answer()
	first.ws.CloseNow()

	second := p.accept()
	f := second.next()
	if f.str("type") != "reattach" || f.str("previous_worker_id") != "W1" || f.str("reattach_token") != "T1" {
		t.Errorf("got first frame %v, want reattach of W1 with T1", f)
	}
	check(second)
}

func TestRegistrationsWhileConnected(t *testing.T) {
	t.Parallel()
	p := newPeer(t)
	r := p.start(bus.Options{})
	c := p.accept().announced()
	r.RegisterFunction(bus.Function{ID: "a::late", Handler: echo})
	if got := c.next(); got.str("type") != "registerfunction" || got.str("id") != "a::late" {
		t.Errorf("got %v, want the registration of a::late", got)
	}
	c.invoke(uuid(1), "a::late", `[1]`)
	if got := string(c.answer()["result"]); got != "[1]" {
		t.Errorf("got result %s, want [1]", got)
	}
	r.UnregisterFunction("a::late")
	if got := c.next(); got.str("type") != "unregisterfunction" || got.str("id") != "a::late" {
		t.Errorf("got %v, want unregisterfunction of a::late", got)
	}
	c.invoke(uuid(2), "a::late", `1`)
	if _, code, _ := c.failure(); code != "function_not_found" {
		t.Errorf("got code %s after unregistering, want function_not_found", code)
	}
	r.RegisterTrigger(bus.Trigger{ID: "t", Type: "x", FunctionID: "a::on"})
	c.expect("registertrigger")
	r.UnregisterTrigger("t")
	if got := c.next(); got.str("type") != "unregistertrigger" || got.str("id") != "t" {
		t.Errorf("got %v, want unregistertrigger of t", got)
	}
	r.UnregisterTrigger("unknown")
	r.UnregisterFunction("unknown")
	c.send(`{"type":"ping"}`)
	if got := c.next().str("type"); got != "pong" {
		t.Errorf("got %s after unregistering what is unknown, want nothing but pong", got)
	}
}

func TestWhatIsRegisteredAgainIsReplaced(t *testing.T) {
	t.Parallel()
	p := newPeer(t)
	p.start(bus.Options{}, func(c *bus.Client) {
		for _, description := range []string{"old", "new"} {
			c.RegisterFunction(bus.Function{ID: "a::f", Description: description, Handler: echo}, bus.Function{ID: "a::g", Handler: echo})
			c.RegisterTrigger(bus.Trigger{ID: "t", Type: description, FunctionID: "a::f"})
			c.RegisterTriggerType(bus.TriggerType{ID: "a::ev", Description: description})
		}
	})
	c := p.accept().announced()
	for _, want := range []string{"registertriggertype a::ev new", "registerfunction a::f new", "registerfunction a::g ", "registertrigger t new"} {
		f := c.next()
		if got := f.str("type") + " " + f.str("id") + " " + f.str("description") + f.str("trigger_type"); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	c.send(`{"type":"ping"}`)
	if got := c.next().str("type"); got != "pong" {
		t.Errorf("got %s, want each registration once", got)
	}
}

func TestConnectHooksRunAfterTheReplayAndEndWithTheConnection(t *testing.T) {
	t.Parallel()
	p := newPeer(t)
	causes := make(chan error, 10)
	r := p.start(bus.Options{}, func(c *bus.Client) {
		c.OnConnect(func(ctx context.Context) {
			c.Void(ctx, bus.Request{FunctionID: "from::hook"})
			<-ctx.Done()
			causes <- context.Cause(ctx)
		})
		c.OnConnect(func(context.Context) { panic("a hook that panics must not end the worker") })
	})
	for range 2 {
		c := p.accept().announced()
		if got := c.next().str("function_id"); got != "from::hook" {
			t.Fatalf("got call of %s behind the registrations, want from::hook", got)
		}
		c.ws.CloseNow()
		if cause := receive(t, causes); !errors.Is(cause, bus.ErrDisconnected) {
			t.Errorf("got cause %v, want ErrDisconnected", cause)
		}
	}
	p.accept().announced().expect("invokefunction")
	r.stop()
	if cause := receive(t, causes); !errors.Is(cause, bus.ErrStopped) {
		t.Errorf("got cause %v at the end, want ErrStopped", cause)
	}
}

func TestWaitConnected(t *testing.T) {
	t.Parallel()
	p := newPeer(t)
	client := bus.New(bus.Options{URL: p.url})
	expired, cancel := context.WithCancel(context.Background())
	cancel()
	if err := client.WaitConnected(expired); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v before Run, want context.Canceled", err)
	}
	if _, err := client.Call(context.Background(), bus.Request{FunctionID: "a::b"}); !errors.Is(err, bus.ErrDisconnected) {
		t.Errorf("got %v from a call before Run, want ErrDisconnected", err)
	}
	if err := client.Void(context.Background(), bus.Request{FunctionID: "a::b"}); errorCode(err) != "invocation_stopped" {
		t.Errorf("got %v from a void call before Run, want code invocation_stopped", err)
	}
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- client.Run(ctx) }()
	if err := client.WaitConnected(context.Background()); err != nil {
		t.Errorf("got %v, want a connection", err)
	}
	stop()
	if err := receive(t, done); err != nil {
		t.Errorf("got %v from Run, want nil", err)
	}
	if err := client.WaitConnected(context.Background()); !errors.Is(err, bus.ErrStopped) {
		t.Errorf("got %v after the end, want ErrStopped", err)
	}
	if _, err := client.Call(context.Background(), bus.Request{FunctionID: "a::b"}); errorCode(err) != bus.CodeStopping {
		t.Errorf("got %v from a call after the end, want code %s", err, bus.CodeStopping)
	}
	if err := client.Run(context.Background()); err == nil {
		t.Error("a second Run gave no error")
	}
}

func TestAURLThatIsNoneEndsRun(t *testing.T) {
	t.Parallel()
	for _, url := range []string{"localhost:49134", "ftp://x", "ws://", "ws://%zz"} {
		if err := bus.New(bus.Options{URL: url}).Run(context.Background()); err == nil || !strings.Contains(err.Error(), "want ws://host:port") {
			t.Errorf("got %v for %q, want an error that says what is wanted", err, url)
		}
	}
}

func TestDialErrorsAreReportedAndTriedAgain(t *testing.T) {
	t.Parallel()
	attempts := make(chan int, 1000)
	client := bus.New(bus.Options{
		URL:          "ws://127.0.0.1:1", // nothing listens there
		BackoffFirst: time.Millisecond,
		BackoffMax:   2 * time.Millisecond,
		OnDialError: func(err error, attempt int) {
			if !strings.Contains(err.Error(), "ws://127.0.0.1:1") || !strings.Contains(err.Error(), "refused") {
				t.Errorf("got error %q, want address and reason", err)
			}
			attempts <- attempt
		},
	})
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- client.Run(ctx) }()
	for want := 1; want <= 3; want++ {
		if got := receive(t, attempts); got != want {
			t.Errorf("got attempt %d, want %d", got, want)
		}
	}
	stop()
	if err := receive(t, done); err != nil {
		t.Errorf("got %v from Run, want nil", err)
	}
}

func TestAuthenticationRefusedIsToldAndLogged(t *testing.T) {
	t.Parallel()
	p := newPeer(t)
	logs := &logBuffer{}
	r := p.start(bus.Options{BackoffFirst: time.Hour, BackoffMax: time.Hour, Logger: slog.New(slog.NewTextHandler(logs, nil))})
	c := p.accept().announced()
	asked := make(chan error, 1)
	go func() {
		_, err := r.Call(context.Background(), bus.Request{FunctionID: "b::f"})
		asked <- err
	}()
	c.expect("invokefunction")
	c.send(`{"type":"error","error":{"code":"AUTH_ERROR","message":"auth function returned no result"}}`)
	if err := receive(t, asked); !errors.Is(err, bus.ErrDisconnected) || !strings.Contains(err.Error(), "auth function returned no result") {
		t.Errorf("got %v for a call, want it to say why the connection is gone", err)
	}
	// Between two connections as well.
	logs.wait(t, "lost the connection")
	if _, err := r.Call(context.Background(), bus.Request{FunctionID: "b::f"}); err == nil || !errors.Is(err, bus.ErrDisconnected) || !strings.Contains(err.Error(), "auth function returned no result") {
		t.Errorf("got %v for a call later, want it to say why", err)
	}
	logs.wait(t, "refused this worker's authentication", "auth function returned no result")
}

func TestAnAnsweredCallStartsThePausesAnew(t *testing.T) {
	t.Parallel()
	p := newPeer(t)
	p.start(bus.Options{}, serving(bus.Function{ID: "a::echo", Handler: echo}))
	for range 20 { // doubled every time, the pauses would reach 17 minutes
		c := p.accept()
		c.invoke(uuid(1), "a::echo", "1")
		c.answer()
		c.ws.CloseNow()
	}
	p.accept()
}

func TestTheNameComesFromTheEnvironment(t *testing.T) {
	for _, tt := range []struct{ env, want string }{{" managed ", "managed"}, {"", hostname(t) + ":" + strconv.Itoa(os.Getpid())}} {
		t.Setenv("III_WORKER_NAME", tt.env)
		p := newPeer(t)
		client := bus.New(bus.Options{URL: p.url})
		ctx, stop := context.WithCancel(context.Background())
		done := make(chan error, 1)
		go func() { done <- client.Run(ctx) }()
		f := p.accept().expect("invokefunction")
		if got := decode(t, f["data"])["name"]; got != tt.want {
			t.Errorf("got name %v, want %s", got, tt.want)
		}
		stop()
		<-done
	}
}

func hostname(t *testing.T) string {
	t.Helper()
	name, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	return name
}
