package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"context-manager/internal/agent/agenttest"
	"context-manager/internal/bus"
	"context-manager/internal/devengine"
	"context-manager/internal/fakerouter"
)

func startEngine(t *testing.T) *devengine.Engine {
	t.Helper()
	e := devengine.New(devengine.Options{})
	if err := e.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	return e
}

func connect(t *testing.T, url, name string) *bus.Client {
	t.Helper()
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

// answered asks again until the worker is there.
func answered(t *testing.T, c *bus.Client) {
	t.Helper()
	deadline := time.Now().Add(patience)
	for {
		_, err := c.Call(context.Background(), bus.Request{FunctionID: "context::prune", Data: []byte(`{"messages":[]}`)})
		if err == nil {
			return
		}
		if time.Now().After(deadline) {
			t.Fatal(err)
		}
	}
}

func runRouter(t *testing.T, url string, answer func(fakerouter.ChatRequest) fakerouter.Script) *fakerouter.Router {
	t.Helper()
	router := fakerouter.New(fakerouter.Options{URL: url, Answer: answer})
	ctx, cancel := context.WithCancel(context.Background())
	ran := make(chan error, 1)
	go func() { ran <- router.Run(ctx) }()
	t.Cleanup(func() { cancel(); <-ran })
	wait, stop := context.WithTimeout(ctx, patience)
	defer stop()
	if err := router.Ready(wait); err != nil {
		t.Fatal(err)
	}
	return router
}

func compaction(key string) []byte {
	return agenttest.Request(agenttest.Object{"model": agenttest.Inline("big", 200000, 8000), "options": agenttest.Object{"lease_key": key}},
		agenttest.User(agenttest.Tokens(9000)), agenttest.User("q2"), agenttest.User("q3"))
}

func waitChats(t *testing.T, r *fakerouter.Router, n int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := r.WaitCount(ctx, fakerouter.ChatID, n); err != nil {
		t.Fatal(err)
	}
}

// A worker that is told to stop while a summary is being written fails the call,
// gives its lease back and exits with 0. Three seconds later it would be killed.
func TestSignalsEndTheWorkerCleanlyWithWorkInFlight(t *testing.T) {
	t.Parallel()
	for _, sig := range []os.Signal{syscall.SIGTERM, os.Interrupt} {
		t.Run(sig.String(), func(t *testing.T) {
			t.Parallel()
			engine := startEngine(t)
			router := runRouter(t, engine.URL(), func(fakerouter.ChatRequest) fakerouter.Script { return fakerouter.Hanging() })
			leases := t.TempDir()
			config := filepath.Join(t.TempDir(), "config.yaml")
			if err := os.WriteFile(config, []byte("lease_dir: "+leases+"\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			w := start(t, []string{"III_URL=" + engine.URL(), "III_CONFIG=" + config})
			c := connect(t, engine.URL(), "caller")
			answered(t, c)
			ended := make(chan error, 1)
			go func() {
				raw, err := c.Call(context.Background(), bus.Request{FunctionID: "context::compact", Data: compaction("s1"), Timeout: patience})
				if err == nil {
					err = fmt.Errorf("answered %s", raw)
				}
				ended <- err
			}()
			waitChats(t, router, 1)
			asked := time.Now()
			for range 2 { // a person and a supervisor may both send one
				if err := w.cmd.Process.Signal(sig); err != nil && !errors.Is(err, os.ErrProcessDone) {
					t.Fatal(err)
				}
			}
			if code := w.exit(); code != 0 {
				t.Errorf("exit code %d, want 0:\n%s", code, w.printed())
			}
			t.Logf("%v from the signal to the end; 3 s are allowed", time.Since(asked).Round(time.Millisecond))
			if err := <-ended; !strings.Contains(err.Error(), "context/stopping") && !strings.Contains(err.Error(), "invocation_stopped") {
				t.Errorf("the call in flight ended with %v", err)
			}
			left, err := filepath.Glob(filepath.Join(leases, "context_lease", "*.json"))
			if err != nil || len(left) != 0 {
				t.Errorf("leases left: %v (%v), want none", left, err)
			}
		})
	}
}

// A worker that is killed while a summary is being written leaves its lease to
// expire; the next worker can compact the same key within one TTL.
func TestAKilledWorkerBlocksItsKeyForOneTTLAtMost(t *testing.T) {
	t.Parallel()
	engine := startEngine(t)
	// The first chat is the killed worker's. Any later one is answered: a machine
	// so busy that a renewal comes late may need more than one.
	router := runRouter(t, engine.URL(), func(q fakerouter.ChatRequest) fakerouter.Script {
		if q.Chat == 1 {
			return fakerouter.Hanging()
		}
		return fakerouter.Summary("## Goal\n- go on")
	})
	config := filepath.Join(t.TempDir(), "config.yaml")
	text := "lease_ttl_secs: 2\nlease_dir: " + t.TempDir() + "\n"
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	env := []string{"III_URL=" + engine.URL(), "III_CONFIG=" + config}
	first := start(t, env)
	c := connect(t, engine.URL(), "caller")
	answered(t, c)
	ended := make(chan error, 1)
	go func() {
		_, err := c.Call(context.Background(), bus.Request{FunctionID: "context::compact", Data: compaction("s1"), Timeout: patience})
		ended <- err
	}()
	waitChats(t, router, 1)
	killed := time.Now()
	if err := first.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	first.exit()
	if err := <-ended; err == nil || !strings.Contains(err.Error(), "invocation_stopped") {
		t.Errorf("the caller got %v, want invocation_stopped", err)
	}
	start(t, env)
	answered(t, c)
	for {
		raw, err := c.Call(context.Background(), bus.Request{FunctionID: "context::compact", Data: compaction("s1"), Timeout: patience})
		if err != nil {
			t.Fatal(err)
		}
		var answer struct{ Status, Summary string }
		if err := json.Unmarshal(raw, &answer); err != nil {
			t.Fatal(err)
		}
		if answer.Status == "ok" {
			break
		}
		if answer.Status != "busy" || time.Since(killed) > patience {
			t.Fatalf("answered %s", raw)
		}
	}
	t.Logf("free %v after the kill; the TTL is 2 s", time.Since(killed).Round(time.Millisecond))
}

// Nobody has to kill a command that waits for its input.
func TestASignalEndsACommandThatReads(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"call", "assemble"}, {"call", "prune", "--lines"}, {"tokens"}, {"tokens", "--lines"}} {
		t.Run(strings.Join(args, " "), func(t *testing.T) {
			t.Parallel()
			in, _ := io.Pipe()
			ctx, cancel := context.WithCancelCause(context.Background())
			var stdout, stderr bytes.Buffer
			ended := make(chan int, 1)
			go func() {
				ended <- run(ctx, process{args: args, stdin: in, stdout: &stdout, stderr: &stderr, getenv: func(string) (string, bool) { return "", false }})
			}()
			cancel(errors.New("interrupt signal received"))
			select {
			case code := <-ended:
				if code != 1 || stdout.Len() > 0 || !strings.Contains(stderr.String(), "interrupt signal received") {
					t.Errorf("exit code %d, %q, want 1 and the reason", code, stderr.String())
				}
			case <-time.After(patience):
				t.Fatal("it goes on reading")
			}
		})
	}
}

// Half a line behind a whole one does not hold its answer back.
func TestTokensAnswersBeforeTheNextWholeLine(t *testing.T) {
	t.Parallel()
	in, input := io.Pipe()
	output, out := io.Pipe()
	ended := make(chan int, 1)
	go func() {
		ended <- run(context.Background(), process{args: []string{"tokens", "--lines"}, stdin: in, stdout: out, stderr: io.Discard,
			getenv: func(string) (string, bool) { return "", false }})
		out.Close()
	}()
	if _, err := input.Write([]byte("{\"text\":\"a b\"}\n{\"te")); err != nil {
		t.Fatal(err)
	}
	line := make([]byte, 100)
	if n, err := output.Read(line); err != nil || string(line[:n]) != "{\"tokens\":2}\n" {
		t.Errorf("got %q, %v, want the answer", line[:n], err)
	}
	input.Close()
	if _, err := io.Copy(io.Discard, output); err != nil {
		t.Error(err)
	}
	if code := <-ended; code != 1 {
		t.Errorf("exit code %d, want 1 for half a line", code)
	}
}

func TestPasswordsAreNotShown(t *testing.T) {
	t.Parallel()
	got := play(t, hello, nil, "call", "count-tokens", "--url", "ws://user:secret@127.0.0.1:1")
	if got.code != 1 || strings.Contains(got.stderr, "secret") || !strings.Contains(got.stderr, "user:xxxxx@127.0.0.1:1") {
		t.Errorf("got %+v, want the URL without its password", got)
	}
	for _, address := range []string{"http://user:secret@127.0.0.1:1", "ws://user:secret@127.0.0.1:1x", "ws://user:secret%zz@h:1",
		"ws://user:sec ret@h:1", "ws://user:secret#@h:1", "user:secret@host:1", "//user:secret@h"} {
		got = play(t, "", nil, "--url", address)
		if got.code != 2 || strings.Contains(got.stderr, "secret") || !strings.Contains(got.stderr, "engine URL") {
			t.Errorf("%s: %+v, want the URL without its password", address, got)
		}
	}
}

func TestDevSaysReadyAloneOnStdoutAndAnswers(t *testing.T) {
	t.Parallel()
	dev := start(t, nil, "dev", "--listen", "127.0.0.1:0")
	dev.until("ready ws://127.0.0.1:")
	_, after, _ := strings.Cut(dev.printed(), "ready ")
	url, _, _ := strings.Cut(after, "\n")
	got := play(t, hello, nil, "call", "count-tokens", "--url", url)
	if got.code != 0 || !strings.Contains(got.stdout, `"tokens": 18`) {
		t.Errorf("call --url: %+v, want 18 tokens", got)
	}
	got = play(t, "[]", nil, "call", "count-tokens", "--url", url)
	if got.code != 1 || !strings.HasPrefix(got.stderr, "context/invalid_request: ") || strings.Count(got.stderr, "context/invalid_request") != 1 {
		t.Errorf("call --url with a bad request: %+v, want the code once", got)
	}
	if err := dev.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if code := dev.exit(); code != 0 {
		t.Errorf("exit code %d, want 0:\n%s", code, dev.printed())
	}
}

func TestDevSaysWhoMayHoldThePort(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	address := l.Addr().String()
	got := play(t, "", nil, "dev", "--listen", address)
	want := address + " is in use (an iii engine?); try --listen 127.0.0.1:0"
	if got.code != 1 || !strings.Contains(got.stderr, want) || got.stdout != "" {
		t.Errorf("got %+v, want exit code 1 and %q", got, want)
	}
}

func TestWithoutAnEngineTheWorkerSaysSoAndWaits(t *testing.T) {
	t.Parallel()
	w := start(t, []string{"III_URL=", "III_ENGINE_URL=ws://127.0.0.1:1"})
	w.until(`cannot reach ws://127.0.0.1:1 (refused); retrying. Start one with "iii", or try "context-manager dev"`)
	if err := w.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if code := w.exit(); code != 0 {
		t.Errorf("exit code %d, want 0:\n%s", code, w.printed())
	}
	got := play(t, hello, nil, "call", "count-tokens", "--url", "ws://127.0.0.1:1")
	if got.code != 1 || !strings.Contains(got.stderr, "cannot reach ws://127.0.0.1:1 (refused)") {
		t.Errorf("call --url: %+v, want exit code 1 and the reason", got)
	}
}

func TestTheHintComesOnceAndThenEveryThirtySeconds(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	now := time.UnixMilli(1)
	h := &dialHint{w: &out, url: "ws://x", now: func() time.Time { return now }}
	for range 61 { // one try a second
		h.tell(syscall.ECONNREFUSED, 1)
		now = now.Add(time.Second)
	}
	if n := strings.Count(out.String(), "cannot reach"); n != 3 {
		t.Errorf("%d hints in 60 s, want 3", n)
	}
}
