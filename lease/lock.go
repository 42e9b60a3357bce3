package lease

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
)

// lockPoll is how often a file lock held by another process is tried again. A
// stripe is held for a read and two flushes, so this is about one holder.
const lockPoll = 2 * time.Millisecond

// locked runs transition while no other goroutine and no other process is in a
// transition of the same stripe.
func (s *Store) locked(ctx context.Context, at stripe, transition func() error) error {
	select {
	case s.stripes[at] <- struct{}{}:
		defer func() { <-s.stripes[at] }()
	case <-ctx.Done():
		return fmt.Errorf("waiting for lock %s: %w", at, ctx.Err())
	}
	file := s.lockFile(at)
	if ok, err := file.TryLockContext(ctx, lockPoll); !ok {
		return fmt.Errorf("locking %s: %w", file.Path(), err)
	}
	defer func() {
		// Closing the file is what unlocks it, so that an error here cannot
		// leave the stripe locked for longer than this process lives.
		if err := file.Close(); err != nil {
			s.log.Warn("unlocking a lease stripe", "path", file.Path(), "error", err)
		}
	}()
	return transition()
}

func (s *Store) lockFile(at stripe) *flock.Flock {
	return flock.New(filepath.Join(s.locks, at.String()+".lock"))
}
