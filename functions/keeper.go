package functions

import (
	"context"
	"time"
)

// keep returns a context for the summariser calls of a compaction. It ends
// when summarizer_timeout_ms have passed or the lease is lost; meanwhile the
// lease is renewed, so that a TTL shorter than a summary is safe. done stops
// all that, waits for it, and returns why the lease is lost, if it is.
func (c *compaction) keep(ctx context.Context, held Lease, ttl time.Duration) (_ context.Context, done func() error) {
	ctx, cancel := context.WithCancelCause(ctx)
	stop := make(chan struct{})
	finished := make(chan error, 1)
	go func() { finished <- c.watch(ctx, cancel, stop, held, ttl) }()
	return ctx, func() error {
		close(stop)
		err := <-finished
		cancel(nil)
		return err
	}
}

func (c *compaction) watch(ctx context.Context, cancel context.CancelCauseFunc, stop <-chan struct{}, held Lease, ttl time.Duration) error {
	deadline, stopDeadline := c.svc.clock.After(time.Duration(c.set.SummarizerTimeoutMS) * time.Millisecond)
	defer stopDeadline()
	for {
		renew, stopRenew := c.svc.clock.After(ttl / 3)
		select {
		case <-stop:
			stopRenew()
			return nil
		case <-ctx.Done():
			stopRenew()
			return nil
		case <-deadline:
			stopRenew()
			cancel(errTimeout)
			return nil
		case <-renew:
			if err := held.Renew(ctx); err != nil && ctx.Err() == nil {
				cancel(err)
				return err
			}
		}
	}
}
