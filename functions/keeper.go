package functions

import (
	"context"
	"errors"
	"time"
)

// keep returns a context for the summariser calls of a compaction. It ends
// when summarizer_timeout_ms have passed or the lease is lost; meanwhile the
// lease is renewed, so that a TTL shorter than a summary is safe. done stops
// all that, waits for it, and returns why the lease is lost, if it is.
func (c *compaction) keep(outer context.Context, held Lease, ttl time.Duration) (_ context.Context, done func() error) {
	ctx, cancel := context.WithCancelCause(outer)
	stop := make(chan struct{})
	finished := make(chan error, 1)
	go func() { finished <- c.watch(outer, cancel, stop, held, ttl) }()
	return ctx, func() error {
		close(stop)
		err := <-finished
		cancel(nil)
		return err
	}
}

// watch renews the lease and looks at the clock. A renewal runs beside it, so
// that one that hangs does not hold up the deadline; it is waited for. After the
// deadline the lease is still kept: the rest of an answer may be on its way.
func (c *compaction) watch(ctx context.Context, cancel context.CancelCauseFunc, stop <-chan struct{}, held Lease, ttl time.Duration) error {
	deadline, stopDeadline := c.svc.clock.After(time.Duration(c.set.SummarizerTimeoutMS) * time.Millisecond)
	defer stopDeadline()
	renewal, end := context.WithCancel(ctx)
	var renewed chan error // while a renewal runs
	defer func() {
		end()
		if renewed != nil {
			<-renewed
		}
	}()
	good := c.svc.clock.Now()
	tick, stopTick := c.svc.clock.After(ttl / 3)
	defer func() { stopTick() }()
	for {
		select {
		case <-stop:
			return nil
		case <-ctx.Done():
			return nil
		case <-deadline:
			cancel(ErrSummaryLate)
			deadline = nil
		case <-tick:
			result := make(chan error, 1)
			renewed = result
			go func() { result <- held.Renew(renewal) }()
			tick = nil
		case err := <-renewed:
			renewed = nil
			switch {
			case err == nil:
				good = c.svc.clock.Now()
			case ctx.Err() != nil:
				return nil
			case errors.Is(err, ErrLeaseLost), c.svc.clock.Now().Sub(good) >= ttl:
				cancel(err)
				return err
			default:
				// There is time left, and the check before the summary is used
				// decides in the end.
				c.svc.log.WarnContext(ctx, "renewing a lease; trying again", "error", err)
			}
			tick, stopTick = c.svc.clock.After(ttl / 3)
		}
	}
}
