package features_test

import (
	"sync"
	"time"

	"context-manager/functions"
)

// clock is a time that stands still until it is told to pass. It starts a
// million milliseconds after the epoch.
type clock struct {
	mu     sync.Mutex
	made   sync.Cond // a timer was made
	time   time.Time
	timers map[*timer]struct{}
}

type timer struct {
	at time.Time
	c  chan time.Time
}

var _ functions.Clock = (*clock)(nil)

func newClock() *clock {
	c := &clock{time: time.UnixMilli(1_000_000), timers: map[*timer]struct{}{}}
	c.made.L = &c.mu
	return c
}

// Now implements functions.Clock.
func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.time
}

// After implements functions.Clock.
func (c *clock) After(d time.Duration) (<-chan time.Time, func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	t := &timer{c.time.Add(d), make(chan time.Time, 1)}
	c.timers[t] = struct{}{}
	c.made.Broadcast()
	return t.c, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.timers, t)
	}
}

// pass lets time go by.
func (c *clock) pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.time = c.time.Add(d)
	for t := range c.timers {
		if !t.at.After(c.time) {
			t.c <- c.time
			delete(c.timers, t)
		}
	}
}

// expire lets the time go by that somebody waits for at most; it blocks until
// there is a timer to end.
func (c *clock) expire(d time.Duration) {
	c.mu.Lock()
	for !c.due(c.time.Add(d)) {
		c.made.Wait()
	}
	c.mu.Unlock()
	c.pass(d)
}

func (c *clock) due(by time.Time) bool {
	for t := range c.timers {
		if !t.at.After(by) {
			return true
		}
	}
	return false
}
