//go:build !windows

package lease

import (
	"errors"
	"os"
	"syscall"
)

// syncDir flushes a directory, so that a rename in it survives a loss of
// power. File systems that cannot flush a directory order renames themselves.
func syncDir(path string) error {
	dir, err := os.Open(path)
	if err != nil {
		return err
	}
	err = dir.Sync()
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, errors.ErrUnsupported) {
		err = nil
	}
	return errors.Join(err, dir.Close())
}
