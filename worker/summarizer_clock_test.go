package worker

import (
	"context"
	"sync"
	"testing"
	"time"

	"context-manager/functions"
)

// handClock is a clock that a test moves by hand.
type handClock struct {
	mu      sync.Mutex
	now     time.Time
	timers  map[*handTimer]struct{}
	made    int           // timers so far
	changed chan struct{} // closed and replaced when timers come or go
}

type handTimer struct {
	at     time.Time
	length time.Duration
	c      chan time.Time
}

var _ functions.Clock = (*handClock)(nil)

func newHandClock() *handClock {
	return &handClock{now: time.UnixMilli(1766000000000), timers: map[*handTimer]struct{}{}, changed: make(chan struct{})}
}

func (c *handClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *handClock) After(d time.Duration) (<-chan time.Time, func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	t := &handTimer{at: c.now.Add(d), length: d, c: make(chan time.Time, 1)}
	c.timers[t] = struct{}{}
	c.made++
	c.notify()
	return t.c, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.timers, t)
		c.notify()
	}
}

func (c *handClock) notify() {
	close(c.changed)
	c.changed = make(chan struct{})
}

// advance moves the time on and fires what is due.
func (c *handClock) advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
	for t := range c.timers {
		if !t.at.After(c.now) {
			t.c <- c.now
			delete(c.timers, t)
		}
	}
	c.notify()
}

// wait waits until somebody waits for a timer of this length.
func (c *handClock) wait(ctx context.Context, t *testing.T, d time.Duration) {
	t.Helper()
	for {
		c.mu.Lock()
		changed, found := c.changed, false
		for timer := range c.timers {
			found = found || timer.length == d
		}
		c.mu.Unlock()
		if found {
			return
		}
		select {
		case <-changed:
		case <-ctx.Done():
			t.Fatalf("nobody waits for %v", d)
		}
	}
}

// count returns how many timers have been made.
func (c *handClock) count() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.made
}
