package bus

import (
	"context"
	"sync"
)

const (
	// outboxBytes is how much may wait for the writer before senders wait too.
	outboxBytes = 32 << 20
	// postedBytes is how much the read loop, which never waits, may leave behind
	// while the engine does not read; more costs the connection.
	postedBytes = 16 << 20
)

// outbox is the queue in front of the one writer goroutine of a connection.
type outbox struct {
	mu     sync.Mutex
	items  []parcel
	bytes  int64 // of requests and answers
	posted int64 // of what the read loop posted
	closed bool
	ready  chan struct{} // capacity 1: items or closed changed
	room   chan struct{} // closed and replaced when a parcel left and a sender waits
	waits  int           // senders that wait for room
}

type parcel struct {
	*buffer
	kind parcelKind
}

type parcelKind int

const (
	request  parcelKind = iota // its sender waits when much is queued
	answer                     // likewise
	posted                     // by the read loop
	replayed                   // registrations: no limit
)

func newOutbox() *outbox {
	return &outbox{ready: make(chan struct{}, 1), room: make(chan struct{})}
}

// post queues without waiting. A closed box drops the parcel; overflow reports
// that it was dropped because the writer does not keep up.
func (o *outbox) post(p parcel) (overflow bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closed {
		return false
	}
	if p.kind == posted && o.posted > postedBytes {
		return true
	}
	o.add(p)
	return false
}

// send queues, waiting for room until one of the channels closes. It reports
// false when the parcel was dropped.
func (o *outbox) send(lost, given <-chan struct{}, p parcel) bool {
	for {
		o.mu.Lock()
		if o.closed {
			o.mu.Unlock()
			return false
		}
		if o.bytes == 0 || o.bytes+int64(len(p.b)) <= outboxBytes {
			o.add(p)
			o.mu.Unlock()
			return true
		}
		room := o.room
		o.waits++
		o.mu.Unlock()
		open := true
		select {
		case <-room:
		case <-lost:
			open = false
		case <-given:
			open = false
		}
		o.mu.Lock()
		o.waits--
		o.mu.Unlock()
		if !open {
			return false
		}
	}
}

func (o *outbox) add(p parcel) {
	switch p.kind {
	case request, answer:
		o.bytes += int64(len(p.b))
	case posted:
		o.posted += int64(len(p.b))
	}
	o.items = append(o.items, p)
	o.signal()
}

func (o *outbox) signal() {
	select {
	case o.ready <- struct{}{}:
	default:
	}
}

// close refuses further parcels; those inside can still be taken.
func (o *outbox) close() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.closed {
		o.closed = true
		close(o.room)
		o.signal()
	}
}

// take returns all queued parcels, waiting for the first until ctx ends. It
// returns none when the box is closed and empty.
func (o *outbox) take(ctx context.Context, into []parcel) []parcel {
	for {
		o.mu.Lock()
		if len(o.items) > 0 || o.closed {
			into, o.items = o.items, into[:0]
			o.mu.Unlock()
			return into
		}
		o.mu.Unlock()
		select {
		case <-o.ready:
		case <-ctx.Done():
			return nil
		}
	}
}

// wrote makes room after a parcel left.
func (o *outbox) wrote(kind parcelKind, size int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	switch kind {
	case request, answer:
		o.bytes -= int64(size)
	case posted:
		o.posted -= int64(size)
	}
	if o.waits > 0 && !o.closed {
		close(o.room)
		o.room = make(chan struct{})
	}
}
