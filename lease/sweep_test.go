package lease_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"context-manager/lease"
)

func TestSweep(t *testing.T) {
	t.Parallel()
	b := setup(t)
	long := strings.Repeat("long", 100)
	live := acquire(t, b.store, "live", defaultTTL)
	b.plant(t, "expired for 300 s only", b.clock.At(time.Hour).String())
	b.plant(t, "almost", b.clock.At(lease.MaxTTL-time.Millisecond).String())
	b.plant(t, "ahead", fakeFile{"foreign-holder", b.clock.In(time.Hour)}.String())
	keep := b.files(t)
	b.plant(t, "old", b.clock.At(lease.MaxTTL).String())
	b.plant(t, long, b.clock.At(2*lease.MaxTTL).String())
	b.plant(t, "torn", `{"nonce":"x"`)
	for _, name := range []string{".00.AAAA.tmp", ".ff..tmp"} {
		write(t, b.dir, name)
	}
	for _, name := range []string{ // not ours, whatever they are
		"notes.txt", "a b.json", "%zz.json", "%2.json", "%2f.json", "%41.json", ".xx.AAAA.tmp", ".FF.A.tmp", ".00AAAA.tmp",
		"%sha256-00.json", "%sha256-" + strings.Repeat("F", 64) + ".json",
	} {
		write(t, b.dir, name)
		keep = append(keep, "context_lease/"+name)
	}

	removed, err := b.store.Sweep(context.Background())
	if removed != 5 || err != nil {
		t.Errorf("Sweep = %d, %v, want 5 removed", removed, err)
	}
	slices.Sort(keep)
	if got := b.files(t); !slices.Equal(got, keep) {
		t.Errorf("files after the sweep = %q, want %q", got, keep)
	}
	if got, want := b.stored(t, "ahead"), b.clock.At(0).String(); got != want {
		t.Errorf("the claim from the future = %s, want it stamped anew: %s", got, want)
	}
	if err := live.Check(context.Background()); err != nil {
		t.Errorf("the live lease: %v", err)
	}
	if removed, err = b.store.Sweep(context.Background()); removed != 0 || err != nil {
		t.Errorf("a second Sweep = %d, %v, want nothing left to remove", removed, err)
	}
}

func TestSweep_goesOnAfterAnError(t *testing.T) {
	t.Parallel()
	b := setup(t)
	if err := os.MkdirAll(filepath.Join(b.path("a"), "sub"), 0o700); err != nil {
		t.Fatal(err)
	}
	for i := range 10 {
		b.plant(t, fmt.Sprint("old", i), b.clock.At(lease.MaxTTL).String())
	}
	removed, err := b.store.Sweep(context.Background())
	if removed != 10 || err == nil || !strings.Contains(err.Error(), "a.json") {
		t.Errorf("Sweep = %d, %v, want 10 removed and an error about a.json", removed, err)
	}
}

func TestSweep_endsWithItsContext(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for i := range 10 {
		b.plant(t, fmt.Sprint("old", i), b.clock.At(lease.MaxTTL).String())
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	removed, err := b.store.Sweep(ctx)
	if removed != 0 || !errors.Is(err, context.Canceled) || strings.Count(err.Error(), "old") != 1 {
		t.Errorf("Sweep = %d, %v, want one context.Canceled and nothing removed", removed, err)
	}
}

func write(t *testing.T, dir, name string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, "context_lease", name), nil, 0o600); err != nil {
		t.Fatal(err)
	}
}
