//go:build unix

package lease_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"context-manager/lease"

	"github.com/gofrs/flock"
)

// The test binary runs itself in these roles, so that leases are contended by
// real processes, which can be killed.
const roleVar, dirVar, idVar = "LEASE_TEST_ROLE", "LEASE_TEST_DIR", "LEASE_TEST_ID"

// The key and TTL that all roles share.
const (
	stressKey = "stress/key"
	stressTTL = 400 * time.Millisecond
)

func TestMain(m *testing.M) {
	roles := map[string]func() error{
		"holder":   runHolder,
		"observer": runObserver,
		"one":      runOne,
		"locker":   runLocker,
	}
	name := os.Getenv(roleVar)
	if name == "" {
		os.Exit(m.Run())
	}
	role, ok := roles[name]
	if !ok {
		role = func() error { return fmt.Errorf("no such role") }
	}
	if err := role(); err != nil {
		fmt.Fprintf(os.Stderr, "%s %s: %v\n", name, os.Getenv(idVar), err)
		os.Exit(3)
	}
	os.Exit(0)
}

// self prepares this binary in a role. It ends when its standard input does,
// so it cannot outlive the test.
func self(t *testing.T, role, dir string, id int) (cmd *exec.Cmd, stdin io.WriteCloser) {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd = exec.Command(path)
	cmd.Env = append(os.Environ(), roleVar+"="+role, dirVar+"="+dir, fmt.Sprint(idVar, "=", id))
	cmd.Stderr = os.Stderr
	if stdin, err = cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	return cmd, stdin
}

// stdinEnds gives a context that lasts as long as the parent wants.
func stdinEnds() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		defer cancel()
		_, _ = io.Copy(io.Discard, os.Stdin)
	}()
	return ctx
}

// wait ends early with ctx.
func wait(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}

// between is a random duration.
func between(low, high time.Duration) time.Duration { return low + rand.N(high-low) }

// stampClock remembers the last reading, which after a successful Acquire or
// Renew is the stamp that was written.
type stampClock struct{ last atomic.Int64 }

func (c *stampClock) Now() time.Time {
	now := time.Now()
	c.last.Store(now.UnixNano())
	return now
}

// until is when the claim stamped last expires: leases count in milliseconds.
func (c *stampClock) until() int64 {
	return time.Unix(0, c.last.Load()).Truncate(time.Millisecond).Add(stressTTL).UnixNano()
}

// runHolder acquires and works over and over, and marks on descriptor 3 when
// it holds. One write is one mark, which a pipe keeps whole.
func runHolder() error {
	marks := os.NewFile(3, "marks")
	var clock stampClock
	store, err := lease.Open(os.Getenv(dirVar), lease.Options{Clock: clock.Now})
	if err != nil {
		return err
	}
	mark := func(kind string, ns int64) {
		fmt.Fprintf(marks, "%s %s %d\n", kind, os.Getenv(idVar), ns)
	}
	for ctx := stdinEnds(); ctx.Err() == nil; wait(ctx, between(5*time.Millisecond, 60*time.Millisecond)) {
		l, err := store.Acquire(context.Background(), stressKey, stressTTL)
		if held := (*lease.HeldError)(nil); errors.As(err, &held) {
			continue
		}
		if err != nil {
			return err
		}
		stamp := clock.last.Load()
		mark("until", clock.until())
		mark("begin", stamp)
		err = work(ctx, l, func() { mark("until", clock.until()) })
		if errors.Is(err, lease.ErrLost) {
			mark("lost", time.Now().UnixNano())
		} else if err != nil {
			return err
		} else {
			mark("end", time.Now().UnixNano())
		}
		if err := l.Release(); err != nil {
			return err
		}
	}
	return nil
}

// work is mostly short, sometimes longer than the TTL and then renewed.
func work(ctx context.Context, l *lease.Lease, renewed func()) error {
	long := time.Duration(0)
	switch n := rand.N(100); {
	case n < 3:
		long = between(stressTTL, 2*stressTTL)
	case n < 12:
		long = between(stressTTL/10, stressTTL/4)
	default:
		long = between(time.Millisecond, 8*time.Millisecond)
	}
	for ; long > 0; long -= stressTTL / 4 {
		wait(ctx, min(long, stressTTL/4))
		if long <= stressTTL/4 {
			break
		}
		if err := l.Renew(context.Background()); err != nil {
			return err
		}
		renewed()
	}
	return l.Check(context.Background())
}

// runOne acquires, prints its stamp in milliseconds and works for ever.
func runOne() error {
	var clock stampClock
	store, err := lease.Open(os.Getenv(dirVar), lease.Options{Clock: clock.Now})
	if err != nil {
		return err
	}
	if _, err := store.Acquire(context.Background(), stressKey, stressTTL); err != nil {
		return err
	}
	fmt.Println(clock.last.Load() / int64(time.Millisecond))
	<-stdinEnds().Done()
	return nil
}

// runLocker stops in the middle of a transition.
func runLocker() error {
	lock := flock.New(filepath.Join(os.Getenv(dirVar), "locks", lease.StripeOf(stressKey)+".lock"))
	if err := lock.Lock(); err != nil {
		return err
	}
	fmt.Println(0)
	<-stdinEnds().Done()
	return nil
}

// startOne runs a role that prints one number and waits.
func startOne(t *testing.T, role, dir string) (cmd *exec.Cmd, number int64) {
	t.Helper()
	cmd, stdin := self(t, role, dir, 0)
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { stdin.Close() })
	if _, err := fmt.Fscan(bufio.NewReader(stdout), &number); err != nil {
		t.Fatalf("role %s said nothing: %v", role, err)
	}
	return cmd, number
}

// kill ends a process as kill -9 does, and returns when it is dead.
func kill(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // says that it was killed
}
