//go:build unix

package lease_test

import (
	"context"
	"errors"
	"os"
	"testing"
	"time"
)

// A killed holder's key is free one TTL after its stamp, to the millisecond.
func TestCrash_holderKilled(t *testing.T) {
	t.Parallel()
	b := setup(t)
	cmd, stamp := startOne(t, "one", b.dir)
	kill(t, cmd)
	b.clock.ms.Store(stamp + stressTTL.Milliseconds() - 1)
	held := wantHeld(t, b.store, stressKey, stressTTL)
	if want := time.UnixMilli(stamp).Add(stressTTL); !held.Until.Equal(want) {
		t.Errorf("held until %v, want %v", held.Until, want)
	}
	b.clock.Move(time.Millisecond)
	release(t, acquire(t, b.store, stressKey, stressTTL))
}

// A stripe whose locker was killed is unlocked by the system.
func TestCrash_killedWhileLocking(t *testing.T) {
	t.Parallel()
	b := setup(t)
	cmd, _ := startOne(t, "locker", b.dir)
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Millisecond)
	defer cancel()
	if _, err := b.store.Acquire(ctx, stressKey, stressTTL); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Acquire while another process locks = %v, want context.DeadlineExceeded", err)
	}
	kill(t, cmd)
	acquire(t, b.store, stressKey, stressTTL)
}

// What a writer left that died before its rename neither counts as a claim nor
// stays for ever.
func TestCrash_killedWhileWriting(t *testing.T) {
	t.Parallel()
	b := setup(t)
	left := "." + stripeOf(t, b) + ".DEADWRITER.tmp"
	write(t, b.dir, left)
	release(t, acquire(t, b.store, stressKey, stressTTL))
	if removed, err := b.store.Sweep(context.Background()); removed != 1 || err != nil {
		t.Errorf("Sweep = %d, %v, want the temporary file removed", removed, err)
	}
	if got := b.files(t); len(got) != 0 {
		t.Errorf("files = %q, want none", got)
	}
}

// stripeOf learns the key's stripe from the one lock file that acquiring it
// makes beside the one that opening the store tried.
func stripeOf(t *testing.T, b bench) string {
	t.Helper()
	release(t, acquire(t, b.store, stressKey, stressTTL))
	entries, err := os.ReadDir(b.dir + "/locks")
	if err != nil {
		t.Fatal(err)
	}
	if len(entries) != 2 || entries[0].Name() != "00.lock" {
		t.Fatalf("locks = %v, want 00.lock and one other", entries)
	}
	return entries[1].Name()[:2]
}
