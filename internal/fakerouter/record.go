package fakerouter

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"sync"

	"context-manager/internal/bus"
)

// Call is one call the router got.
type Call struct {
	Function string
	// Data is the argument as it arrived; an engine has added _caller_worker_id
	// and sorted the keys.
	Data        json.RawMessage
	Metadata    json.RawMessage
	TraceParent string
	Baggage     string
}

// Event is something that happened in a chat, for assertions about order.
type Event struct {
	// Chat counts the chats from 1.
	Chat int
	// Kind is "call", "frame", "binary", "close", "answer", "throw" or "lost" (the
	// reader has gone).
	Kind string
	// Detail is the type of a text frame that is an event, or the code of a throw.
	Detail string
}

// record keeps what happened.
type record struct{ *recorded }

type recorded struct {
	mu      sync.Mutex
	calls   []Call
	events  []Event
	chats   int
	changed chan struct{} // closed and replaced by every addition
}

func newRecord() record { return record{&recorded{changed: make(chan struct{})}} }

func (l record) notify() {
	close(l.changed)
	l.changed = make(chan struct{})
}

func (l record) call(id string, call *bus.Call) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.calls = append(l.calls, Call{
		Function: id, Data: bytes.Clone(call.Data), Metadata: bytes.Clone(call.Metadata),
		TraceParent: call.TraceParent, Baggage: call.Baggage,
	})
	l.notify()
}

func (l record) chat() (number int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.chats++
	l.events = append(l.events, Event{Chat: l.chats, Kind: "call"})
	l.notify()
	return l.chats
}

func (l record) event(e Event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.events = append(l.events, e)
	l.notify()
}

// Calls returns what was asked of a function, in order.
func (r *Router) Calls(id string) (calls []Call) {
	r.log.mu.Lock()
	defer r.log.mu.Unlock()
	for _, c := range r.log.calls {
		if c.Function == id {
			calls = append(calls, c)
		}
	}
	return calls
}

// Count returns how often a function was called.
func (r *Router) Count(id string) int { return len(r.Calls(id)) }

// Events returns what happened in all chats, in order; each is noted right before
// it is done.
func (r *Router) Events() []Event {
	r.log.mu.Lock()
	defer r.log.mu.Unlock()
	return slices.Clone(r.log.events)
}

// WaitCount waits until a function has been called at least n times.
func (r *Router) WaitCount(ctx context.Context, id string, n int) error {
	for {
		r.log.mu.Lock()
		changed := r.log.changed
		r.log.mu.Unlock()
		if r.Count(id) >= n {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// Forget empties the record; chats keep counting.
func (r *Router) Forget() {
	r.log.mu.Lock()
	defer r.log.mu.Unlock()
	r.log.calls, r.log.events = nil, nil
}
