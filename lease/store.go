package lease

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"
)

// MaxTTL is the longest TTL that Acquire takes. A claim as old as this is
// expired for every caller, whatever its TTL, and Sweep may remove it.
const MaxTTL = 24 * time.Hour

// Options of a Store. The zero value is ready for use.
type Options struct {
	// Clock gives the time of stamps and ages; nil means time.Now.
	Clock func() time.Time
	// Logger hears of takeovers and repairs; nil means silence.
	Logger *slog.Logger

	// flush stands in for syncDir in tests.
	flush func(dir string) error
}

// Store is a directory of leases. Its methods may be called from any number of
// goroutines, and any number of Stores, in this process or in others, may
// stand over one directory.
type Store struct {
	// Fixed at creation.
	claims string
	locks  string
	clock  func() time.Time
	log    *slog.Logger
	flush  func(dir string) error

	stripes [256]chan struct{} // this process's half of the stripe locks
	closed  atomic.Bool
}

// Open makes <dir>/context_lease and <dir>/locks where they are missing and
// tries that files can be written, flushed and locked there, so that a directory which
// cannot hold leases is found out now. It starts nothing.
func Open(dir string, opts Options) (*Store, error) {
	s := &Store{
		claims: filepath.Join(dir, "context_lease"),
		locks:  filepath.Join(dir, "locks"),
		clock:  opts.Clock,
		log:    opts.Logger,
		flush:  opts.flush,
	}
	if s.flush == nil {
		s.flush = syncDir
	}
	if s.clock == nil {
		s.clock = time.Now
	}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	for i := range s.stripes {
		s.stripes[i] = make(chan struct{}, 1)
	}
	for _, path := range []string{s.claims, s.locks} {
		if err := os.MkdirAll(path, 0o700); err != nil {
			return nil, fmt.Errorf("opening lease directory: %w", err)
		}
	}
	if err := s.probe(); err != nil {
		return nil, fmt.Errorf("trying lease directory: %w", err)
	}
	return s, nil
}

// probe writes, flushes and locks once. A lock that another process holds is as good a
// proof that locking works as one obtained.
func (s *Store) probe() error {
	lock := s.lockFile(0)
	if _, err := lock.TryLock(); err != nil {
		return err
	}
	temp := filepath.Join(s.claims, tempName(0, newNonce()))
	err := writeNew(temp, nil)
	// A sweep by somebody else may have been faster.
	if rm := os.Remove(temp); err == nil && !errors.Is(rm, fs.ErrNotExist) {
		err = rm
	}
	if err == nil {
		err = s.flush(s.claims)
	}
	return errors.Join(err, lock.Close())
}

// Acquire claims key for ttl, between 1 ms and MaxTTL. It returns *HeldError
// when a live claim of somebody else stands; every other error means that the
// store could not answer, and then there is no claim of ours. ctx bounds the
// wait for the stripe's lock. The lease must be released.
func (s *Store) Acquire(ctx context.Context, key string, ttl time.Duration) (*Lease, error) {
	if s.closed.Load() {
		return nil, ErrClosed
	}
	if ttl < time.Millisecond || ttl > MaxTTL {
		return nil, fmt.Errorf("acquiring lease: ttl %v is out of range, want 1ms to %v", ttl, MaxTTL)
	}
	l := &Lease{store: s, stripe: stripeOf(key), name: claimName(key), nonce: newNonce(), ttl: ttl}
	err := s.locked(ctx, l.stripe, func() error {
		now := s.now() // read under the lock: waiting for it takes time
		old, found, err := s.present(l.stripe, l.name, now)
		if err != nil {
			return err
		}
		if old.live(now, ttl) {
			return &HeldError{Key: key, Until: time.UnixMilli(old.TS).Add(ttl)}
		}
		if found {
			s.log.Info("taking over a stale lease", "file", l.name, "stamped_ms", old.TS)
		}
		err = s.write(l.stripe, l.name, claim{Nonce: l.nonce, TS: now})
		if err != nil {
			s.withdraw(l)
		}
		return err
	})
	if held := (*HeldError)(nil); errors.As(err, &held) {
		return nil, held
	}
	if err != nil {
		return nil, fmt.Errorf("acquiring lease: %w", err)
	}
	return l, nil
}

// withdraw removes a claim that was stored but may not survive a loss of power,
// which nobody would give back. Call it under the stripe's lock.
func (s *Store) withdraw(l *Lease) {
	if c, _, err := s.read(l.name); err == nil && c.Nonce == l.nonce {
		_ = os.Remove(filepath.Join(s.claims, l.name)) // else it expires
	}
}

// present reads a claim and sees to it that its stamp is not in the future: a
// stamp ahead of the clock is written anew as now, its nonce kept. The rule has
// no memory but the file itself, it never lengthens a claim, and it bounds what
// a wrong clock can block to one TTL from the first look. Call it under the
// stripe's lock.
func (s *Store) present(at stripe, name string, now int64) (c claim, found bool, err error) {
	c, found, err = s.read(name)
	if err != nil || c.TS <= now {
		return c, found, err
	}
	s.log.Warn("stamping a lease from the future anew", "file", name, "stamped_ms", c.TS)
	c.TS = now
	return c, found, s.write(at, name, c)
}

// Close refuses further Acquire and Sweep. Leases that are held stay valid and
// are renewed, checked and released as before, so a Store may be closed and
// replaced while work under its leases goes on.
func (s *Store) Close() error {
	s.closed.Store(true)
	return nil
}

func (s *Store) now() int64 { return s.clock().UnixMilli() }

// newNonce is a name that occurs once: 128 random bits.
func newNonce() string { return rand.Text() }
