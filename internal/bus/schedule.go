package bus

import (
	"context"
	"sync"
	"time"
)

// scheduler decides which of the incoming calls run. A call holds one of
// maxRunning places while its handler works; while the handler waits on the bus
// the place is given away, and before the handler goes on it gets one again, ahead
// of the calls that have not begun.
//
// What is in memory is bounded where calls come in: there may be maxWaiting more
// calls than places, and maxBytes of calls that hold none. So every handler can
// give its place away, and none that waits keeps it from one that could go on.
type scheduler struct {
	// Fixed at creation.
	maxRunning, maxWaiting int
	maxBytes               int64
	start                  func(*inflight) // on a goroutine of its own

	mu           sync.Mutex
	running      int // places held
	bypassing    int
	waiting      []*inflight // in order of arrival
	resuming     []*resumer  // in order of arrival
	waitingBytes int64
	parkedBytes  int64                  // of handlers without their place, resuming ones too
	active       map[*inflight]struct{} // begun and not finished
	stopped      bool
	idle         chan struct{} // closed when stopped and nothing is active
}

// place is a call's part in the scheduler, guarded by its mu.
type place struct {
	held     bool
	parked   bool // given away and counted
	resuming bool // parked, and wants it back
	waits    int  // goroutines of the handler that wait on the bus
	finished bool
}

type resumer struct {
	in *inflight
	ok chan struct{}
}

// verdict is what becomes of an incoming call.
type verdict int

const (
	accepted verdict = iota
	overloaded
	stopping
)

func newScheduler(o Options, start func(*inflight)) *scheduler {
	return &scheduler{
		maxRunning: o.MaxRunning,
		maxWaiting: o.MaxWaiting,
		maxBytes:   o.MaxWaitingBytes,
		start:      start,
		active:     map[*inflight]struct{}{},
		idle:       make(chan struct{}),
	}
}

// submit starts the call, queues it or turns it away; it never blocks.
func (s *scheduler) submit(in *inflight) verdict {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.stopped:
		return stopping
	case in.function.Bypass:
		if s.bypassing >= s.maxWaiting {
			return overloaded
		}
		s.bypassing++
		s.begin(in)
	case s.ordinary() >= s.maxRunning+s.maxWaiting || s.waitingBytes+s.parkedBytes+in.size > s.maxBytes:
		return overloaded
	case s.running < s.maxRunning:
		s.running++
		in.place.held = true
		s.begin(in)
	default:
		s.waiting = append(s.waiting, in)
		s.waitingBytes += in.size
	}
	return accepted
}

// ordinary is how many calls there are that take places.
func (s *scheduler) ordinary() int { return len(s.waiting) + len(s.active) - s.bypassing }

func (s *scheduler) begin(in *inflight) {
	s.active[in] = struct{}{}
	go s.start(in)
}

// finish ends a call's part.
func (s *scheduler) finish(in *inflight) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := &in.place
	p.finished = true
	switch {
	case in.function.Bypass:
		s.bypassing--
	case p.held:
		p.held = false
		s.pass()
	case p.resuming:
		s.forgetResumer(in)
	case p.parked:
		s.unpark(in)
	}
	delete(s.active, in)
	s.checkIdle()
}

// pass hands a place that became free to whoever is next.
func (s *scheduler) pass() {
	if len(s.resuming) > 0 {
		next := s.resuming[0]
		s.resuming = s.resuming[1:]
		s.unpark(next.in)
		next.in.place.held = true
		close(next.ok)
		return
	}
	if len(s.waiting) > 0 {
		next := s.waiting[0]
		s.waiting[0] = nil
		s.waiting = s.waiting[1:]
		s.waitingBytes -= next.size
		next.place.held = true
		s.begin(next)
		return
	}
	s.running--
}

// park gives the place of a waiting handler away.
func (s *scheduler) park(in *inflight) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := &in.place
	p.waits++
	if p.waits > 1 || !p.held {
		return
	}
	p.held, p.parked = false, true
	s.parkedBytes += in.size
	s.pass()
}

func (s *scheduler) unpark(in *inflight) {
	in.place.parked, in.place.resuming = false, false
	s.parkedBytes -= in.size
}

// resume takes a place again when the last goroutine of the handler ends its
// wait. After the end of ctx the handler goes on without one, to finish.
func (s *scheduler) resume(ctx context.Context, in *inflight) {
	s.mu.Lock()
	p := &in.place
	p.waits--
	if p.waits > 0 || !p.parked || p.resuming || p.finished {
		s.mu.Unlock()
		return
	}
	if s.running < s.maxRunning {
		s.running++
		s.unpark(in)
		p.held = true
		s.mu.Unlock()
		return
	}
	r := &resumer{in: in, ok: make(chan struct{})}
	s.resuming = append(s.resuming, r)
	p.resuming = true
	s.mu.Unlock()
	select {
	case <-r.ok:
		return
	case <-ctx.Done():
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.forgetResumer(in)
}

// forgetResumer lets a handler go on without a place; a handler has at most one
// resumer.
func (s *scheduler) forgetResumer(in *inflight) {
	for i, r := range s.resuming {
		if r.in == in {
			close(r.ok)
			s.unpark(in)
			s.resuming = append(s.resuming[:i], s.resuming[i+1:]...)
			return
		}
	}
}

// drop forgets the waiting calls of a lost connection: nobody hears the answers.
func (s *scheduler) drop(lost *session) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.takeWaiting(func(in *inflight) bool { return in.session == lost }, func(in *inflight) { in.frame.release() })
}

func (s *scheduler) takeWaiting(match func(*inflight) bool, take func(*inflight)) {
	kept := s.waiting[:0]
	for _, in := range s.waiting {
		if match(in) {
			s.waitingBytes -= in.size
			take(in)
		} else {
			kept = append(kept, in)
		}
	}
	clear(s.waiting[len(kept):])
	s.waiting = kept
}

// stop turns every further call away and returns those that have not begun.
func (s *scheduler) stop() (turnedAway []*inflight) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stopped = true
	s.takeWaiting(func(*inflight) bool { return true }, func(in *inflight) { turnedAway = append(turnedAway, in) })
	s.checkIdle()
	return turnedAway
}

func (s *scheduler) isStopped() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.stopped
}

func (s *scheduler) checkIdle() {
	if !s.stopped || len(s.active) > 0 {
		return
	}
	select {
	case <-s.idle:
	default:
		close(s.idle)
	}
}

// wait returns the calls that are still running when time is up.
func (s *scheduler) wait(deadline time.Time) (stragglers []*inflight) {
	timer := time.NewTimer(time.Until(deadline))
	defer timer.Stop()
	select {
	case <-s.idle:
		return nil
	case <-timer.C:
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for in := range s.active {
		stragglers = append(stragglers, in)
	}
	return stragglers
}
