package bus

import (
	"context"
	"fmt"
	"time"
)

// pingPatience is what coder/websocket allows a ping's few bytes to be written
// in. A shorter deadline of ours would close a connection that is merely busy.
const pingPatience = 5 * time.Second

// pingLoop makes the engine say something: it never pings of its own accord.
func (s *session) pingLoop() {
	interval := s.client.opts.PingInterval
	for sleep(s.ctx, interval) {
		ctx, cancel := context.WithTimeout(s.ctx, max(interval, 2*pingPatience))
		s.ws.Ping(ctx) // without a pong the silence counts
		cancel()
	}
}

// watchSilence gives the connection up after too long a silence: a half-open TCP
// connection tells nothing else.
func (s *session) watchSilence() {
	limit := s.client.opts.SilenceLimit
	for {
		silence := s.ws.link.silence()
		if silence >= limit {
			s.lose(fmt.Errorf("the engine has been silent for %v", silence.Round(time.Millisecond)))
			return
		}
		if !sleep(s.ctx, limit-silence) {
			return
		}
	}
}
