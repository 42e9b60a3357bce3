package devengine

import (
	"context"
	"sync"

	"github.com/coder/websocket"
)

// outboxRoom is how many messages wait for a worker before the engine makes
// whoever asks for a pong wait. Calls and answers are never held back: the
// reader of one worker must not stop because another one does not read.
const outboxRoom = 64

type outKind uint8

const (
	outText  outKind = iota
	outPong          // body is the payload of a WebSocket pong
	outClose         // the code-less close that ends the connection
)

type outgoing struct {
	kind outKind
	body []byte // given back to the pool once written, pongs apart
}

// outbox holds the messages to one worker in order. One writer takes them.
type outbox struct {
	mu     sync.Mutex
	change sync.Cond // something was added, taken, or the box was closed
	queue  []outgoing
	closed bool
}

func newOutbox() *outbox {
	o := &outbox{}
	o.change.L = &o.mu
	return o
}

// put adds a message without waiting; it is false when the box is closed.
func (o *outbox) put(kind outKind, body []byte) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closed {
		return false
	}
	o.queue = append(o.queue, outgoing{kind, body})
	o.change.Broadcast()
	return true
}

// putSlow is put for messages that a peer can cause without bound: it waits
// until there is room.
func (o *outbox) putSlow(kind outKind, body []byte) {
	o.mu.Lock()
	for len(o.queue) >= outboxRoom && !o.closed {
		o.change.Wait()
	}
	o.mu.Unlock()
	o.put(kind, body)
}

// take waits for messages and returns all there are, nil when the box has been
// closed. spare is memory for the next ones.
func (o *outbox) take(spare []outgoing) []outgoing {
	o.mu.Lock()
	defer o.mu.Unlock()
	for len(o.queue) == 0 && !o.closed {
		o.change.Wait()
	}
	if o.closed {
		return nil
	}
	batch := o.queue
	o.queue = spare[:0]
	o.change.Broadcast()
	return batch
}

// close drops what has not been taken and ends the writer.
func (o *outbox) close() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.closed = true
	o.queue = nil
	o.change.Broadcast()
}

// write sends the messages of the box until it is closed, a write fails, or a
// close has been sent.
func (o *outbox) write(ws *websocket.Conn, l *link) {
	var batch []outgoing
	for {
		spare := batch
		clear(spare)
		if batch = o.take(spare); batch == nil {
			return
		}
		for _, m := range batch {
			switch m.kind {
			case outText:
				err := ws.Write(context.Background(), websocket.MessageText, m.body)
				if err != nil {
					return
				}
				giveBuffer(m.body)
			case outPong:
				if _, err := l.Write(pongFrame(m.body)); err != nil {
					return
				}
			case outClose:
				_ = ws.Close(websocket.StatusNoStatusRcvd, "")
				return
			}
		}
	}
}

// pongFrame is a whole pong, to be written in one piece between two messages.
// The library answers pings by itself only from its reader, which then waits
// for the peer to read; the engine queues pongs behind what is under way.
func pongFrame(payload []byte) []byte {
	const finPong = 0x8a
	return append([]byte{finPong, byte(len(payload))}, payload...)
}
