package worker

import (
	"context"
	"errors"
	"fmt"
	"time"

	"context-manager/internal/bus"
)

// boot takes the first settings: what is stored, or else the seed, which is
// stored then. It waits for an engine for ever, and gives up after a while on
// an engine that has no configuration worker.
func (c *configuration) boot(ctx context.Context) error {
	c.seed.load()
	var last error
	for try := 0; try < c.tries; {
		if err := c.connected(ctx); err != nil {
			return err
		}
		select { // the connection that this try is made on is no news
		case <-c.reconnected:
		default:
		}
		pause := time.NewTimer(c.tryTime)
		err := c.first(ctx)
		if err == nil || fatal(err) || ctx.Err() != nil {
			pause.Stop()
			return err
		}
		if errors.Is(err, bus.ErrDisconnected) {
			pause.Stop()
			continue // an engine that goes away is waited for, not counted
		}
		last = err
		try++
		c.log.Warn("reading the configuration", "id", c.id, "try", try, "error", err)
		select {
		case <-pause.C:
		case <-ctx.Done():
			pause.Stop()
			return context.Cause(ctx)
		}
	}
	return fmt.Errorf("reading configuration %q from the engine: %w (tried %d times; is its configuration worker running?)", c.id, last, c.tries)
}

// fatal tells errors that another try cannot mend.
func fatal(err error) bool { return codeIs(err, "INVALID_ID") }

func codeIs(err error, code string) bool {
	remote := (*bus.RemoteError)(nil)
	return errors.As(err, &remote) && remote.Code == code
}

// first makes sure that the entry exists, with our schema and a value, and puts
// its value in force.
func (c *configuration) first(ctx context.Context) error {
	stored, err := c.entry.register(ctx, c.seed.settings.Raw())
	if err != nil {
		return err
	}
	if err := c.read(ctx); err != nil {
		return err
	}
	if stored != nil {
		c.seed.compare(c.live.Load())
	}
	return nil
}
