package bus_test

import (
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"context-manager/internal/bus"
)

func TestARefusedNameIsTriedFiveMoreTimesAndThenFatal(t *testing.T) {
	t.Parallel()
	p := newPeer(t)
	r := p.start(bus.Options{Worker: bus.WorkerInfo{Name: "ctx"}, ConflictWindow: 10 * time.Millisecond})
	for range 6 {
		c := p.accept().announced()
		c.send(`{"type":"registrationrejected","code":"WORKER_NAMESPACE_CONFLICT","namespace":"default","worker_name":"ctx","owner_worker_id":"W9"}`)
		c.ws.CloseNow()
	}
	err := r.wait(t)
	var conflict *bus.WorkerConflictError
	if !errors.As(err, &conflict) || conflict.Name != "ctx" || conflict.Owner != "W9" || conflict.Namespace != "default" {
		t.Fatalf("got %v, want a *WorkerConflictError for ctx and W9", err)
	}
	for _, part := range []string{`"ctx"`, `"default"`, "W9", "WORKER_NAMESPACE_CONFLICT"} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("got %q, want %s in it", err, part)
		}
	}
	if len(p.conns) != 0 {
		t.Error("the worker connected again after the last try")
	}
}

// The engine answers calls and judges the name on tasks of their own, so a
// refused connection may have carried an answer first.
func TestARefusalBehindAnAnsweredCallCounts(t *testing.T) {
	t.Parallel()
	p := newPeer(t)
	r := p.start(bus.Options{ConflictWindow: 10 * time.Millisecond}, serving(bus.Function{ID: "a::echo", Handler: echo}))
	for range 6 {
		c := p.accept().announced()
		c.invoke(uuid(1), "a::echo", "1")
		c.answer()
		c.send(`{"type":"registrationrejected","code":"WORKER_NAMESPACE_CONFLICT","worker_name":"w"}`)
	}
	if err := r.wait(t); !errors.As(err, new(*bus.WorkerConflictError)) {
		t.Errorf("got %v, want a *WorkerConflictError", err)
	}
}

// What the refusal is about is said; a name is only one of the things.
func TestAnotherRefusalIsNotTakenForTheName(t *testing.T) {
	t.Parallel()
	p := newPeer(t)
	logs := &logBuffer{}
	r := p.start(bus.Options{ConflictWindow: 10 * time.Millisecond, ConflictTries: 1, Logger: slog.New(slog.NewTextHandler(logs, nil))})
	for range 2 {
		p.accept().announced().send(`{"type":"registrationrejected","code":"QUOTA","namespace":"default"}`)
	}
	err := r.wait(t)
	if err == nil || !strings.Contains(err.Error(), "QUOTA") || strings.Contains(err.Error(), "has the name") {
		t.Errorf("got %v, want the code and nothing about the name", err)
	}
	logs.wait(t, "level=WARN", "refused this worker", "QUOTA")
}

func TestANameThatBecomesFreeIsTaken(t *testing.T) {
	t.Parallel()
	p := newPeer(t)
	p.start(bus.Options{ConflictWindow: 10 * time.Millisecond}, serving(bus.Function{ID: "a::echo", Handler: echo}))
	for range 2 { // the first answered call makes the count begin again
		for range 5 {
			c := p.accept().announced()
			c.send(`{"type":"registrationrejected","code":"WORKER_NAMESPACE_CONFLICT","worker_name":"w"}`)
			c.ws.CloseNow()
		}
		c := p.accept()
		c.invoke(uuid(1), "a::echo", "1")
		c.answer()
		c.ws.CloseNow()
	}
	p.accept()
}

func TestRefusedFunctions(t *testing.T) {
	t.Parallel()
	const refusal = `{"type":"registrationrejected","code":"FUNCTION_NAMESPACE_CONFLICT","namespace":"default","function_id":%q,"owner_worker_id":"W7"}`
	functions := serving(
		bus.Function{ID: "a::f", Handler: echo},
		bus.Function{ID: "a::g", Handler: echo},
		bus.Function{ID: "a::notice", Handler: echo, Bypass: true},
	)
	works := func(t *testing.T, c *peerConn) {
		t.Helper()
		for i := range 50 { // takes longer than settling
			c.invoke(uuid(i), "a::g", "1")
			if got := c.answer(); got["error"] != nil {
				t.Errorf("got %v, want the worker to go on", got)
			}
		}
	}
	t.Run("some are a warning", func(t *testing.T) {
		t.Parallel()
		p := newPeer(t)
		logs := &logBuffer{}
		p.start(bus.Options{ConflictSettle: time.Millisecond, Logger: slog.New(slog.NewTextHandler(logs, nil))}, functions)
		c := p.accept().announced()
		c.send(refusal, "a::f")
		c.send(refusal, "a::notice")
		logs.wait(t, "level=WARN", "a::f", "W7", "a::notice")
		works(t, c)
	})
	t.Run("all public ones are fatal", func(t *testing.T) {
		t.Parallel()
		p := newPeer(t)
		r := p.start(bus.Options{ConflictSettle: time.Millisecond}, functions)
		c := p.accept().announced()
		c.send(refusal, "a::f")
		c.send(refusal, "a::g")
		err := r.wait(t)
		var conflict *bus.FunctionConflictError
		if !errors.As(err, &conflict) || conflict.Owner != "W7" || strings.Join(conflict.IDs, " ") != "a::f a::g" {
			t.Fatalf("got %v, want a *FunctionConflictError naming both ids and W7", err)
		}
		if !strings.Contains(err.Error(), "W7") || !strings.Contains(err.Error(), "a::f") {
			t.Errorf("got %q, want owner and ids in it", err)
		}
	})
	t.Run("registering anew forgives", func(t *testing.T) {
		t.Parallel()
		p := newPeer(t)
		r := p.start(bus.Options{ConflictSettle: time.Millisecond}, functions)
		c := p.accept().announced()
		c.send(refusal, "a::g")
		c.send(`{"type":"ping"}`)
		c.expect("pong")
		r.RegisterFunction(bus.Function{ID: "a::g", Handler: echo})
		c.send(refusal, "a::f")
		works(t, c)
		c.send(refusal, "a::g")
		var conflict *bus.FunctionConflictError
		if err := r.wait(t); !errors.As(err, &conflict) {
			t.Errorf("got %v, want a *FunctionConflictError once both are refused", err)
		}
	})
}
