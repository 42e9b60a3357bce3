package bus

import (
	"context"
	"math/rand/v2"
	"time"
)

// backoff gives the pauses between connections: the first one varied by ±30 %,
// then doubled, at most max.
type backoff struct {
	first, max time.Duration
	random     func() float64 // in [0, 1)
	doublings  int
}

func newBackoff(first, max time.Duration) *backoff {
	return &backoff{first: first, max: max, random: rand.Float64}
}

func (b *backoff) next() time.Duration {
	pause := b.first << b.doublings
	if pause >= b.max || pause <= 0 {
		pause = b.max
	} else {
		b.doublings++
	}
	return min(b.max, time.Duration(float64(pause)*(0.7+0.6*b.random())))
}

func (b *backoff) reset() { b.doublings = 0 }

// conflictPause is the pause before try number n (from 0) of tries after the
// engine refused the worker: each twice the one before, together window. The
// early ones catch an old socket that is just being closed, the late ones one
// whose end the engine has yet to notice.
func conflictPause(window time.Duration, tries, n int) time.Duration {
	return time.Duration(float64(window) * float64(int64(1)<<n) / float64(int64(1)<<tries-1))
}

// sleep reports whether the pause was not cut short by ctx.
func sleep(ctx context.Context, pause time.Duration) bool {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}
