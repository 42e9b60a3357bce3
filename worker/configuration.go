package worker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"context-manager/config"
	"context-manager/internal/bus"
)

// configuration follows the settings. Their home is the engine's configuration
// worker; the settings file only seeds the entry and forwards edits to it.
//
// One goroutine, that of follow, does everything after the boot: it reads the
// entry, registers the schema anew and forwards edits. Whatever happens outside
// is a level-triggered notice to it, so notices that come twice, late or in the
// wrong order end with the same settings.
type configuration struct {
	id        string
	seed      seedFile
	entry     *entry
	live      *config.Live
	leases    *leases
	log       *slog.Logger
	connected func(context.Context) error
	// tries of tryTime each, while connected, before the boot is given up.
	tries   int
	tryTime time.Duration

	reconnected chan struct{} // capacity one
	edited      chan struct{} // capacity one

	mu      sync.Mutex
	wanted  uint64        // notices so far
	done    uint64        // notices that the last finished reading covers
	notice  chan struct{} // capacity one
	settled chan struct{} // closed and replaced when done moves
}

func newConfiguration(w *Worker) *configuration {
	c := &configuration{
		id:          w.opts.ConfigID,
		seed:        seedFile{path: w.opts.ConfigFile, log: w.log},
		entry:       &entry{id: w.opts.ConfigID, call: w.client.Call, timeout: callTime},
		live:        w.live,
		leases:      w.leases,
		log:         w.log,
		connected:   w.client.WaitConnected,
		tries:       6,
		tryTime:     5 * time.Second,
		reconnected: make(chan struct{}, 1),
		edited:      make(chan struct{}, 1),
		notice:      make(chan struct{}, 1),
		settled:     make(chan struct{}),
	}
	w.client.OnConnect(func(context.Context) { signal(c.reconnected) })
	return c
}

// callTime bounds one call to the configuration worker.
const callTime = 5 * time.Second

func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// nudge asks for the settings to be read again and waits until they have been,
// so that whoever nudged finds the new ones in force.
func (c *configuration) nudge(ctx context.Context) {
	c.mu.Lock()
	c.wanted++
	mine := c.wanted
	c.mu.Unlock()
	signal(c.notice)
	for {
		c.mu.Lock()
		done, settled := c.done, c.settled
		c.mu.Unlock()
		if done >= mine {
			return
		}
		select {
		case <-settled:
		case <-ctx.Done():
			return
		}
	}
}

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
	if stored != nil {
		c.seed.compare(stored)
	}
	return c.read(ctx, true)
}

// read puts the stored value in force. A value that is bad changes nothing,
// or, at boot, leaves the shipped settings in force.
func (c *configuration) read(ctx context.Context, boot bool) error {
	value, err := c.entry.get(ctx)
	switch {
	case codeIs(err, "SCHEMA_INVALID"), codeIs(err, "EXPAND_FAILED"):
		// The engine says what is wrong, with the key or the variable.
		if raw, rawErr := c.entry.getRaw(ctx); rawErr == nil {
			if _, _, bad := config.Decode(raw); bad != nil {
				err = fmt.Errorf("%w (%w)", bad, err)
			}
		}
		return c.refuse(err, boot)
	case err != nil:
		return err
	}
	next, warnings, err := config.Decode(value)
	for _, w := range warnings {
		c.log.Warn("stored configuration: "+w, "id", c.id)
	}
	if err != nil {
		return c.refuse(err, boot)
	}
	return c.apply(&next, boot)
}

func (c *configuration) refuse(err error, boot bool) error {
	c.log.Error("the stored configuration is bad; "+inForce(boot), "id", c.id, "error", err)
	return nil
}

func inForce(boot bool) string {
	if boot {
		return "running on the shipped settings"
	}
	return "the last good settings stay in force"
}

// apply puts settings in force. A new lease directory is opened before; where
// that fails the settings in force stay. At boot there are none to keep.
func (c *configuration) apply(next *config.Settings, boot bool) error {
	if !boot && next.LeaseDir != c.live.Load().LeaseDir {
		if err := c.leases.use(next.LeaseDir); err != nil {
			c.log.Error("lease_dir cannot be used; "+inForce(boot), "id", c.id, "error", err)
			return nil
		}
	}
	if changed := config.Diff(*c.live.Load(), *next); len(changed) > 0 {
		c.log.Info("settings in force", "id", c.id, "changed", changed)
	}
	c.live.Store(next)
	return nil
}

// follow keeps the settings up to date until ctx ends.
func (c *configuration) follow(ctx context.Context) error {
	var watching sync.WaitGroup
	defer watching.Wait()
	if c.seed.path != "" {
		watching.Go(func() { c.seed.watch(ctx, func() { signal(c.edited) }) })
	}
	signal(c.notice) // what changed between the first reading and the binding
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-c.reconnected:
			c.again(ctx, c.rejoin)
		case <-c.edited:
			c.again(ctx, c.forward)
		case <-c.notice:
		}
		c.mu.Lock()
		covered := c.wanted
		c.mu.Unlock()
		c.again(ctx, func(ctx context.Context) error { return c.read(ctx, false) })
		c.mu.Lock()
		c.done = covered
		close(c.settled)
		c.settled = make(chan struct{})
		c.mu.Unlock()
	}
}

// again does something that needs the engine, waiting for one, until it works
// or a connection says no. A failure is logged; the last good settings stay.
func (c *configuration) again(ctx context.Context, do func(context.Context) error) {
	for ctx.Err() == nil {
		if err := c.connected(ctx); err != nil {
			return
		}
		err := do(ctx)
		if errors.Is(err, bus.ErrDisconnected) {
			continue
		}
		if err != nil && ctx.Err() == nil {
			c.log.Error("following the configuration; "+inForce(false), "id", c.id, "error", err)
		}
		return
	}
}

// rejoin registers the schema on a new connection: an engine that restarted has
// lost it, and perhaps the value.
func (c *configuration) rejoin(ctx context.Context) error {
	_, err := c.entry.register(ctx, c.live.Load().Raw())
	return err
}

// forward writes the edits of the settings file to the entry.
func (c *configuration) forward(ctx context.Context) error {
	edits, ok := c.seed.pending()
	if !ok {
		return nil
	}
	raw, err := c.entry.getRaw(ctx)
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
	if err != nil {
		if errors.Is(err, bus.ErrDisconnected) {
			return err
		}
		c.seed.settle(edits)
		return fmt.Errorf("writing the edit of %s: %w", c.seed.path, err)
	}
	c.seed.settle(edits)
	c.log.Info("edit of the settings file written to the configuration", "file", c.seed.path, "keys", edits.keys())
	return nil
}

// trigger is the binding that brings the engine's notices.
func (w *Worker) configTrigger() bus.Trigger {
	binding, err := json.Marshal(map[string]string{"configuration_id": w.opts.ConfigID})
	if err != nil {
		panic(err) // a map of strings
	}
	return bus.Trigger{
		ID:               w.triggerID("config-watch"),
		Type:             "configuration",
		FunctionID:       "context::on-config-change",
		Config:           binding,
		Namespace:        w.opts.Namespace,
		TriggerNamespace: "default",
	}
}
