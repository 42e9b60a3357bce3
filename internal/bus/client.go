package bus

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"sync"
	"time"
)

// Client is a worker's connection to the engine. All methods may be called from
// several goroutines; registrations may be made before and during [Client.Run].
type Client struct {
	// Fixed at creation.
	opts  Options
	log   *slog.Logger
	sched *scheduler

	mu       sync.Mutex
	ran      bool
	stopped  bool
	current  *session      // nil while not connected
	lost     error         // why the last one is gone; nil = there was none
	changed  chan struct{} // closed and replaced when current or stopped change
	registry registry
	previous reattachment // identity on the last connection
	hooks    []func(context.Context)
}

// reattachment lets a new connection replace a half-open old one.
type reattachment struct{ workerID, token string }

// New returns a client that does nothing until [Client.Run].
func New(o Options) *Client {
	o = o.withDefaults()
	c := &Client{opts: o, log: o.Logger, changed: make(chan struct{})}
	c.sched = newScheduler(o, c.serve)
	return c
}

// Run connects, serves, and connects again for as long as it takes, until ctx
// ends; then it turns new calls away, gives the running ones
// [Options.DrainTimeout] to end, answers the rest with [CodeStopping], closes and
// returns nil. It returns after every goroutine it started has, except handlers
// and hooks that ignore the end of their context; those are logged.
//
// A *[WorkerConflictError] or *[FunctionConflictError] says that the engine will
// not have this worker; a URL that is none is an error at once. Run may be called
// once.
func (c *Client) Run(ctx context.Context) error {
	c.mu.Lock()
	again := c.ran
	c.ran = true
	c.mu.Unlock()
	if again {
		return errors.New("running the bus client: it has run already")
	}
	if u, err := url.Parse(c.opts.URL); err != nil || u.Host == "" || u.Scheme != "ws" && u.Scheme != "wss" {
		return fmt.Errorf("running the bus client: engine URL %q, want ws://host:port", Redacted(c.opts.URL))
	}
	err := c.reconnect(ctx)
	c.drain(nil) // when the end came between two connections
	return err
}

func (c *Client) reconnect(ctx context.Context) error {
	pauses := newBackoff(c.opts.BackoffFirst, c.opts.BackoffMax)
	attempts, conflicts := 0, 0
	for ctx.Err() == nil {
		s, err := c.dialSession(ctx)
		if err != nil {
			attempts++
			if ctx.Err() == nil && c.opts.OnDialError != nil {
				c.opts.OnDialError(err, attempts)
			}
			if !sleep(ctx, pauses.next()) {
				return nil
			}
			continue
		}
		attempts = 0
		c.log.Info("connected to the engine", "url", Redacted(c.opts.URL))
		err = s.run(ctx)
		if ctx.Err() != nil {
			return nil
		}
		var conflict *WorkerConflictError
		refused := errors.As(err, &conflict)
		if s.lasted() && !refused { // a refusal may come behind an answered call
			pauses.reset()
			conflicts = 0
		}
		pause := pauses.next()
		switch {
		case refused:
			if conflicts == c.opts.ConflictTries {
				return err
			}
			pause = conflictPause(c.opts.ConflictWindow, c.opts.ConflictTries, conflicts)
			conflicts++
			c.log.Warn(conflict.hint(), "name", conflict.Name, "code", conflict.Code, "owner", conflict.Owner, "try", conflicts, "of", c.opts.ConflictTries, "pause", pause)
		case err != nil:
			return err
		default:
			c.log.Warn("lost the connection to the engine", "reason", context.Cause(s.ctx), "after", time.Since(s.started).Round(time.Millisecond))
		}
		if !sleep(ctx, pause) {
			return nil
		}
	}
	return nil
}

// attach makes s the current connection. The registrations are queued first, so
// that whatever is sent afterwards finds them made.
func (c *Client) attach(s *session) (hooks []func(context.Context)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, frame := range c.replay() {
		s.out.post(parcel{buffer: frame, kind: replayed})
	}
	c.current = s
	c.notify()
	return append(hooks, c.hooks...)
}

func (c *Client) detach(s *session) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.current == s {
		c.current = nil
		c.lost = context.Cause(s.ctx)
		c.notify()
	}
}

func (c *Client) notify() {
	close(c.changed)
	c.changed = make(chan struct{})
}

// connected returns the current connection, ErrDisconnected with what is known
// of the reason, or ErrStopped.
func (c *Client) connected() (*session, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.current.alive():
		return c.current, nil
	case c.stopped:
		return nil, ErrStopped
	case c.current != nil:
		return nil, context.Cause(c.current.ctx)
	case c.lost != nil:
		return nil, c.lost
	}
	return nil, ErrDisconnected
}

// WaitConnected waits for a connection on which the registrations have been
// sent. It returns [ErrStopped] when the client stops, or the cause of ctx's end.
func (c *Client) WaitConnected(ctx context.Context) error {
	for {
		c.mu.Lock()
		current, stopped, changed := c.current, c.stopped, c.changed
		c.mu.Unlock()
		switch {
		case stopped:
			return ErrStopped
		case current.alive():
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// OnConnect adds a hook that runs on every connection, each on a goroutine of its
// own, after the registrations have been sent. Its context ends when the
// connection is lost or the client stops; the next connection waits for it.
func (c *Client) OnConnect(hook func(ctx context.Context)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.hooks = append(c.hooks, hook)
}

// registered keeps the identity that the engine gave to this connection.
func (c *Client) registered(workerID, token string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if workerID != "" && token != "" {
		c.previous = reattachment{workerID, token}
	}
}

// GiveWay lets another handler run in place of the one that ctx belongs to while
// it waits on the bus; resume ends that.
func (c *Client) GiveWay(ctx context.Context) (resume func()) {
	in := servedCall(ctx)
	if in == nil || in.session.client != c {
		return func() {}
	}
	c.sched.park(in)
	return func() { c.sched.resume(ctx, in) }
}
