package devengine

import (
	"sync"
	"time"

	"github.com/coder/websocket"
	"github.com/google/uuid"
)

// Room of a channel, in frames.
const (
	defaultRoom = 64
	maxRoom     = 1024
)

// item is one frame on its way through a channel.
type item struct {
	typ  websocket.MessageType
	body []byte
}

// channel carries frames from one writer to one reader. Each end can be opened
// once.
//
// items is closed by whoever ends the writing: the writer, or the sweep when no
// writer has come.
type channel struct {
	id, key string
	made    time.Time
	items   chan item
	left    chan struct{} // closed when no reader will take more

	// guarded by Engine.mu
	written, read bool // the end has been opened
	writer        *link

	leave sync.Once
}

// abandon says that no reader will take more.
func (c *channel) abandon() { c.leave.Do(func() { close(c.left) }) }

// createChannel is engine::channels::create.
func (e *Engine) createChannel(q *call) ([]byte, *fault) {
	in, bad := q.input()
	if bad != nil {
		return nil, bad
	}
	size := in.natural("buffer_size", 1<<63-1)
	if in.bad != nil {
		return nil, in.bad
	}
	room := uint64(defaultRoom)
	if size != nil {
		room = min(max(*size, 1), maxRoom)
	}
	c := &channel{id: uuid.New().String(), key: uuid.New().String(), made: time.Now(),
		items: make(chan item, room), left: make(chan struct{})}
	e.mu.Lock()
	e.channels[c.id] = c
	e.mu.Unlock()
	end := func(direction string) row {
		return row{"channel_id": c.id, "access_key": c.key, "direction": direction}
	}
	return marshal(row{"writer": end("write"), "reader": end("read")}), nil
}

// open takes one end of a channel; first is false when it was taken already.
func (e *Engine) open(c *channel, direction string, l *link) (first bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	end := &c.read
	if direction == "write" {
		end = &c.written
	}
	if *end {
		return false
	}
	*end = true
	if direction == "write" {
		c.writer = l
	}
	return true
}

// dropWriter makes the writer lose its socket.
func (e *Engine) dropWriter(c *channel) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if c.writer != nil {
		_ = c.writer.Close()
	}
}

// sweepChannels removes channels made before a time of which an end was never
// opened: a reader gets the end of the stream, a writer fails at its next
// frame. The others stay, so that an end opened again is told apart from a
// channel that never was.
func (e *Engine) sweepChannels(before time.Time) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for id, c := range e.channels {
		if c.made.After(before) || c.written && c.read {
			continue
		}
		delete(e.channels, id)
		c.abandon()
		if !c.written {
			c.written = true
			close(c.items)
		}
	}
}
