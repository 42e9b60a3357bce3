package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"time"

	"context-manager/config"
	"context-manager/internal/bus"
	"context-manager/internal/devengine"
	"context-manager/internal/fakerouter"
	"context-manager/worker"
)

// shippedNamespace is where a second worker runs with the shipped settings.
const shippedNamespace = "shipped"

// stage is everything the demo runs: an engine, two workers, a caller and, in
// the second act, a router.
type stage struct {
	engine *devengine.Engine
	caller *bus.Client
	router *fakerouter.Router // nil until openRouter
	leases string             // temporary directory

	ctx    context.Context
	cancel context.CancelCauseFunc
	owned  sync.WaitGroup
}

// openStage starts what the first act needs and waits until it is there.
func openStage(ctx context.Context) (*stage, error) {
	leases, err := os.MkdirTemp("", "context-manager-demo-")
	if err != nil {
		return nil, fmt.Errorf("making a directory for leases: %w", err)
	}
	s := &stage{engine: devengine.New(devengine.Options{}), leases: leases}
	s.ctx, s.cancel = context.WithCancelCause(ctx)
	if err := s.open(); err != nil {
		return nil, errors.Join(err, s.close())
	}
	return s, nil
}

func (s *stage) open() error {
	if err := s.engine.Start(); err != nil {
		return err
	}
	s.caller = bus.New(bus.Options{
		URL: s.engine.URL(), Logger: slog.New(slog.DiscardHandler),
		Worker: bus.WorkerInfo{Name: "context-manager-demo-caller", Version: worker.Version},
	})
	s.run("caller", s.caller.Run)
	own := s.startWorker("", worker.Name, demoSettings())
	shipped := s.startWorker(shippedNamespace, worker.Name+"-"+shippedNamespace, config.Default())
	if err := s.caller.WaitConnected(s.ctx); err != nil {
		return s.cause(err)
	}
	for _, serving := range []<-chan struct{}{own, shipped} {
		select {
		case <-serving:
		case <-s.ctx.Done():
			return context.Cause(s.ctx)
		}
	}
	return nil
}

// startWorker starts a worker with fixed settings; the channel closes when the
// engine lists its functions.
func (s *stage) startWorker(namespace, name string, set config.Settings) <-chan struct{} {
	serving := make(chan struct{})
	set.LeaseDir = s.leases
	w := worker.New(worker.Options{
		URL: s.engine.URL(), Namespace: namespace, Name: name, Settings: &set,
		OnServing: func() { close(serving) },
	})
	s.run(name, w.Run)
	return serving
}

// openRouter connects the router whose summaries are extractive.
func (s *stage) openRouter() error {
	s.router = fakerouter.New(fakerouter.Options{URL: s.engine.URL(), Answer: fakerouter.Extractive})
	s.run("router", s.router.Run)
	return s.cause(s.router.Ready(s.ctx))
}

// run runs a part of the stage until close; a part that fails ends the stage.
func (s *stage) run(name string, part func(context.Context) error) {
	s.owned.Go(func() {
		if err := part(s.ctx); err != nil {
			s.cancel(fmt.Errorf("running the %s: %w", name, err))
		}
	})
}

// cause prefers the reason why the stage ended.
func (s *stage) cause(err error) error {
	if err != nil && s.ctx.Err() != nil {
		return context.Cause(s.ctx)
	}
	return err
}

// close ends everything, waits for it, and removes the leases.
func (s *stage) close() error {
	s.cancel(nil)
	s.owned.Wait()
	return errors.Join(s.engine.Close(), os.RemoveAll(s.leases))
}

// call calls a function through the engine. took is the time from handing over
// the request to having the answer.
func (s *stage) call(namespace, function string, request []byte) (answer json.RawMessage, took time.Duration, err error) {
	began := time.Now()
	answer, err = s.caller.Call(s.ctx, bus.Request{FunctionID: function, Namespace: namespace, Data: request, Timeout: callTimeout})
	return answer, time.Since(began), s.cause(err)
}
