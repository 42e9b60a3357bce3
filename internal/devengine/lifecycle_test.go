package devengine_test

import (
	"errors"
	"net"
	"os"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"context-manager/internal/devengine"
)

// TestCloseLeavesNothing is not parallel: it counts the goroutines of the
// whole process, which no other test may change meanwhile.
func TestCloseLeavesNothing(t *testing.T) {
	before := runtime.NumGoroutine()
	e := devengine.New(devengine.Options{})
	if got := runtime.NumGoroutine(); got != before {
		t.Fatalf("New: got %d goroutines, want %d", got, before)
	}
	if err := e.Start(); err != nil {
		t.Fatal(err)
	}
	// One of everything that has a goroutine or a timer.
	a, b := connect(t, e, "a"), connect(t, e, "b")
	pending := dialClient(t, e, "pending")
	b.send(`{"type":"registerfunction","id":"b::f"}`)
	b.send(`{"type":"registertriggertype","id":"b::t","description":""}`)
	b.settle()
	a.ask("b::f", `{}`)
	b.want(`{"type":"invokefunction","function_id":"b::f","$more":true}`)
	e.Delay("b::f", time.Hour)
	a.ask("b::f", `{}`)
	a.ask("engine::register_trigger", `{"trigger_type":"b::t","function_id":"b::f"}`)
	b.want(`{"type":"registertrigger","$more":true}`)
	a.call("engine::channels::create", `{}`, `{"writer":{"channel_id":"$string(ch)","access_key":"$string(key)","direction":"write"},"reader":"$object"}`)
	end := e.URL() + "/ws/channels/" + a.vars["ch"].(string) + "?key=" + a.vars["key"].(string) + "&dir="
	others := []*peer{a.peer, b.peer, pending.peer}
	for _, url := range []string{end + "read", end + "write", end + "read", e.URL() + "/otel"} {
		k, err := dialPeer(url, url)
		if err != nil {
			t.Fatal(err)
		}
		others = append(others, k)
	}
	idle, err := net.Dial("tcp", strings.TrimPrefix(e.URL(), "ws://"))
	if err != nil {
		t.Fatal(err)
	}
	defer idle.Close()
	e.Stall("b")

	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	for _, k := range others {
		if err := k.wantClosed(nil, patience); err != nil {
			t.Error(err)
		}
		k.kill()
	}
	idle.Close()
	// The peers' own goroutines, and ours inside net/http, end a moment after
	// what they were waited for by.
	deadline := time.Now().Add(patience)
	for runtime.NumGoroutine() > before {
		if time.Now().After(deadline) {
			stacks := make([]byte, 1<<16)
			t.Fatalf("got %d goroutines, want %d\n%s", runtime.NumGoroutine(), before, stacks[:runtime.Stack(stacks, true)])
		}
		runtime.Gosched()
	}
	if err := e.Close(); err != nil {
		t.Errorf("closing twice: got %v, want nil", err)
	}
	if err := e.Start(); !errors.Is(err, devengine.ErrClosed) {
		t.Errorf("Start after Close: got %v, want %v", err, devengine.ErrClosed)
	}
	if err := e.Restart(0); !errors.Is(err, devengine.ErrState) {
		t.Errorf("Restart after Close: got %v, want %v", err, devengine.ErrState)
	}
}

func TestAddressInUse(t *testing.T) {
	t.Parallel()
	first := start(t, devengine.Options{})
	second := devengine.New(devengine.Options{Listen: strings.TrimPrefix(first.URL(), "ws://")})
	if err := second.Start(); !errors.Is(err, syscall.EADDRINUSE) {
		t.Errorf("got %v, want EADDRINUSE", err)
	}
	if err := first.Start(); !errors.Is(err, devengine.ErrState) {
		t.Errorf("Start twice: got %v, want %v", err, devengine.ErrState)
	}
}

func TestListensOnLoopbackOnly(t *testing.T) {
	t.Parallel()
	for _, address := range []string{"0.0.0.0:0", ":0", "example.org:80", "127.0.0.1"} {
		e := devengine.New(devengine.Options{Listen: address})
		if err := e.Start(); err == nil {
			e.Close()
			t.Errorf("%s: got no error, want it refused", address)
		}
	}
	e := start(t, devengine.Options{Listen: "localhost:0"})
	connect(t, e, "a")
}

func TestConfigDirThatCannotBe(t *testing.T) {
	t.Parallel()
	file := t.TempDir() + "/file"
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	e := devengine.New(devengine.Options{ConfigDir: file})
	if err := e.Start(); err == nil {
		e.Close()
		t.Error("got no error, want the directory refused")
	}
}

func TestRestart(t *testing.T) {
	t.Parallel()
	heard := make(chan time.Time, 8)
	e := devengine.New(devengine.Options{OnListen: func(at time.Time) { heard <- at }})
	if err := e.Restart(0); !errors.Is(err, devengine.ErrState) {
		t.Errorf("Restart before Start: got %v, want %v", err, devengine.ErrState)
	}
	if err := e.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	first := <-heard
	url := e.URL()
	a := connect(t, e, "a")
	a.send(`{"type":"registerfunction","id":"a::f"}`)
	a.call("configuration::register", `{"id":"c","name":"N","description":"D","schema":{"type":"object"},"initial_value":{"n":1}}`, `"$object"`)
	if err := e.Restart(time.Millisecond); err != nil {
		t.Fatal(err)
	}
	if second := <-heard; !second.After(first) {
		t.Errorf("OnListen: got %v after %v", second, first)
	}
	a.gone()
	if e.URL() != url {
		t.Errorf("URL: got %s, want %s", e.URL(), url)
	}
	// The name is free, the function gone; the value is there, its schema not.
	b := connect(t, e, "a")
	b.fail("a::f", `{}`, "function_not_found")
	b.call("configuration::get", `{"id":"c"}`, `{"id":"c","value":{"n":1}}`)
	b.call("configuration::schema", `{"id":"c"}`, `{"id":"c","name":"N","description":"D","schema":null}`)
	b.fail("configuration::set", `{"id":"c","value":{}}`, "SCHEMA_UNAVAILABLE")
	b.call("configuration::register", `{"id":"c","name":"N","description":"D","schema":{"type":"object"}}`, `{"value":{"n":1},"$more":true}`)
	b.call("configuration::set", `{"id":"c","value":{}}`, `{"old_value":{"n":1},"new_value":{}}`)
	for range 5 {
		id := b.vars["id"].(string)
		b.ask("a::f", `{}`)
		if err := e.Restart(0); err != nil {
			t.Fatal(err)
		}
		b.gone()
		if b = connect(t, e, "a"); b.vars["id"] == id {
			t.Fatalf("got the worker id %s again", id)
		}
	}
}

func TestCloseEndsRestart(t *testing.T) {
	t.Parallel()
	e := devengine.New(devengine.Options{})
	if err := e.Start(); err != nil {
		t.Fatal(err)
	}
	a := connect(t, e, "a")
	done := make(chan error)
	go func() { done <- e.Restart(time.Hour) }()
	a.gone() // it is down
	e.Close()
	if err := <-done; !errors.Is(err, devengine.ErrClosed) {
		t.Errorf("got %v, want %v", err, devengine.ErrClosed)
	}
}
