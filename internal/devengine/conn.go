package devengine

import (
	"bytes"
	"net"
	"net/http"
	"time"

	"github.com/coder/websocket"
	"github.com/google/uuid"
)

// keepBuffer is how much reading memory an idle connection may hold.
const keepBuffer = 1 << 20

// conn is the connection of one worker.
type conn struct {
	// fixed at creation
	engine *Engine
	id     uuid.UUID
	token  uuid.UUID
	text   string // id, spelled
	link   *link
	out    *outbox
	ip     string
	since  time.Time

	// guarded by Engine.mu
	gone      bool     // cleaned up; nothing may be registered for it
	refused   bool     // its name was taken; it is only waited for to leave
	namespace string   // empty until it is known
	waiting   []*frame // registrations, until then
	grace     *timer
	about     about
	active    int // calls it is executing
}

// about is what a worker says of itself.
type about struct {
	name, description, runtime, version, os, isolation string
	pid                                                *uint64 // without one it is not listed
	named, described                                   bool
	versioned, hasOS, isolated                         bool
}

// serveWorker is one connection from upgrade to cleanup.
func (e *Engine) serveWorker(w http.ResponseWriter, r *http.Request) {
	out := newOutbox()
	s := e.upgrade(w, r, func(ping []byte) { out.putSlow(outPong, bytes.Clone(ping)) })
	if s == nil {
		return
	}
	defer s.done()
	c := &conn{
		engine: e, id: uuid.New(), token: uuid.New(), link: s.link, out: out,
		since: time.Now(),
	}
	c.text = c.id.String()
	c.ip, _, _ = net.SplitHostPort(r.RemoteAddr)
	out.put(outText, encodeHello(c))

	e.mu.Lock()
	e.workers[c.id] = c
	c.grace = e.after(e.opt.Grace, func() { e.settle(c, defaultNamespace) })
	e.mu.Unlock()
	e.announceWorker(eventConnected, c)
	e.log.Debug("worker connected", "worker", c.text)

	written := make(chan struct{})
	e.wg.Go(func() {
		defer close(written)
		out.write(s.Conn, s.link)
		out.close() // nobody takes from it any more, so nobody may wait for room
		_ = s.link.Close()
	})
	err := c.read(s)
	e.log.Debug("worker gone", "worker", c.text, "reason", err)
	e.evict(c)
	<-written
}

// read handles frames until the socket ends. Everything happens in their
// order; calls are handed on without waiting for their answers.
func (c *conn) read(s *socket) error {
	var scan scanner
	var buf []byte
	for {
		typ, text, err := s.readMessage(buf)
		if err != nil {
			return err
		}
		buf = text
		if typ == websocket.MessageBinary && isTelemetry(text) || len(bytes.TrimSpace(text)) == 0 {
			continue
		}
		f, err := scan.decode(text)
		if err != nil {
			c.engine.log.Debug("frame skipped", "worker", c.text, "bytes", len(text), "reason", err)
		} else {
			c.engine.dispatch(c, f)
		}
		if cap(buf) > keepBuffer {
			giveBuffer(buf)
			buf = nil
		}
		scan.trim()
	}
}

// isTelemetry knows the three prefixes under which SDKs send telemetry.
func isTelemetry(frame []byte) bool {
	for _, p := range []string{"OTLP", "MTRC", "LOGS"} {
		if bytes.HasPrefix(frame, []byte(p)) {
			return true
		}
	}
	return false
}

// dispatch handles one frame, which it owns.
func (e *Engine) dispatch(c *conn, f *frame) {
	e.mu.Lock()
	dead := c.gone || c.refused
	e.mu.Unlock()
	if dead {
		return
	}
	switch f.kind {
	case kindPing:
		c.out.putSlow(outText, append(takeBuffer(16), `{"type":"pong"}`...))
		f.release()
	case kindInvoke:
		e.invoke(c, f)
	case kindResult:
		e.answer(f)
	case kindTriggerResult:
		e.triggerAnswered(c, f)
	case kindReattach:
		e.reattach(c, f)
	case kindIgnored:
		f.release()
	default:
		e.mu.Lock()
		if c.namespace == "" {
			c.waiting = append(c.waiting, f)
		} else {
			e.register(c, f)
		}
		e.mu.Unlock()
	}
}

// evict cleans up after a connection and drops its socket; only the first time
// has an effect.
func (e *Engine) evict(c *conn) {
	e.mu.Lock()
	if c.gone {
		e.mu.Unlock()
		return
	}
	c.gone = true
	c.grace.stop()
	c.waiting = nil
	for k, f := range e.functions {
		if f.owner == c {
			delete(e.functions, k)
		}
	}
	failed := e.abandonCalls(c)
	e.dropBindings(c)
	e.dropTypes(c)
	e.releaseName(c)
	delete(e.workers, c.id)
	e.mu.Unlock()
	c.out.close()
	_ = c.link.Close()
	for _, call := range failed {
		e.finish(call, nil, &fault{code: "invocation_stopped", message: "Invocation stopped"})
	}
	e.announceWorker(eventDisconnected, c)
}

// reattach evicts the connection a worker says it had before, if the worker
// proves it. No answer is given either way.
func (e *Engine) reattach(c *conn, f *frame) {
	defer f.release()
	id, err := uuid.Parse(f.word(fPreviousWorkerID))
	if err != nil || id == c.id {
		return
	}
	token, err := uuid.Parse(f.word(fReattachToken))
	if err != nil {
		return
	}
	e.mu.Lock()
	old := e.workers[id]
	e.mu.Unlock()
	if old == nil || old.token != token {
		e.log.Debug("reattach refused", "worker", c.text)
		return
	}
	e.log.Debug("reattach", "worker", c.text, "previous", old.text)
	e.evict(old)
}
