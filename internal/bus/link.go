package bus

import (
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// wsBuffer is the size in which coder/websocket hands masked bytes to the
// connection of a client, one call each.
const wsBuffer = 4096

// link is the TCP connection under a WebSocket. It knows when the peer was last
// heard, can be closed while a close handshake is under way, and gathers the
// 4 KiB writes of a long frame, which cost a system call each otherwise.
type link struct {
	net.Conn
	lastRead atomic.Int64 // time.Time.UnixNano

	mu        sync.Mutex
	gathering bool   // false until the handshake is over
	gathered  []byte // bytes of a frame that is not complete yet
}

func newLink(conn net.Conn) *link {
	l := &link{Conn: conn}
	l.lastRead.Store(time.Now().UnixNano())
	return l
}

func (l *link) Read(p []byte) (int, error) {
	n, err := l.Conn.Read(p)
	if n > 0 {
		l.lastRead.Store(time.Now().UnixNano())
	}
	return n, err
}

// silence is how long the peer has said nothing.
func (l *link) silence() time.Duration {
	return time.Since(time.Unix(0, l.lastRead.Load()))
}

// Write keeps full buffers back until one that is not full, which ends a frame,
// or flush follows. Control frames are shorter than a buffer.
func (l *link) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.gathering && len(p) == wsBuffer {
		if l.gathered == nil {
			l.gathered = make([]byte, 0, 16*wsBuffer)
		}
		l.gathered = append(l.gathered, p...)
		if len(l.gathered) < cap(l.gathered) {
			return len(p), nil
		}
		return len(p), l.flushLocked()
	}
	if len(l.gathered) == 0 {
		return l.Conn.Write(p)
	}
	l.gathered = append(l.gathered, p...)
	return len(p), l.flushLocked()
}

func (l *link) gather() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.gathering = true
}

// flush sends what is kept back; to be called after each message.
func (l *link) flush() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.flushLocked()
}

func (l *link) flushLocked() error {
	if len(l.gathered) == 0 {
		return nil
	}
	_, err := l.Conn.Write(l.gathered)
	l.gathered = l.gathered[:0]
	return err
}
