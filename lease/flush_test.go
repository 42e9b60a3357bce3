package lease_test

import (
	"context"
	"errors"
	"testing"

	"context-manager/lease"
)

var errFlush = errors.New("input/output error")

// A directory that cannot be flushed may lose a claim with the power, so it
// holds none.
func TestOpen_cannotFlush(t *testing.T) {
	t.Parallel()
	_, err := lease.Open(t.TempDir(), lease.Flushing(lease.Options{}, func(string) error { return errFlush }))
	if !errors.Is(err, errFlush) {
		t.Errorf("Open = %v, want %v", err, errFlush)
	}
}

// An Acquire that failed leaves no claim of its own, which nobody would give
// back, and touches no other.
func TestAcquire_cannotFlush(t *testing.T) {
	t.Parallel()
	for name, before := range map[string]string{"a free key": "", "an expired claim": newClock().At(2 * defaultTTL).String()} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			flushed := 0
			store, err := lease.Open(b.dir, lease.Flushing(lease.Options{Clock: b.clock.Now}, func(string) error {
				if flushed++; flushed > 1 { // Open tries once
					return errFlush
				}
				return nil
			}))
			if err != nil {
				t.Fatal(err)
			}
			if before != "" {
				b.plant(t, "k", before)
			}
			if l, err := store.Acquire(context.Background(), "k", defaultTTL); l != nil || !errors.Is(err, errFlush) {
				t.Fatalf("Acquire = %v, %v, want %v", l, err, errFlush)
			}
			if left := b.files(t); len(left) != 0 {
				t.Errorf("%q left, want nothing", left)
			}
			release(t, acquire(t, b.store, "k", defaultTTL))
		})
	}
}
