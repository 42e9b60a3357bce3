package worker

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"context-manager/config"
	"context-manager/functions"
	"context-manager/lease"
)

// leases is the lease store in force. Changing the directory opens the new one
// first; a lease that is held stays with the store it was acquired from.
type leases struct {
	log    *slog.Logger
	clock  func() time.Time
	opened chan struct{} // capacity one: another directory has been opened
	// open stands in for lease.Open in tests; nil = that.
	open func(dir string, o lease.Options) (*lease.Store, error)

	mu    sync.Mutex
	dir   string // as configured
	store *lease.Store
}

var _ functions.Leases = (*leases)(nil)

var errNoStore = errors.New("no lease directory is open")

// use makes dir the directory. On failure the one in force stays, and the
// error says so. It serves until the new one is open, however long that takes.
// Only one goroutine at a time may call use.
func (l *leases) use(dir string) error {
	l.mu.Lock()
	same := l.store != nil && dir == l.dir
	l.mu.Unlock()
	if same {
		return nil
	}
	path, err := config.ExpandHome(dir)
	if err != nil {
		return fmt.Errorf("opening lease_dir %q: %w", dir, err)
	}
	open := l.open
	if open == nil {
		open = lease.Open
	}
	store, err := open(path, lease.Options{Clock: l.clock, Logger: l.log})
	if err != nil {
		return fmt.Errorf("opening lease_dir %q: %w", dir, err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.dir, l.store = dir, store
	signal(l.opened)
	return nil
}

// current returns the store in force.
func (l *leases) current() *lease.Store {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.store
}

// Acquire implements functions.Leases.
func (l *leases) Acquire(ctx context.Context, key string, ttl time.Duration) (functions.Lease, error) {
	store := l.current()
	if store == nil {
		return nil, errNoStore
	}
	return Acquire(ctx, store, key, ttl)
}

// Acquire takes a lease of a store and tells its outcomes in the functions'
// words. Whatever stands between functions and a store uses it.
func Acquire(ctx context.Context, store *lease.Store, key string, ttl time.Duration) (functions.Lease, error) {
	held, err := store.Acquire(ctx, key, ttl)
	if foreign := (*lease.HeldError)(nil); errors.As(err, &foreign) {
		return nil, fmt.Errorf("%w: %w", functions.ErrLeaseHeld, err)
	}
	if err != nil {
		return nil, err
	}
	return heldLease{held}, nil
}

// heldLease says lost in the functions' words.
type heldLease struct{ *lease.Lease }

func (l heldLease) Renew(ctx context.Context) error { return lost(l.Lease.Renew(ctx)) }
func (l heldLease) Check(ctx context.Context) error { return lost(l.Lease.Check(ctx)) }

func lost(err error) error {
	if errors.Is(err, lease.ErrLost) {
		return fmt.Errorf("%w: %w", functions.ErrLeaseLost, err)
	}
	return err
}

// sweep removes what expired holders left behind, when a directory has been
// opened and every hour, until ctx ends.
func (l *leases) sweep(ctx context.Context) {
	const every = time.Hour
	t := time.NewTicker(every)
	defer t.Stop()
	for {
		if store := l.current(); store != nil {
			if _, err := store.Sweep(ctx); err != nil && ctx.Err() == nil {
				l.log.Warn("sweeping expired leases", "error", err)
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-t.C:
		case <-l.opened:
		}
	}
}

// OpenLeases returns the leases of a directory for use outside a worker. It is
// made and opened when the first lease is acquired, which is when it shows if
// that cannot be done: most calls need none.
func OpenLeases(dir string) functions.Leases {
	l := &leases{log: slog.New(slog.DiscardHandler), opened: make(chan struct{}, 1)}
	return lazyLeases{l, sync.OnceValue(func() error { return l.use(dir) })}
}

type lazyLeases struct {
	*leases
	open func() error
}

func (l lazyLeases) Acquire(ctx context.Context, key string, ttl time.Duration) (functions.Lease, error) {
	if err := l.open(); err != nil {
		return nil, err
	}
	return l.leases.Acquire(ctx, key, ttl)
}
