package bus

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/coder/websocket"
)

// lingerTime is how long a peer that sent too long a message gets to read why the
// connection closes.
const lingerTime = 2 * time.Second

// readLoop takes the frames off the connection. Nothing it does waits for
// anything but the next frame: handlers, callbacks and writes happen elsewhere.
func (s *session) readLoop() {
	defer close(s.readerDone)
	for {
		_, frame, err := s.ws.readMessage(context.Background(), int(s.client.opts.ReadLimit))
		if errors.Is(err, errTooLong) {
			s.parting.Lock()
			s.log.Error("a message over the read limit costs the connection", "limit", s.client.opts.ReadLimit)
			s.ws.bye(websocket.StatusMessageTooBig, "message too big", lingerTime)
			s.parting.Unlock()
		}
		if err != nil {
			s.lose(fmt.Errorf("reading: %w", err))
			return
		}
		if !s.dispatch(frame) {
			frame.release()
		}
	}
}

// dispatch handles one frame. It reports whether somebody else now owns it.
func (s *session) dispatch(frame *buffer) (kept bool) {
	m, err := decode(frame.b)
	if err != nil {
		if !blank(frame.b) {
			s.log.Warn("skipping an undecodable frame", "bytes", len(frame.b))
		}
		return false
	}
	switch m.kind {
	case "invokefunction":
		return s.invoked(frame, &m)
	case "invocationresult":
		s.resolved(&m)
	case "workerregistered":
		s.client.registered(text(m.workerID), text(m.reattachToken))
	case "registertrigger", "unregistertrigger":
		s.binds.add(&m)
	case "triggerregistrationresult":
		s.triggerRefused(&m)
	case "registrationrejected":
		s.rejected(&m)
	case "ping":
		pong := getBuffer(smallestClass)
		pong.b = append(appendFrame(pong.b, "pong"), '}')
		s.post(pong)
	case "pong":
	case "error":
		s.engineError(&m)
	default:
		s.log.Debug("skipping a frame of an unknown type", "type", m.kind, "bytes", len(frame.b))
	}
	return false
}

// resolved hands an answer to the caller that waits for it; an answer that comes
// too late is dropped.
func (s *session) resolved(m *message) {
	id := text(m.invocationID)
	s.mu.Lock()
	waiting := s.pending[id]
	delete(s.pending, id)
	s.mu.Unlock()
	if waiting == nil {
		return
	}
	s.proved.Store(true)
	waiting <- replyOf(m)
}

// reply is how a call ended.
type reply struct {
	result json.RawMessage
	err    error
}

func replyOf(m *message) reply {
	switch {
	case m.failure != nil:
		if remote, ok := remoteError(m.failure); ok {
			return reply{err: remote}
		}
		return reply{err: fmt.Errorf("%w: malformed error object", ErrUndecodable)}
	case m.resultDepth > maxDepth:
		return reply{err: fmt.Errorf("%w: nested deeper than %d levels", ErrUndecodable, maxDepth)}
	case m.result == nil:
		return reply{result: json.RawMessage("null")}
	}
	return reply{result: bytes.Clone(m.result)}
}

// engineError logs a frame outside the ordinary protocol; the one known announces
// that the engine's authentication refused us and that it will close.
func (s *session) engineError(m *message) {
	remote, ok := remoteError(m.failure)
	switch {
	case !ok:
		s.log.Warn("skipping an undecodable error frame")
	case remote.Code == "AUTH_ERROR":
		s.log.Error("the engine refused this worker's authentication; trying again will not help until its rules change",
			"url", Redacted(s.client.opts.URL), "reason", remote.Message)
		s.lose(remote) // it closes without saying why
	default:
		s.log.Error("the engine reports an error", "code", remote.Code, "reason", remote.Message)
	}
}
