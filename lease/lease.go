package lease

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// releaseWait bounds how long Release waits for the stripe's lock, because it
// runs where the caller's context has ended. What is not released expires.
const releaseWait = 2 * time.Second

// Lease is one acquisition of a key. Its methods may be called from any
// goroutine.
type Lease struct {
	store  *Store
	stripe stripe
	name   string
	nonce  string
	ttl    time.Duration
}

// Renew stamps the claim with the present, which gives it a full TTL again. An
// expired claim that nobody took is renewed like any other. Renew returns
// ErrLost when the claim is no longer ours; after any other error it may be
// tried again.
func (l *Lease) Renew(ctx context.Context) error {
	return l.confirm(ctx, "renewing lease", true)
}

// Check returns nil when the claim is ours and live, ErrLost when it is no
// longer ours, and another error when the store cannot tell. Call it before the
// result of the work is used. A claim that expired without being taken is
// stamped anew, so that nobody can take it between Check and that use.
func (l *Lease) Check(ctx context.Context) error {
	return l.confirm(ctx, "checking lease", false)
}

func (l *Lease) confirm(ctx context.Context, doing string, stamp bool) error {
	s := l.store
	err := s.locked(ctx, l.stripe, func() error {
		now := s.now()
		c, _, err := s.present(l.stripe, l.name, now)
		if err != nil {
			return err
		}
		if c.Nonce != l.nonce {
			return ErrLost
		}
		if !stamp && c.live(now, l.ttl) {
			return nil
		}
		return s.write(l.stripe, l.name, claim{Nonce: l.nonce, TS: now})
	})
	if err != nil {
		return fmt.Errorf("%s: %w", doing, err)
	}
	return nil
}

// Release ends the claim if it is still ours and leaves anybody else's alone;
// both are success, and so is a second Release. It waits at most two seconds.
// The removal is not flushed: after a loss of power a claim may come back, and
// then it expires.
func (l *Lease) Release() error {
	ctx, cancel := context.WithTimeout(context.Background(), releaseWait)
	defer cancel()
	s := l.store
	err := s.locked(ctx, l.stripe, func() error {
		c, _, err := s.read(l.name)
		if err != nil || c.Nonce != l.nonce {
			return err
		}
		err = os.Remove(filepath.Join(s.claims, l.name))
		if errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("releasing lease: %w", err)
	}
	return nil
}
