package devengine

import (
	"bytes"
	"context"
	"io"
	"net/http"

	"github.com/coder/websocket"
)

// serveChannel is one end of a channel.
func (e *Engine) serveChannel(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	key, direction := query.Get("key"), query.Get("dir")
	if !query.Has("key") || direction != "read" && direction != "write" {
		refuse(w, http.StatusBadRequest, "Failed to deserialize query string: wants key and dir=read|write")
		return
	}
	e.mu.Lock()
	c := e.channels[r.PathValue("id")]
	e.mu.Unlock()
	if c == nil || c.key != key {
		refuse(w, http.StatusNotFound, "Channel not found")
		return
	}
	s := e.upgrade(w, r, nil)
	if s == nil {
		return
	}
	defer s.done()
	switch {
	case !e.open(c, direction, s.link):
		_ = s.Close(websocket.StatusNoStatusRcvd, "")
	case direction == "write":
		c.drain(s)
	default:
		e.feed(c, s)
	}
}

// refuse answers a request that does not become a WebSocket.
func refuse(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, text)
}

// drain passes on what the writer sends until it closes or dies, which looks
// the same to the reader, or until nobody reads.
func (c *channel) drain(s *socket) {
	defer close(c.items)
	var buf []byte
	for {
		typ, body, err := s.readMessage(buf)
		if err != nil {
			return
		}
		if cap(body) > keepBuffer {
			buf = nil // handed on as it is
		} else {
			buf, body = body, bytes.Clone(body)
		}
		if c.unread() {
			return // the writer learns it by losing its socket
		}
		select {
		case c.items <- item{typ, body}:
		case <-c.left:
		case <-s.link.closed:
		}
		if c.unread() {
			return
		}
	}
}

// unread says whether nobody will read what is written.
func (c *channel) unread() bool {
	select {
	case <-c.left:
		return true
	default:
		return false
	}
}

// feed sends everything there is to the reader, then a close without a code.
// It does not read from the reader, so a reader that leaves is noticed when
// there is something to send. A frame that comes after that costs the writer
// its socket, one that was waiting already too.
func (e *Engine) feed(c *channel, s *socket) {
	defer func() {
		c.abandon()
		if len(c.items) > 0 {
			e.dropWriter(c)
		}
	}()
	for {
		select {
		case m, ok := <-c.items:
			if !ok {
				_ = s.Close(websocket.StatusNoStatusRcvd, "")
				return
			}
			if s.Write(context.Background(), m.typ, m.body) != nil {
				return
			}
		case <-s.link.closed:
			return
		}
	}
}
