package worker

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"context-manager/internal/bus"
	"context-manager/internal/devengine"
)

// patience is how long a test waits for something that must come. Nothing is
// asserted about how long it really takes.
const patience = 2 * time.Minute

// rig is an embedded engine with a worker and a caller on it.
type rig struct {
	t      *testing.T
	engine *devengine.Engine
	worker *Worker
	caller *bus.Client
	log    *logBook
	// stop ends the worker and returns what Run returned.
	stop func() error
}

func startEngine(t *testing.T, o devengine.Options) *devengine.Engine {
	t.Helper()
	e := devengine.New(o)
	if err := e.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	return e
}

// newRig starts a worker on an engine and waits until it serves. The lease
// directory is one of the test's own unless the options say otherwise.
func newRig(t *testing.T, engine *devengine.Engine, o Options) *rig {
	t.Helper()
	r := &rig{t: t, engine: engine, log: &logBook{}}
	serving := make(chan struct{})
	o.URL = engine.URL()
	o.Logger = slog.New(slog.NewTextHandler(r.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	o.OnServing = func() { close(serving) }
	r.worker = New(o)
	ctx, cancel := context.WithCancel(context.Background())
	ran := make(chan error, 1)
	go func() { ran <- r.worker.Run(ctx) }()
	r.stop = sync.OnceValue(func() error { cancel(); return <-ran })
	t.Cleanup(func() {
		if err := r.stop(); err != nil {
			t.Errorf("the worker ended with %v", err)
		}
	})
	select {
	case <-serving:
	case <-time.After(patience):
		t.Fatalf("the worker does not serve; its log:\n%s", r.log)
	}
	r.caller = connect(t, engine.URL())
	return r
}

var callers sync.Mutex
var callerCount int

// connect gives a client of its own to a test.
func connect(t *testing.T, url string) *bus.Client {
	t.Helper()
	callers.Lock()
	callerCount++
	name := fmt.Sprint("caller-", callerCount)
	callers.Unlock()
	c := bus.New(bus.Options{URL: url, Worker: bus.WorkerInfo{Name: name}})
	ctx, cancel := context.WithCancel(context.Background())
	ran := make(chan error, 1)
	go func() { ran <- c.Run(ctx) }()
	t.Cleanup(func() { cancel(); <-ran })
	wait, stop := context.WithTimeout(ctx, patience)
	defer stop()
	if err := c.WaitConnected(wait); err != nil {
		t.Fatal(err)
	}
	return c
}

// call invokes a function; data is any value that JSON can spell.
func (r *rig) call(function string, data any) (json.RawMessage, error) {
	raw, err := json.Marshal(data)
	if err != nil {
		return nil, err
	}
	return r.caller.Call(context.Background(), bus.Request{FunctionID: function, Data: raw, Timeout: patience})
}

// must is call for what has to work.
func (r *rig) must(function string, data any) map[string]any {
	r.t.Helper()
	raw, err := r.call(function, data)
	if err != nil {
		r.t.Fatalf("%s: %v", function, err)
	}
	var out map[string]any
	if err := json.Unmarshal(raw, &out); err != nil {
		r.t.Fatalf("%s answered %s", function, raw)
	}
	return out
}

// set writes the configuration and waits until the worker has taken it.
func (r *rig) set(value map[string]any) {
	r.t.Helper()
	r.must("configuration::set", map[string]any{"id": Name, "value": value})
	r.must("context::on-config-change", map[string]any{})
}

// until asks again and again, through the worker itself, until something holds.
func (r *rig) until(what string, holds func() bool) {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	for !holds() {
		if _, err := r.call("context::on-config-change", map[string]any{}); err != nil && !errors.Is(err, bus.ErrDisconnected) {
			r.t.Logf("asking again: %v", err)
		}
		if ctx.Err() != nil {
			r.t.Fatalf("%s does not come true; the worker's log:\n%s", what, r.log)
		}
	}
}

// logBook keeps what a worker logs.
type logBook struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *logBook) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *logBook) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

func (l *logBook) has(parts ...string) bool {
	for line := range strings.SplitSeq(l.String(), "\n") {
		all := true
		for _, p := range parts {
			all = all && strings.Contains(line, p)
		}
		if all {
			return true
		}
	}
	return false
}

var _ io.Writer = (*logBook)(nil)
