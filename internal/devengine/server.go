package devengine

import (
	"context"
	"io"
	"net/http"

	"github.com/coder/websocket"
)

func (e *Engine) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", e.serveWorker)
	mux.HandleFunc("GET /otel", e.serveTelemetry)
	mux.HandleFunc("GET /ws/channels/{id}", e.serveChannel)
	return mux
}

// socket is one upgraded connection.
type socket struct {
	*websocket.Conn
	link *link
	done func() // ends it and its accounting; called by the handler
}

// upgrade makes a request a WebSocket; nil when it is none, or the engine is
// going down. onPing, when set, answers pings in place of the library.
func (e *Engine) upgrade(w http.ResponseWriter, r *http.Request, onPing func([]byte)) *socket {
	e.wg.Add(1) // the server still counts the connection, so wg is not at rest
	h := &hijacker{ResponseWriter: w}
	opt := &websocket.AcceptOptions{CompressionMode: websocket.CompressionDisabled}
	if onPing != nil {
		opt.OnPingReceived = func(_ context.Context, payload []byte) bool {
			onPing(payload)
			return false
		}
	}
	ws, err := websocket.Accept(h, r, opt)
	if err != nil {
		e.log.Debug("upgrade refused", "error", err)
		e.wg.Done()
		return nil
	}
	ws.SetReadLimit(-1) // the meter of the link watches sizes
	e.mu.Lock()
	down := e.down
	if !down {
		e.links[h.link] = struct{}{}
	}
	e.mu.Unlock()
	s := &socket{Conn: ws, link: h.link}
	s.done = func() {
		_ = s.link.Close()
		_ = ws.CloseNow()
		e.mu.Lock()
		delete(e.links, s.link)
		e.mu.Unlock()
		e.wg.Done()
	}
	if down {
		s.done()
		return nil
	}
	return s
}

// readMessage reads one message into buf, which it may exchange for a larger
// one.
func (s *socket) readMessage(buf []byte) (websocket.MessageType, []byte, error) {
	typ, r, err := s.Reader(context.Background())
	if err != nil {
		return 0, buf, err
	}
	buf = buf[:0]
	for {
		if len(buf) == cap(buf) {
			buf = s.enlarge(buf)
		}
		n, err := r.Read(buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+n]
		if err == io.EOF { // never of the connection, see link.Read
			return typ, buf, nil
		}
		if err != nil {
			return 0, buf, err
		}
	}
}

// enlarge makes room for the rest of the frame at hand, of which the meter
// knows the size, and for noticing its end.
func (s *socket) enlarge(buf []byte) []byte {
	const least = 4 << 10
	more := takeBuffer(max(least, len(buf)+len(buf)/4, len(buf)+s.link.meter.newest+1))
	more = append(more, buf...)
	giveBuffer(buf)
	return more
}

// serveTelemetry swallows what it is sent.
func (e *Engine) serveTelemetry(w http.ResponseWriter, r *http.Request) {
	s := e.upgrade(w, r, nil)
	if s == nil {
		return
	}
	defer s.done()
	var buf []byte
	for {
		var err error
		if _, buf, err = s.readMessage(buf); err != nil {
			return
		}
	}
}
