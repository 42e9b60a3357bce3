package lease_test

import (
	"context"
	"errors"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"context-manager/lease"

	"github.com/gofrs/flock"
)

// Many goroutines over two stores: one winner a round, and a count that they
// all write without a lock of its own comes out right.
func TestAcquire_goroutines(t *testing.T) {
	t.Parallel()
	b := setup(t)
	stores := []*lease.Store{b.store, b.open(t)}
	const workers, rounds = 32, 8
	var (
		wg     sync.WaitGroup
		inside atomic.Int32
		done   atomic.Int32
	)
	for i := range workers {
		wg.Go(func() {
			for done.Load() < rounds {
				l, err := stores[i%2].Acquire(context.Background(), "k", defaultTTL)
				if held := (*lease.HeldError)(nil); errors.As(err, &held) {
					continue
				}
				if err != nil {
					t.Errorf("Acquire: %v", err)
					return
				}
				if n := inside.Add(1); n != 1 {
					t.Errorf("%d holders at once, want 1", n)
				}
				if err := l.Renew(context.Background()); err != nil {
					t.Errorf("Renew: %v", err)
				}
				inside.Add(-1)
				done.Add(1)
				if err := l.Release(); err != nil {
					t.Errorf("Release: %v", err)
				}
			}
		})
	}
	wg.Wait()
	if got := b.files(t); len(got) != 0 {
		t.Errorf("files = %q, want none", got)
	}
}

// A wait for a stripe that somebody else keeps ends with the context, and
// leaves no claim behind.
func TestAcquire_contextEnds(t *testing.T) {
	t.Parallel()
	b := setup(t)
	l := acquire(t, b.store, "k", defaultTTL)
	stored := b.stored(t, "k")
	lock := flock.New(filepath.Join(b.dir, "locks", lease.StripeOf("k")+".lock"))
	if err := lock.Lock(); err != nil {
		t.Fatal(err)
	}
	b.clock.Move(defaultTTL)
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	var wg sync.WaitGroup
	for range 4 { // one waits for the file lock, three for the one
		wg.Go(func() {
			if l, err := b.store.Acquire(ctx, "k", defaultTTL); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("Acquire = %v, %v, want context.DeadlineExceeded", l, err)
			}
		})
	}
	wg.Wait()
	for name, err := range map[string]error{"Renew": l.Renew(ctx), "Check": l.Check(ctx)} {
		if !errors.Is(err, context.DeadlineExceeded) || errors.Is(err, lease.ErrLost) {
			t.Errorf("%s = %v, want context.DeadlineExceeded", name, err)
		}
	}
	if got := b.stored(t, "k"); got != stored {
		t.Errorf("the claim became %q, want %s", got, stored)
	}
	if err := lock.Unlock(); err != nil {
		t.Fatal(err)
	}
	release(t, l)
}

// A refused caller never touches the claim, so a holder that releases while
// others ask leaves the key free: there is no put-back that could undo it.
func TestAcquire_noPutBack(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for range 20 {
		holder := acquire(t, b.store, "k", defaultTTL)
		var wg sync.WaitGroup
		got := make(chan *lease.Lease, 8)
		for range cap(got) {
			wg.Go(func() {
				if l, err := b.store.Acquire(context.Background(), "k", defaultTTL); err == nil {
					got <- l
				}
			})
		}
		wg.Go(func() {
			if err := holder.Release(); err != nil {
				t.Errorf("Release: %v", err)
			}
		})
		wg.Wait()
		close(got)
		for l := range got {
			release(t, l)
		}
		if files := b.files(t); len(files) != 0 {
			t.Fatalf("files = %q, want none: a released claim came back", files)
		}
	}
}
