package lease

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Sweep removes what holders that died have left: claims as old as MaxTTL,
// files that read as no claim, and temporary files. Claims from the future are
// stamped anew as Acquire does, so that they age. Files that are not ours by
// name are left alone, and so are lock files. It goes on after an error with
// one file and returns all of them, except that it stops when ctx ends.
func (s *Store) Sweep(ctx context.Context) (removed int, err error) {
	if s.closed.Load() {
		return 0, ErrClosed
	}
	entries, err := os.ReadDir(s.claims)
	if err != nil {
		return 0, fmt.Errorf("sweeping leases: %w", err)
	}
	var failed []error
	for _, entry := range entries {
		gone, err := s.sweepFile(ctx, entry.Name())
		if gone {
			removed++
		}
		if err != nil {
			failed = append(failed, fmt.Errorf("sweeping %s: %w", entry.Name(), err))
		}
		if ctx.Err() != nil {
			break
		}
	}
	return removed, errors.Join(failed...)
}

func (s *Store) sweepFile(ctx context.Context, name string) (gone bool, err error) {
	at, isClaim := claimStripe(name)
	if !isClaim {
		var isTemp bool
		if at, isTemp = tempStripe(name); !isTemp {
			return false, nil
		}
	}
	err = s.locked(ctx, at, func() error {
		if isClaim {
			now := s.now()
			c, found, err := s.present(at, name, now)
			if err != nil || !found || c.live(now, MaxTTL) {
				return err
			}
		}
		err := os.Remove(filepath.Join(s.claims, name))
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		gone = err == nil
		return err
	})
	return gone, err
}
