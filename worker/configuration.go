package worker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
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
	// retry is the first pause before something that failed is tried again.
	retry time.Duration

	reconnected chan struct{} // capacity one
	edited      chan struct{} // capacity one

	// last is the newest complaint, so that one that goes on is logged once. It
	// belongs to the goroutine that boots and follows.
	last string

	mu      sync.Mutex
	wanted  uint64        // notices so far
	done    uint64        // notices that the last reading covers
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
		retry:       time.Second,
		reconnected: make(chan struct{}, 1),
		edited:      make(chan struct{}, 1),
		notice:      make(chan struct{}, 1),
		settled:     make(chan struct{}),
	}
	if w.opts.quick {
		c.retry, c.entry.timeout = time.Millisecond, 200*time.Millisecond
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

// nudge asks for the settings to be read again and waits until that has been
// tried, so that whoever nudged finds the new ones in force.
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
	if err := c.read(ctx, true); err != nil {
		return err
	}
	if stored != nil {
		c.seed.compare(c.live.Load())
	}
	return nil
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
		c.complain(slog.LevelError, "the stored configuration is bad; "+inForce(boot), err)
		return nil
	case err != nil:
		return err
	}
	next, warnings, err := config.Decode(value)
	switch {
	case err != nil:
		c.complain(slog.LevelError, "the stored configuration is bad; "+inForce(boot), err)
		return nil
	case len(warnings) > 0:
		c.complain(slog.LevelWarn, "stored configuration: "+strings.Join(warnings, "; "), nil)
	}
	if c.apply(next, boot) && len(warnings) == 0 {
		c.last = ""
	}
	return nil
}

// complain logs a problem unless it is the one logged last.
func (c *configuration) complain(level slog.Level, message string, err error) {
	args := []any{"id", c.id}
	if err != nil {
		args = append(args, "error", err)
	}
	if said := fmt.Sprint(message, err); said != c.last {
		c.last = said
		c.log.Log(context.Background(), level, message, args...)
	}
}

func inForce(boot bool) string {
	if boot {
		return "running on the shipped settings"
	}
	return "the last good settings stay in force"
}

// apply puts settings in force. The lease directory is opened before; where
// that fails the old one stays, the rest is applied, and the next notice tries
// again. At boot there is none to keep: serve opens it. It reports whether all
// of the settings are in force.
func (c *configuration) apply(next config.Settings, boot bool) (whole bool) {
	whole = true
	if !boot {
		if err := c.leases.use(next.LeaseDir); err != nil {
			c.complain(slog.LevelError, "lease_dir cannot be used; the last good one stays in force", err)
			next.LeaseDir = c.live.Load().LeaseDir
			whole = false
		}
	}
	if changed := config.Diff(*c.live.Load(), next); len(changed) > 0 {
		c.log.Info("settings in force", "id", c.id, "changed", changed)
	}
	c.live.Store(&next)
	return whole
}

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
		c.chore(ctx, &todo.read, func(ctx context.Context) error { return c.read(ctx, false) })
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
				c.complain(slog.LevelError, "following the configuration; "+inForce(false), err)
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
