package devengine

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"sync"
)

// link is the TCP connection below a WebSocket. It measures what comes in, and
// can be stalled: then nothing is read from the peer or written to it until it
// is resumed or closed.
type link struct {
	net.Conn

	// reader only
	meter   meter
	pending error // of the meter; the next read returns it

	closed chan struct{}
	once   sync.Once

	mu   sync.Mutex
	gate chan struct{} // open while stalled, nil otherwise
}

func newLink(c net.Conn) *link {
	return &link{Conn: c, closed: make(chan struct{})}
}

// Read implements net.Conn.
func (l *link) Read(p []byte) (int, error) {
	if l.pending != nil {
		return 0, l.pending
	}
	n, err := l.Conn.Read(p)
	if gate := l.pass(); gate != nil {
		return 0, gate
	}
	n, l.pending = l.meter.feed(p[:n])
	if err == io.EOF {
		// The WebSocket library takes a plain EOF inside a message for the
		// message's end.
		err = io.ErrUnexpectedEOF
	}
	return n, err
}

// Write implements net.Conn.
func (l *link) Write(p []byte) (int, error) {
	if err := l.pass(); err != nil {
		return 0, err
	}
	return l.Conn.Write(p)
}

// Close implements net.Conn; it can be called often.
func (l *link) Close() error {
	err := net.ErrClosed
	l.once.Do(func() {
		close(l.closed)
		err = l.Conn.Close()
	})
	return err
}

// pass waits while the link is stalled.
func (l *link) pass() error {
	l.mu.Lock()
	gate := l.gate
	l.mu.Unlock()
	if gate == nil {
		return nil
	}
	select {
	case <-gate:
		return nil
	case <-l.closed:
		return net.ErrClosed
	}
}

// stall stops the traffic; the returned function, which may be called often,
// lets it go on. Stalls of one link do not add up: the first resume ends all.
func (l *link) stall() (resume func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.gate == nil {
		l.gate = make(chan struct{})
	}
	gate := l.gate
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		if l.gate == gate {
			close(gate)
			l.gate = nil
		}
	}
}

// hijacker puts a link below the connection that an upgrade takes over.
type hijacker struct {
	http.ResponseWriter
	link *link // set by Hijack
}

// Hijack implements http.Hijacker.
func (h *hijacker) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	c, rw, err := http.NewResponseController(h.ResponseWriter).Hijack()
	if err != nil {
		return nil, nil, err
	}
	h.link = newLink(c)
	// What the server has read ahead reaches the WebSocket without passing
	// the link, so it is measured here.
	ahead, _ := rw.Reader.Peek(rw.Reader.Buffered())
	_, h.link.pending = h.link.meter.feed(ahead)
	return h.link, bufio.NewReadWriter(rw.Reader, bufio.NewWriter(h.link)), nil
}
