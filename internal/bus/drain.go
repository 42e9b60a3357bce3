package bus

import (
	"context"
	"sync"
	"time"

	"github.com/coder/websocket"
)

// drain ends the work of the client: nothing begins any more, what runs is told
// to stop and has until the deadline, the rest is answered in its stead. s is the
// connection, nil when there is none. Only the first drain does anything.
func (c *Client) drain(s *session) {
	c.mu.Lock()
	done := c.stopped
	c.stopped = true
	c.notify()
	c.mu.Unlock()
	if done {
		return
	}
	deadline := time.Now().Add(c.opts.DrainTimeout)
	for _, in := range c.sched.stop() {
		in.session.postStopping(in.call.InvocationID, in.call.FunctionID)
		in.frame.release()
	}
	if s != nil {
		s.cancelWork(ErrStopped)
	}
	for _, in := range c.sched.wait(deadline) {
		if in.call.InvocationID != "" && !in.answered.CompareAndSwap(false, true) {
			continue // only its answer has not left yet
		}
		c.log.Error("a handler ignores the end of its context; not waiting for it", "function", in.function.ID)
		in.session.postStopping(in.call.InvocationID, in.call.FunctionID)
	}
	if s == nil {
		return
	}
	s.endCallbacks()
	if !waitUntil(&s.hooks, deadline) {
		c.log.Error("a connect hook or trigger callback ignores the end of its context; not waiting for it")
	}
	s.flush(c.opts.CloseTimeout)
}

// flush writes what is queued, then closes with a handshake.
func (s *session) flush(timeout time.Duration) {
	end := time.Now().Add(timeout)
	s.out.close()
	timer := time.NewTimer(timeout)
	defer timer.Stop()
	select {
	case <-s.writerDone:
	case <-timer.C:
		return // the engine does not read: no handshake either
	}
	s.parting.Lock()
	defer s.parting.Unlock()
	s.ws.bye(websocket.StatusNormalClosure, "", max(timeout/4, time.Until(end)))
}

// hookGrace is what callbacks get when handlers have used up the time.
const hookGrace = 100 * time.Millisecond

// waitUntil waits for the group, at least once and at most until shortly after
// the deadline.
func waitUntil(group *sync.WaitGroup, deadline time.Time) bool {
	done := make(chan struct{})
	go func() {
		group.Wait()
		close(done)
	}()
	ctx, cancel := context.WithDeadline(context.Background(), deadline.Add(hookGrace))
	defer cancel()
	select {
	case <-done:
		return true
	case <-ctx.Done():
		return false
	}
}
