package functions_test

import (
	"sync"
	"time"

	"context-manager/functions"
)

// clock is a clock that stands still until a test moves it.
type clock struct {
	mu     sync.Mutex
	change *sync.Cond // timers was written
	now    time.Time
	made   int
	timers map[chan time.Time]time.Time
}

func newClock() *clock {
	c := &clock{now: time.UnixMilli(1_000_000), timers: map[chan time.Time]time.Time{}}
	c.change = sync.NewCond(&c.mu)
	return c
}

// Now implements functions.Clock.
func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// After implements functions.Clock.
func (c *clock) After(d time.Duration) (<-chan time.Time, func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	ch := make(chan time.Time, 1)
	c.timers[ch] = c.now.Add(d)
	c.made++
	c.change.Broadcast()
	return ch, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.timers, ch)
	}
}

// Armed waits until n timers run.
func (c *clock) Armed(n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for len(c.timers) < n {
		c.change.Wait()
	}
}

// Advance moves the clock by a short step and, when that fires a timer, waits
// until its owner has done its work and armed the next one; a long step leaves
// the owner to its business.
func (c *clock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
	made, fired := c.made, false
	for ch, at := range c.timers {
		if !at.After(c.now) {
			ch <- c.now
			delete(c.timers, ch)
			fired = true
		}
	}
	for fired && d < time.Minute && c.made == made {
		c.change.Wait()
	}
}

// Fire fires what is due and waits for nobody.
func (c *clock) Fire() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for ch, at := range c.timers {
		if !at.After(c.now) {
			ch <- c.now
			delete(c.timers, ch)
		}
	}
}

// Running tells how many timers run.
func (c *clock) Running() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.timers)
}

// Jump moves the clock without firing anything, like a machine that slept.
func (c *clock) Jump(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

var _ functions.Clock = (*clock)(nil)
