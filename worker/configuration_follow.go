package worker

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"context-manager/internal/bus"
)

// chores are what follow still has to do.
type chores struct{ rejoin, forward, read bool }

func (t chores) any() bool { return t.rejoin || t.forward || t.read }

// follow keeps the settings up to date until ctx ends. What fails stays on the
// list and is tried again, later and later, or when the next notice comes.
func (c *configuration) follow(ctx context.Context) error {
	var watching sync.WaitGroup
	defer watching.Wait()
	if c.seed.path != "" {
		watching.Go(func() { c.seed.watch(ctx, func() { signal(c.edited) }) })
	}
	c.following = true
	todo := chores{read: true} // what changed between the first reading and the binding
	pause := c.retry
	for {
		if todo.any() {
			if c.work(ctx, &todo) {
				pause = c.retry
			}
		}
		again := time.NewTimer(pause)
		if todo.any() {
			pause = min(2*pause, 30*c.retry)
		} else {
			again.Stop()
		}
		select {
		case <-ctx.Done():
			again.Stop()
			return nil
		case <-c.reconnected:
			todo.rejoin, todo.read = true, true
		case <-c.edited:
			todo.forward, todo.read = true, true
		case <-c.notice:
			todo.read = true
		case <-again.C:
		}
		again.Stop()
		// An edit that the engine refused, because another key is bad, has its
		// chance whenever something has changed.
		todo.forward = todo.forward || c.seed.waiting()
	}
}

// work does the chores in the order they build on one another, and reports
// whether all went well. Readers that wait are let go either way.
func (c *configuration) work(ctx context.Context, todo *chores) bool {
	c.mu.Lock()
	covered := c.wanted
	c.mu.Unlock()
	ok := c.chore(ctx, &todo.rejoin, c.rejoin) && c.chore(ctx, &todo.forward, c.forward) &&
		c.chore(ctx, &todo.read, c.reread)
	c.mu.Lock()
	c.done = covered
	close(c.settled)
	c.settled = make(chan struct{})
	c.mu.Unlock()
	return ok
}

// chore does one thing that needs the engine, waiting for one. A failure is
// logged and the chore stays; only what can never work is crossed off.
func (c *configuration) chore(ctx context.Context, todo *bool, do func(context.Context) error) bool {
	for *todo && ctx.Err() == nil {
		if err := c.connected(ctx); err != nil {
			return false
		}
		err := do(ctx)
		switch {
		case err == nil:
			*todo = false
		case errors.Is(err, bus.ErrDisconnected):
			// The next connection brings a notice of its own; see it first.
			return false
		default:
			if ctx.Err() == nil {
				c.complain(slog.LevelError, "following the configuration; "+c.inForce(), err)
			}
			*todo = !fatal(err)
			return false
		}
	}
	return !*todo
}

// rejoin registers the schema on a new connection: an engine that restarted has
// lost it, and perhaps the value.
func (c *configuration) rejoin(ctx context.Context) error {
	_, err := c.entry.register(ctx, c.live.Load().Raw())
	return err
}

// reread puts the stored value in force, and registers an entry that somebody
// deleted anew: until then nobody could set it.
func (c *configuration) reread(ctx context.Context) error {
	err := c.read(ctx)
	if codeIs(err, "NOT_FOUND") {
		c.log.Warn("the configuration entry is gone; registering it again with the settings in force", "id", c.id)
		if err = c.rejoin(ctx); err == nil {
			err = c.read(ctx)
		}
	}
	return err
}

// forward writes the edits of the settings file to the entry.
func (c *configuration) forward(ctx context.Context) error {
	edits, ok := c.seed.pending()
	if !ok {
		return nil
	}
	raw, err := c.entry.getRaw(ctx)
	if codeIs(err, "NOT_FOUND") { // deleted; the reading that comes next would find out
		if err = c.rejoin(ctx); err == nil {
			raw, err = c.entry.getRaw(ctx)
		}
	}
	if err != nil {
		return err
	}
	value, err := edits.on(raw)
	if err != nil {
		return err
	}
	err = c.entry.set(ctx, value)
	if codeIs(err, "SCHEMA_UNAVAILABLE") || codeIs(err, "NOT_REGISTERED") {
		// The engine has restarted, and the notice of that is still waiting.
		if err = c.rejoin(ctx); err == nil {
			err = c.entry.set(ctx, value)
		}
	}
	if codeIs(err, "SCHEMA_INVALID") {
		// Our own keys are good, so another stored one is not. The edit waits
		// until somebody mends that.
		c.complain(slog.LevelError, "an edit of the settings file waits for a stored key to be mended", err)
		return nil
	}
	if err != nil {
		return fmt.Errorf("writing the edit of %s: %w", c.seed.path, err)
	}
	c.seed.settle(edits)
	c.log.Info("edit of the settings file written to the configuration", "file", c.seed.path, "keys", edits.keys())
	return nil
}
