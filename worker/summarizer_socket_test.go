package worker

import (
	"context"
	"testing"

	"context-manager/internal/bus"
	"context-manager/internal/devengine"
	"context-manager/internal/fakerouter"
)

// socket is an engine, a router and a client of ours, connected by sockets.
type socket struct {
	t      *testing.T
	engine *devengine.Engine
	router *fakerouter.Router
	client *bus.Client
	clock  *handClock
	// ctx ends long after what a test waits for should have happened.
	ctx context.Context
}

// newSocket connects all three; without a router when o is nil.
func newSocket(t *testing.T, o *fakerouter.Options, own bus.Options) *socket {
	t.Helper()
	s := &socket{t: t, engine: devengine.New(devengine.Options{}), clock: newHandClock()}
	var cancel context.CancelFunc
	s.ctx, cancel = context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	if err := s.engine.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.engine.Close() })
	if o != nil {
		o.URL = s.engine.URL()
		s.router = fakerouter.New(*o)
		s.run(s.router.Run)
		if err := s.router.Ready(s.ctx); err != nil {
			t.Fatal(err)
		}
	}
	own.URL, own.Worker.Name = s.engine.URL(), "context-manager"
	s.client = bus.New(own)
	return s
}

// connect runs the client, after its functions have been registered.
func (s *socket) connect() *socket {
	s.t.Helper()
	s.run(s.client.Run)
	if err := s.client.WaitConnected(s.ctx); err != nil {
		s.t.Fatal(err)
	}
	return s
}

// run runs something until the test ends, and waits for its end.
func (s *socket) run(what func(context.Context) error) {
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- what(ctx) }()
	s.t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			s.t.Errorf("got %v, want nil", err)
		}
	})
}

// watchedBus tells when frames have been folded, and can hold back the reader.
type watchedBus struct {
	clientBus
	attach <-chan struct{} // the reader opens once it is closed; nil = at once
	asked  chan struct{}   // a value for every call of Next
	ctx    context.Context
}

func (s *socket) watched() *watchedBus {
	return &watchedBus{clientBus: clientBus{s.client}, asked: make(chan struct{}, 1000), ctx: s.ctx}
}

func (b *watchedBus) openReader(ctx context.Context, ref bus.ChannelRef) (frameReader, error) {
	if b.attach != nil {
		return &watchedReader{bus: b, ref: ref}, nil
	}
	r, err := b.clientBus.openReader(ctx, ref)
	return &watchedReader{bus: b, reader: r}, err
}

// folded waits until n frames have been folded: the next one is asked for.
func (b *watchedBus) folded(n int) {
	for range n + 1 {
		select {
		case <-b.asked:
		case <-b.ctx.Done():
			return
		}
	}
}

type watchedReader struct {
	bus    *watchedBus
	ref    bus.ChannelRef
	reader frameReader // nil = not open yet
}

func (r *watchedReader) Next(ctx context.Context) (bus.Frame, error) {
	r.bus.asked <- struct{}{}
	if r.reader == nil {
		<-r.bus.attach
		var err error
		if r.reader, err = r.bus.clientBus.openReader(ctx, r.ref); err != nil {
			return bus.Frame{}, err
		}
	}
	return r.reader.Next(ctx)
}

func (r *watchedReader) Close() {
	if r.reader != nil {
		r.reader.Close()
	}
}
