package bus

import (
	"context"
	"fmt"
	"time"

	"github.com/coder/websocket"
)

const (
	// maxFrame is the longest WebSocket frame written; the engine takes 16 MiB.
	maxFrame = 8 << 20
	// maxMessage is the longest message written; the engine takes no longer one,
	// and closes the connection instead of answering.
	maxMessage = 64 << 20
	// maxAnswer is the longest answer; the rest is left for what the engine adds.
	maxAnswer = 60 << 20
	// lastWords is how long the reader may take to find the end of a connection
	// that cannot be written to.
	lastWords = 200 * time.Millisecond
)

// writeMessage writes b as one frame, or as fragments of at most maxFrame bytes.
func (s *socket) writeMessage(ctx context.Context, kind websocket.MessageType, b []byte) error {
	if len(b) <= maxFrame {
		if err := s.Write(ctx, kind, b); err != nil {
			return err
		}
		return s.link.flush()
	}
	w, err := s.Writer(ctx, kind)
	if err != nil {
		return err
	}
	for len(b) > 0 {
		n := min(len(b), maxFrame)
		if _, err := w.Write(b[:n]); err != nil {
			return err
		}
		b = b[n:]
	}
	if err := w.Close(); err != nil {
		return err
	}
	return s.link.flush()
}

// writeLoop is the only writer of the connection's messages. It ends with the
// connection, or when the outbox is closed and empty.
func (s *session) writeLoop() {
	defer close(s.writerDone)
	var batch []parcel
	for {
		batch = s.out.take(s.ctx, batch)
		if len(batch) == 0 {
			return
		}
		for i, p := range batch {
			batch[i] = parcel{}
			size := len(p.b)
			err := s.ws.writeMessage(context.Background(), websocket.MessageText, p.b)
			p.release()
			if err != nil {
				s.writeFailed(err)
				return
			}
			s.out.wrote(p.kind, size)
			if p.kind == answer {
				s.proved.Store(true)
			}
		}
	}
}

// writeFailed ends the session, but lets the reader come first: what the engine
// said before it closed is a better reason than our broken pipe.
func (s *session) writeFailed(err error) {
	timer := time.NewTimer(lastWords)
	defer timer.Stop()
	select {
	case <-s.readerDone:
	case <-s.ctx.Done():
	case <-timer.C:
	}
	s.lose(fmt.Errorf("writing: %w", err))
}

// post queues a frame of the read loop, which must not wait. An engine that keeps
// sending without reading loses the connection.
func (s *session) post(b *buffer) {
	if s.out.post(parcel{buffer: b, kind: posted}) {
		s.lose(fmt.Errorf("the engine does not read: %d MiB of answers wait", postedBytes>>20))
	}
}
