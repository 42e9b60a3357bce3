package lease

import (
	"errors"
	"fmt"
	"time"
)

// ErrLost says that the stored claim is no longer this lease's: it expired and
// somebody took it, or its file was removed. Renew and Check return it.
var ErrLost = errors.New("lease lost")

// ErrClosed is returned by Acquire and Sweep on a closed Store.
var ErrClosed = errors.New("lease store is closed")

// HeldError says that a live claim of somebody else stands on the key. Acquire
// returns it; every other error of Acquire means that the store could not
// answer.
type HeldError struct {
	// Key is the key as it was asked for.
	Key string
	// Until is when the claim expires unless it is renewed, by the TTL of the
	// caller that was refused.
	Until time.Time
}

// Error quotes at most 64 characters of the key, which may be of any length.
func (e *HeldError) Error() string {
	return fmt.Sprintf("lease %.64q is held until %s", e.Key, e.Until.UTC().Format(time.RFC3339Nano))
}
