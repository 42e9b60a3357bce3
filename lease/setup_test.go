package lease_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"context-manager/lease"
)

// defaultTTL is the TTL of the shipped configuration.
const defaultTTL = 300 * time.Second

// fakeClock stands still until it is moved.
type fakeClock struct{ ms atomic.Int64 }

func newClock() *fakeClock {
	c := &fakeClock{}
	c.ms.Store(1_700_000_000_000)
	return c
}

func (c *fakeClock) Now() time.Time              { return time.UnixMilli(c.ms.Load()) }
func (c *fakeClock) Move(d time.Duration)        { c.ms.Add(d.Milliseconds()) }
func (c *fakeClock) Ago(d time.Duration) int64   { return c.ms.Load() - d.Milliseconds() }
func (c *fakeClock) In(d time.Duration) int64    { return c.ms.Load() + d.Milliseconds() }
func (c *fakeClock) At(d time.Duration) fakeFile { return fakeFile{"foreign-holder", c.Ago(d)} }

// fakeFile is a claim that somebody else wrote.
type fakeFile struct {
	nonce string
	ts    int64
}

func (f fakeFile) String() string { return fmt.Sprintf(`{"nonce":%q,"ts":%d}`, f.nonce, f.ts) }

// bench is one lease directory with a store and a clock.
type bench struct {
	dir   string
	clock *fakeClock
	store *lease.Store
}

func setup(t *testing.T) bench {
	t.Helper()
	b := bench{dir: t.TempDir(), clock: newClock()}
	b.store = b.open(t)
	return b
}

// open opens one more store over the directory.
func (b bench) open(t *testing.T) *lease.Store {
	t.Helper()
	s, err := lease.Open(b.dir, lease.Options{Clock: b.clock.Now})
	if err != nil {
		t.Fatalf("Open: %v", err)
	}
	return s
}

func (b bench) path(key string) string {
	return filepath.Join(b.dir, "context_lease", lease.ClaimName(key))
}

// plant puts a file where the claim of key belongs.
func (b bench) plant(t *testing.T, key, content string) {
	t.Helper()
	if err := os.WriteFile(b.path(key), []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

// stored is the content of key's claim file, empty when there is none.
func (b bench) stored(t *testing.T, key string) string {
	t.Helper()
	data, err := os.ReadFile(b.path(key))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	return string(data)
}

// acquire must succeed.
func acquire(t *testing.T, s *lease.Store, key string, ttl time.Duration) *lease.Lease {
	t.Helper()
	l, err := s.Acquire(context.Background(), key, ttl)
	if err != nil {
		t.Fatalf("Acquire(%.40q): %v", key, err)
	}
	return l
}

// wantHeld demands that somebody else holds key.
func wantHeld(t *testing.T, s *lease.Store, key string, ttl time.Duration) *lease.HeldError {
	t.Helper()
	l, err := s.Acquire(context.Background(), key, ttl)
	var held *lease.HeldError
	if l != nil || !errors.As(err, &held) {
		t.Fatalf("Acquire(%.40q) = %v, %v, want a *HeldError", key, l, err)
	}
	return held
}

func release(t *testing.T, l *lease.Lease) {
	t.Helper()
	if err := l.Release(); err != nil {
		t.Fatalf("Release: %v", err)
	}
}

// files lists every file under dir but the lock files, relative to dir.
func (b bench) files(t *testing.T) []string {
	t.Helper()
	var found []string
	err := filepath.WalkDir(b.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if rel, _ := filepath.Rel(b.dir, path); !d.IsDir() && filepath.Dir(rel) != "locks" {
			found = append(found, filepath.ToSlash(rel))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}
