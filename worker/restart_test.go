package worker

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"context-manager/internal/agent/agenttest"
	"context-manager/internal/bus"
	"context-manager/internal/devengine"
)

// restarts is how often the engine goes down; ENGINE_RESTARTS asks for more.
func restarts() int {
	if n, err := strconv.Atoi(os.Getenv("ENGINE_RESTARTS")); err == nil && n > 0 {
		return n
	}
	return 10
}

// TestRestartsUnderLoad takes the engine away while calls run. Calls that are
// in flight then fail with a code; nearly all others are right; nothing is left
// over. It is not parallel, because it counts goroutines and open files.
func TestRestartsUnderLoad(t *testing.T) {
	var listening atomic.Int64
	engine := startEngine(t, devengine.Options{OnListen: func(at time.Time) { listening.Store(at.UnixNano()) }})
	r := newRig(t, engine, Options{})
	if err := assembled(context.Background(), r.caller, 100, 0); err != nil {
		t.Fatal(err)
	}
	goroutines, files := runtime.NumGoroutine(), openFiles(t)

	load := &load{caller: r.caller, stop: make(chan struct{})}
	for i := range 4 {
		load.all.Go(func() { load.run(i) })
	}
	var recovery time.Duration
	for range restarts() {
		load.settle(200)
		inFlight := r.holdOne(engine.URL())
		down := time.Duration(rand.IntN(300)) * time.Millisecond
		if err := engine.Restart(down); err != nil {
			t.Fatal(err)
		}
		if err := <-inFlight; !isCoded(err) {
			t.Errorf("the call in flight ended with %v, want a coded error", err)
		}
		recovery = max(recovery, load.recovered(t, listening.Load()))
	}
	close(load.stop)
	load.all.Wait()
	t.Logf("%d calls sent while connected, %d right, %d failed with a code; longest time from listening to the first right answer %v",
		load.sent.Load(), load.right.Load(), load.coded.Load(), recovery)
	load.codes.Range(func(text, _ any) bool { t.Log(text); return true })
	if load.right.Load()*100 < load.sent.Load()*95 {
		t.Errorf("%d of %d calls were right, want at least 95 %%", load.right.Load(), load.sent.Load())
	}
	if odd := load.sent.Load() - load.right.Load() - load.coded.Load(); odd != 0 {
		t.Errorf("%d calls ended without a code: %v", odd, load.odd.Load())
	}
	settled(t, "goroutines", goroutines, func() int { return runtime.NumGoroutine() })
	settled(t, "open files", files, func() int { return openFiles(t) })
}

// holdOne starts a call that cannot end by itself and returns when the worker
// has it in hand.
func (r *rig) holdOne(url string) <-chan error {
	r.t.Helper()
	c := bus.New(bus.Options{URL: url, Worker: bus.WorkerInfo{Name: fmt.Sprint("holder-", rand.Uint32())}})
	ctx, cancel := context.WithCancel(context.Background())
	ran := make(chan error, 1)
	go func() { ran <- c.Run(ctx) }()
	s := &slowModels{came: make(chan string, 8), release: make(chan struct{})}
	wait, stop := context.WithTimeout(ctx, patience)
	defer stop()
	if err := c.WaitConnected(wait); err != nil {
		r.t.Fatal(err)
	}
	c.RegisterFunction(bus.Function{ID: "router::models::budget", Handler: s.answer})
	waitListed(r.t, c, "router::models::budget")
	ended := make(chan error, 1)
	go func() {
		_, err := r.call("context::assemble", agenttest.Object{"messages": []any{},
			"model": agenttest.Object{"id": fmt.Sprint("slow", rand.Uint64())}})
		cancel()
		<-ran
		ended <- err
	}()
	<-s.came
	return ended
}

func isCoded(err error) bool {
	c := interface{ ErrorCode() string }(nil)
	return err != nil && errors.As(err, &c) && c.ErrorCode() != ""
}

// load keeps calling and keeps the score.
type load struct {
	caller             *bus.Client
	stop               chan struct{}
	all                sync.WaitGroup
	sent, right, coded atomic.Int64
	odd                atomic.Value
	codes              sync.Map     // text of a coded failure → true
	lastRight          atomic.Int64 // when, in ns
}

func (l *load) run(marker int) {
	for {
		select {
		case <-l.stop:
			return
		default:
		}
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		if err := l.caller.WaitConnected(ctx); err != nil {
			cancel()
			continue
		}
		err := assembled(ctx, l.caller, 2000, marker)
		cancel()
		remote := (*bus.RemoteError)(nil)
		switch {
		case err == nil:
			l.sent.Add(1)
			l.right.Add(1)
			l.lastRight.Store(time.Now().UnixNano())
		case errors.As(err, &remote) && remote.Code == "function_not_found":
			// The caller is back before the worker is: nobody was there to answer.
		case isCoded(err):
			l.sent.Add(1)
			l.coded.Add(1)
			l.codes.Store(err.Error(), true)
		default:
			l.sent.Add(1)
			l.odd.Store(err.Error())
		}
	}
}

// settle waits for n more right answers.
func (l *load) settle(n int64) {
	for want := l.right.Load() + n; l.right.Load() < want; {
		runtime.Gosched()
	}
}

// recovered waits for the first right answer after the engine listens again and
// returns how long that took.
func (l *load) recovered(t *testing.T, since int64) time.Duration {
	t.Helper()
	deadline := time.Now().Add(patience)
	for l.lastRight.Load() < since {
		if time.Now().After(deadline) {
			t.Fatalf("no right answer within %v of the engine listening again", patience)
		}
		runtime.Gosched()
	}
	return time.Duration(l.lastRight.Load() - since)
}

func openFiles(t *testing.T) int {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return 0 // not Linux: nothing to compare
	}
	return len(entries)
}

// settled waits until a count is back at its baseline, give or take two.
func settled(t *testing.T, what string, baseline int, count func() int) {
	t.Helper()
	deadline := time.Now().Add(patience)
	for {
		got := count()
		if got <= baseline+2 {
			return
		}
		if time.Now().After(deadline) {
			t.Errorf("%d %s, want the baseline %d ± 2", got, what, baseline)
			return
		}
		runtime.Gosched()
	}
}
