package config

import "sync/atomic"

// Live is the snapshot in force. Load it once at the beginning of a request and
// use what it returned to the end, so that a request never mixes two.
type Live struct {
	snapshot atomic.Pointer[Settings]
	changed  chan struct{}
}

// NewLive starts with a snapshot.
func NewLive(s Settings) *Live {
	l := &Live{changed: make(chan struct{}, 1)}
	l.snapshot.Store(&s)
	return l
}

// Load returns the snapshot in force, which nobody writes to: not the caller
// either.
func (l *Live) Load() *Settings { return l.snapshot.Load() }

// Store puts a copy of s in force. Nil is ignored. Whoever needs something
// opened for the new settings opens it first.
func (l *Live) Store(s *Settings) {
	if s == nil {
		return
	}
	next := *s
	if before := l.snapshot.Swap(&next); *before == next {
		return
	}
	select {
	case l.changed <- struct{}{}:
	default: // a notice is waiting already, and its reader will load this
	}
}

// Changed gives a notice after the settings have changed. It is for one reader
// and level-triggered: changes before the reader comes are one notice, so it
// loads the snapshot instead of counting. Storing equal settings is no change.
func (l *Live) Changed() <-chan struct{} { return l.changed }
