package lease

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// maxClaim bounds what is read of a claim file, in bytes. Ours are below 100.
const maxClaim = 4096

// claim is the content of a claim file.
type claim struct {
	Nonce string `json:"nonce"`
	TS    int64  `json:"ts"` // milliseconds since the Unix epoch
}

// live says whether the claim still excludes others at now, in milliseconds.
// The zero claim is never live: it stands for no claim.
func (c claim) live(now int64, ttl time.Duration) bool {
	if c.Nonce == "" {
		return false
	}
	// Milliseconds are compared, not durations: now − ts of a claim from 1970
	// is within int64, in nanoseconds it would be near its end.
	return now-c.TS < ttl.Milliseconds()
}

// parseClaim reads a claim file. It is false for anything that is no claim.
func parseClaim(data []byte) (claim, bool) {
	var file struct {
		Nonce *string `json:"nonce"`
		TS    *int64  `json:"ts"`
	}
	if json.Unmarshal(data, &file) != nil || file.Nonce == nil || file.TS == nil ||
		*file.Nonce == "" || *file.TS < 0 {
		return claim{}, false
	}
	return claim{Nonce: *file.Nonce, TS: *file.TS}, true
}

// read returns the stored claim, the zero claim when there is none or it is
// malformed, and found when there is a file. Call it under the stripe's lock.
func (s *Store) read(name string) (c claim, found bool, err error) {
	file, err := os.Open(filepath.Join(s.claims, name))
	if errors.Is(err, fs.ErrNotExist) {
		// Absent is free only while the directory itself is there.
		_, err = os.Stat(s.claims)
		return claim{}, false, err
	}
	if err != nil {
		return claim{}, false, err
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, maxClaim+1))
	if err != nil {
		return claim{}, false, err
	}
	if len(data) > maxClaim {
		return claim{}, true, nil
	}
	c, _ = parseClaim(data)
	return c, true, nil
}

// write replaces the stored claim: temporary file, flush, rename, flush of the
// directory. Call it under the stripe's lock.
func (s *Store) write(at stripe, name string, c claim) (err error) {
	data, err := json.Marshal(c)
	if err != nil {
		return err
	}
	temp := filepath.Join(s.claims, tempName(at, newNonce()))
	defer func() {
		if err != nil {
			_ = os.Remove(temp) // gone already after the rename
		}
	}()
	if err := writeNew(temp, data); err != nil {
		return err
	}
	if err := os.Rename(temp, filepath.Join(s.claims, name)); err != nil {
		return err
	}
	if err := s.flush(s.claims); err != nil {
		return fmt.Errorf("flushing %s: %w", s.claims, err)
	}
	return nil
}

// writeNew creates a file with its content on the disk.
func writeNew(path string, data []byte) error {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = file.Write(data)
	if err == nil {
		err = file.Sync()
	}
	return errors.Join(err, file.Close())
}
