package lease_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"context-manager/lease"
)

func TestAcquire_age(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		age  time.Duration
		ttl  time.Duration
		busy bool
	}{
		{"a claim of this moment is live", 0, defaultTTL, true},
		{"a claim is live 1 ms before its TTL has passed", 299_999 * time.Millisecond, defaultTTL, true},
		{"a claim is free when its TTL has passed to the millisecond", 300_000 * time.Millisecond, defaultTTL, false},
		{"a claim is free after its TTL", 300_001 * time.Millisecond, defaultTTL, false},
		{"the TTL of the one who asks decides, shorter", 400 * time.Millisecond, 400 * time.Millisecond, false},
		{"the TTL of the one who asks decides, longer", 23 * time.Hour, lease.MaxTTL, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			claim := b.clock.At(tt.age)
			b.plant(t, "session-42", claim.String())
			if !tt.busy {
				release(t, acquire(t, b.store, "session-42", tt.ttl))
				if got := b.files(t); len(got) != 0 {
					t.Errorf("files after the release = %q, want none", got)
				}
				return
			}
			held := wantHeld(t, b.store, "session-42", tt.ttl)
			if want := time.UnixMilli(claim.ts).Add(tt.ttl); !held.Until.Equal(want) || held.Key != "session-42" {
				t.Errorf("held = %q until %v, want %q until %v", held.Key, held.Until, "session-42", want)
			}
			if got := b.stored(t, "session-42"); got != claim.String() {
				t.Errorf("the claim became %s, want it untouched: %s", got, claim)
			}
		})
	}
}

func TestAcquire_keysAreApart(t *testing.T) {
	t.Parallel()
	b := setup(t)
	claim := b.clock.At(0).String()
	b.plant(t, "another", claim)
	release(t, acquire(t, b.store, "session-42", defaultTTL))
	if got := b.stored(t, "another"); got != claim {
		t.Errorf("the other claim became %q, want %s", got, claim)
	}
}

func TestAcquire_file(t *testing.T) {
	t.Parallel()
	b := setup(t)
	acquire(t, b.store, "k", defaultTTL)
	got, ok := lease.ParseClaim([]byte(b.stored(t, "k")))
	if !ok || got.TS != b.clock.Ago(0) || len(got.Nonce) < 20 {
		t.Errorf("stored %s, want a long nonce and ts %d", b.stored(t, "k"), b.clock.Ago(0))
	}
	if got, want := b.files(t), "context_lease/k.json"; len(got) != 1 || got[0] != want {
		t.Errorf("files = %q, want only %s", got, want)
	}
}

func TestAcquire_malformed(t *testing.T) {
	t.Parallel()
	for name, content := range map[string]string{
		"an empty file":             "",
		"no JSON":                   "ts=1",
		"a torn write":              `{"nonce":"x","ts":17000000`,
		"no object":                 `[1]`,
		"null":                      `null`,
		"no nonce":                  `{"ts":1700000000000}`,
		"an empty nonce":            `{"nonce":"","ts":1700000000000}`,
		"a nonce that is no string": `{"nonce":1,"ts":1700000000000}`,
		"no ts":                     `{"nonce":"x"}`,
		"a ts that is null":         `{"nonce":"x","ts":null}`,
		"a ts that is a string":     `{"nonce":"x","ts":"1700000000000"}`,
		"a ts beyond int64":         `{"nonce":"x","ts":99999999999999999999}`,
		"a ts below zero":           `{"nonce":"x","ts":-9223372036854775808}`,
		"two values":                `{"nonce":"x","ts":1700000000000}{}`,
		"a huge file":               `{"nonce":"x","ts":1700000000000}` + strings.Repeat(" ", 1<<20),
	} {
		t.Run(name+" is free", func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			b.plant(t, "k", content)
			l := acquire(t, b.store, "k", defaultTTL)
			wantHeld(t, b.store, "k", defaultTTL)
			release(t, l)
		})
	}
}

func TestAcquire_restart(t *testing.T) {
	t.Parallel()
	b := setup(t)
	acquire(t, b.store, "k", defaultTTL)
	again := b.open(t)
	wantHeld(t, again, "k", defaultTTL)
	b.clock.Move(defaultTTL)
	acquire(t, again, "k", defaultTTL)
	wantHeld(t, b.store, "k", defaultTTL)
}

func TestAcquire_ttlOutOfRange(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for _, ttl := range []time.Duration{-1, 0, time.Millisecond - 1, lease.MaxTTL + 1} {
		l, err := b.store.Acquire(context.Background(), "k", ttl)
		if l != nil || err == nil || !strings.Contains(err.Error(), "ttl") {
			t.Errorf("Acquire with ttl %v = %v, %v, want an error about ttl", ttl, l, err)
		}
	}
	if got := b.files(t); len(got) != 0 {
		t.Errorf("files = %q, want none", got)
	}
}

// A claim stamped ahead of the clock blocks for one TTL from the first look.
func TestAcquire_future(t *testing.T) {
	t.Parallel()
	for _, ahead := range []time.Duration{time.Millisecond, time.Hour, 10_000 * 24 * time.Hour} {
		t.Run(ahead.String(), func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			b.plant(t, "k", fakeFile{"foreign-holder", b.clock.In(ahead)}.String())
			until := b.clock.Now().Add(defaultTTL)
			if held := wantHeld(t, b.store, "k", defaultTTL); !held.Until.Equal(until) {
				t.Errorf("held until %v, want %v", held.Until, until)
			}
			if got, want := b.stored(t, "k"), b.clock.At(0).String(); got != want {
				t.Errorf("the claim became %s, want the nonce kept and the present stamp: %s", got, want)
			}
			b.clock.Move(defaultTTL - time.Millisecond)
			wantHeld(t, b.open(t), "k", defaultTTL)
			b.clock.Move(time.Millisecond)
			acquire(t, b.store, "k", defaultTTL)
		})
	}
	t.Run("the last stamp that fits", func(t *testing.T) {
		t.Parallel()
		b := setup(t)
		b.plant(t, "k", `{"nonce":"x","ts":9223372036854775807}`)
		wantHeld(t, b.store, "k", defaultTTL)
		b.clock.Move(defaultTTL)
		acquire(t, b.store, "k", defaultTTL)
	})
}

// A clock that was set back while a lease is held costs the holder nothing.
func TestRenew_clockSetBack(t *testing.T) {
	t.Parallel()
	b := setup(t)
	l := acquire(t, b.store, "k", defaultTTL)
	b.clock.Move(-time.Hour)
	wantHeld(t, b.store, "k", defaultTTL)
	if err := l.Renew(context.Background()); err != nil {
		t.Errorf("Renew = %v, want nil", err)
	}
	b.clock.Move(defaultTTL)
	acquire(t, b.store, "k", defaultTTL)
}

// The summary that takes 310 s under a lease of 300 s, with a second caller at
// 301 s, must stay the only one.
func TestRenew_outlivesTTL(t *testing.T) {
	t.Parallel()
	b, ctx := setup(t), context.Background()
	l := acquire(t, b.store, "k", defaultTTL)
	for range 3 {
		b.clock.Move(100 * time.Second)
		if err := l.Renew(ctx); err != nil {
			t.Fatalf("Renew: %v", err)
		}
	}
	b.clock.Move(time.Second)
	wantHeld(t, b.open(t), "k", defaultTTL)
	b.clock.Move(9 * time.Second)
	if err := l.Check(ctx); err != nil {
		t.Errorf("Check = %v, want nil", err)
	}
	release(t, l)
	if got := b.files(t); len(got) != 0 {
		t.Errorf("files = %q, want none", got)
	}
}

func TestLease_takenOver(t *testing.T) {
	t.Parallel()
	b, ctx := setup(t), context.Background()
	old := acquire(t, b.store, "k", defaultTTL)
	b.clock.Move(defaultTTL)
	taker := acquire(t, b.open(t), "k", defaultTTL)
	stored := b.stored(t, "k")
	if err := old.Renew(ctx); !errors.Is(err, lease.ErrLost) {
		t.Errorf("Renew = %v, want ErrLost", err)
	}
	if err := old.Check(ctx); !errors.Is(err, lease.ErrLost) {
		t.Errorf("Check = %v, want ErrLost", err)
	}
	release(t, old)
	if got := b.stored(t, "k"); got != stored {
		t.Errorf("the taker's claim became %q, want %s", got, stored)
	}
	if err := taker.Check(ctx); err != nil {
		t.Errorf("Check of the taker = %v, want nil", err)
	}
}

func TestCheck_expiredButNotTaken(t *testing.T) {
	t.Parallel()
	b, ctx := setup(t), context.Background()
	l := acquire(t, b.store, "k", defaultTTL)
	before := b.stored(t, "k")
	b.clock.Move(defaultTTL - time.Millisecond)
	if err := l.Check(ctx); err != nil || b.stored(t, "k") != before {
		t.Errorf("Check of a live claim = %v and stored %s, want nil and nothing written", err, b.stored(t, "k"))
	}
	b.clock.Move(time.Hour)
	if err := l.Check(ctx); err != nil {
		t.Errorf("Check = %v, want nil", err)
	}
	wantHeld(t, b.store, "k", defaultTTL)
}

func TestLease_fileRemoved(t *testing.T) {
	t.Parallel()
	b, ctx := setup(t), context.Background()
	l := acquire(t, b.store, "k", defaultTTL)
	if err := os.Remove(b.path("k")); err != nil {
		t.Fatal(err)
	}
	if err := l.Renew(ctx); !errors.Is(err, lease.ErrLost) {
		t.Errorf("Renew = %v, want ErrLost", err)
	}
	if got := b.stored(t, "k"); got != "" {
		t.Errorf("Renew stored %s, want nothing", got)
	}
	release(t, l)
}

func TestRelease_twice(t *testing.T) {
	t.Parallel()
	b := setup(t)
	l := acquire(t, b.store, "k", defaultTTL)
	release(t, l)
	release(t, l)
	if err := l.Check(context.Background()); !errors.Is(err, lease.ErrLost) {
		t.Errorf("Check after Release = %v, want ErrLost", err)
	}
	next := acquire(t, b.store, "k", defaultTTL)
	release(t, l)
	if err := next.Check(context.Background()); err != nil {
		t.Errorf("a late Release ended the next lease: %v", err)
	}
}

func TestStore_unavailable(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(dir string) error{
		"the claims are gone": func(dir string) error { return os.RemoveAll(filepath.Join(dir, "context_lease")) },
		"the locks are gone":  func(dir string) error { return os.RemoveAll(filepath.Join(dir, "locks")) },
		"all is gone":         os.RemoveAll,
		"a directory stands where the claim belongs": func(dir string) error {
			return os.Mkdir(filepath.Join(dir, "context_lease", "k.json"), 0o700)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			if err := spoil(b.dir); err != nil {
				t.Fatal(err)
			}
			l, err := b.store.Acquire(context.Background(), "k", defaultTTL)
			var held *lease.HeldError
			if l != nil || err == nil || errors.As(err, &held) {
				t.Errorf("Acquire = %v, %v, want an error that is no *HeldError", l, err)
			}
		})
	}
}

// A lease that cannot be asked about is not reported as lost.
func TestLease_unavailable(t *testing.T) {
	t.Parallel()
	for _, gone := range []string{"", "context_lease", "locks"} {
		b, ctx := setup(t), context.Background()
		l := acquire(t, b.store, "k", defaultTTL)
		if err := os.RemoveAll(filepath.Join(b.dir, gone)); err != nil {
			t.Fatal(err)
		}
		for name, err := range map[string]error{"Renew": l.Renew(ctx), "Check": l.Check(ctx), "Release": l.Release()} {
			if err == nil || errors.Is(err, lease.ErrLost) {
				t.Errorf("%s without %q = %v, want an error other than ErrLost", name, gone, err)
			}
		}
	}
}

func TestOpen_notADirectory(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if s, err := lease.Open(file, lease.Options{}); err == nil {
		t.Errorf("Open on a file = %v, want an error", s)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "locks"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if s, err := lease.Open(dir, lease.Options{}); err == nil {
		t.Errorf("Open with a file for locks = %v, want an error", s)
	}
}

func TestClose_heldLeasesGoOn(t *testing.T) {
	t.Parallel()
	b, ctx := setup(t), context.Background()
	l := acquire(t, b.store, "k", defaultTTL)
	if err := b.store.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := b.store.Acquire(ctx, "other", defaultTTL); !errors.Is(err, lease.ErrClosed) {
		t.Errorf("Acquire = %v, want ErrClosed", err)
	}
	if _, err := b.store.Sweep(ctx); !errors.Is(err, lease.ErrClosed) {
		t.Errorf("Sweep = %v, want ErrClosed", err)
	}
	if err := errors.Join(l.Renew(ctx), l.Check(ctx), l.Release()); err != nil {
		t.Errorf("the held lease: %v, want nil", err)
	}
	if got := b.files(t); len(got) != 0 {
		t.Errorf("files = %q, want none", got)
	}
}

func TestHeldError_longKey(t *testing.T) {
	t.Parallel()
	err := &lease.HeldError{Key: strings.Repeat("k", 1<<20), Until: time.UnixMilli(1)}
	want := `lease "` + strings.Repeat("k", 64) + `" is held until 1970-01-01T00:00:00.001Z`
	if got := err.Error(); got != want {
		t.Errorf("Error() = %.200s, want %s", got, want)
	}
}
