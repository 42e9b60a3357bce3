package bus

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"
)

// session is one connection to the engine, from the handshake to its loss.
type session struct {
	// Fixed at creation.
	client     *Client
	ws         *socket
	log        *slog.Logger
	started    time.Time
	out        *outbox
	binds      *bindQueue
	ctx        context.Context // ends when the connection is lost, with the reason
	cancel     context.CancelCauseFunc
	work       context.Context // below ctx; ends earlier when the client stops
	cancelWork context.CancelCauseFunc
	readerDone chan struct{}
	writerDone chan struct{}
	rejections chan error    // capacity 1: the engine refused the worker
	refusals   chan struct{} // capacity 1: functions were refused

	loops   sync.WaitGroup // reader, writer, keepalive
	hooks   sync.WaitGroup // code of the application, bindings included
	proved  atomic.Bool    // a call was answered on this connection
	parting sync.Mutex     // held over a close handshake, which must not be cut

	mu      sync.Mutex
	closing bool                  // no more callbacks: hooks is being waited for
	pending map[string]chan reply // :: invocation id → caller
	refused map[string]string     // :: function id → owner
}

func newSession(c *Client, ws *socket) *session {
	s := &session{
		client:     c,
		ws:         ws,
		log:        c.log,
		started:    time.Now(),
		out:        newOutbox(),
		binds:      newBindQueue(),
		readerDone: make(chan struct{}),
		writerDone: make(chan struct{}),
		rejections: make(chan error, 1),
		refusals:   make(chan struct{}, 1),
		pending:    map[string]chan reply{},
		refused:    map[string]string{},
	}
	s.ctx, s.cancel = context.WithCancelCause(context.Background())
	s.work, s.cancelWork = context.WithCancelCause(s.ctx)
	return s
}

// run serves the connection until it is lost (nil), ctx ends (nil, after the
// drain) or the engine will not have this worker (a *WorkerConflictError or
// *FunctionConflictError, to be judged by the caller).
func (s *session) run(ctx context.Context) error {
	hooks := s.client.attach(s)
	s.loops.Go(s.readLoop)
	s.loops.Go(s.writeLoop)
	s.loops.Go(s.pingLoop)
	s.loops.Go(s.watchSilence)
	s.callback("trigger bindings", s.bindLoop)
	for _, hook := range hooks {
		s.callback("connect hook", func() { hook(s.work) })
	}
	err := s.supervise(ctx)
	if ctx.Err() != nil || isFunctionConflict(err) {
		s.client.drain(s)
	}
	s.client.detach(s)
	s.lose(errors.New("closed by this worker"))
	s.parting.Lock()
	s.ws.kill()
	s.parting.Unlock()
	s.loops.Wait()
	s.client.sched.drop(s)
	if !s.client.sched.isStopped() {
		s.endCallbacks()
		s.hooks.Wait()
	}
	select {
	case rejection := <-s.rejections: // the engine closes right behind it
		return rejection
	default:
		return err
	}
}

// supervise waits for the end of the connection.
func (s *session) supervise(ctx context.Context) error {
	settle := time.NewTimer(time.Hour)
	settle.Stop()
	defer settle.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-s.ctx.Done():
			return nil
		case err := <-s.rejections:
			return err
		case <-s.refusals:
			settle.Reset(s.client.opts.ConflictSettle)
		case <-settle.C:
			if err := s.client.allRefused(s); err != nil {
				return err
			}
		}
	}
}

// alive reports whether a connection can still carry a call. One that is lost
// stays the current one until its handlers have been told, and must not be
// taken for a connection meanwhile.
func (s *session) alive() bool { return s != nil && s.ctx.Err() == nil }

// lose ends the session; the first reason counts.
func (s *session) lose(reason error) {
	if s.ctx.Err() != nil {
		return
	}
	s.cancel(fmt.Errorf("%w: %w", ErrDisconnected, reason))
}

// lasted reports whether the connection was worth more than a pause: such a loss
// starts the backoff anew.
func (s *session) lasted() bool {
	return s.proved.Load() || time.Since(s.started) >= s.client.opts.BackoffReset
}

// callback runs code of the application on a goroutine that the session waits
// for. A panic there must not end the process.
func (s *session) callback(what string, f func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closing {
		s.hooks.Go(func() { guard(s.log, what, f) })
	}
}

// endCallbacks comes before waiting for hooks.
func (s *session) endCallbacks() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closing = true
}
