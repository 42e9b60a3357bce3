package features_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"context-manager/config"
	"context-manager/internal/bus"
	"context-manager/internal/devengine"
	"context-manager/internal/fakerouter"
	"context-manager/worker"
)

// patience is how long something may take that must come. Nothing is asserted
// about how long it really takes.
const patience = 2 * time.Minute

// stack is a worker, a caller and maybe a router on an engine.
type stack struct {
	engine    *devengine.Engine // nil when it is somebody else's
	url       string
	namespace string // of the worker; empty is the engine's default one
	configID  string
	dir       string // of the leases
	clock     *clock
	caller    *bus.Client
	router    *fakerouter.Router // nil when there is none

	// script answers the chats of the scenario under way.
	script atomic.Pointer[func(fakerouter.ChatRequest) fakerouter.Script]

	stop []func() error // newest last
}

var stacks atomic.Int64

// newStack starts everything and waits until it serves. An empty url means an
// engine of its own, which then has everything in its default namespace.
func newStack(ctx context.Context, url, dir string, withRouter bool) (_ *stack, err error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	n := stacks.Add(1)
	s := &stack{url: url, dir: filepath.Join(dir, fmt.Sprint("leases-", n)), clock: newClock(), configID: worker.Name}
	defer func() {
		if err != nil {
			_ = s.close()
		}
	}()
	if url == "" {
		s.engine = devengine.New(devengine.Options{})
		if err := s.engine.Start(); err != nil {
			return nil, err
		}
		s.stop = append(s.stop, s.engine.Close)
		s.url = s.engine.URL()
	} else {
		// The engine may have a worker of the name, and its settings, already.
		s.namespace = fmt.Sprint("features-", os.Getpid(), "-", n)
		s.configID = s.namespace
	}
	if withRouter {
		s.router = fakerouter.New(fakerouter.Options{URL: s.url, Name: fmt.Sprint("router-", n), Answer: s.answer})
		s.run(s.router.Run)
		if err := s.router.Ready(ctx); err != nil {
			return nil, err
		}
	}
	if err := s.startWorker(ctx); err != nil {
		return nil, err
	}
	s.caller = bus.New(bus.Options{URL: s.url, Worker: bus.WorkerInfo{Name: fmt.Sprint("caller-", n)}})
	s.run(s.caller.Run)
	return s, s.caller.WaitConnected(ctx)
}

func (s *stack) startWorker(ctx context.Context) error {
	serving := make(chan struct{})
	w := worker.New(worker.Options{
		URL: s.url, Namespace: s.namespace, ConfigID: s.configID, Clock: s.clock, ConfigFile: s.seedFile(),
		OnServing: sync.OnceFunc(func() { close(serving) }),
	})
	ended := s.run(w.Run)
	select {
	case <-serving:
	case err := <-ended:
		return fmt.Errorf("the worker ends before it serves: %w", err)
	case <-ctx.Done():
		return fmt.Errorf("waiting for the worker: %w", context.Cause(ctx))
	}
	if s.router == nil {
		return nil
	}
	return s.router.WaitBound(ctx, 1)
}

// seedFile makes a settings file that keeps the leases of the first boot out of
// the home directory.
func (s *stack) seedFile() string {
	path := s.dir + ".yaml"
	if err := os.WriteFile(path, fmt.Appendf(nil, "lease_dir: %s\n", s.dir), 0o600); err != nil {
		return "" // the worker's own directory will do
	}
	return path
}

// run starts something that runs until the stack is closed.
func (s *stack) run(do func(context.Context) error) <-chan error {
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() {
		ended <- do(ctx)
		close(ended)
	}()
	s.stop = append(s.stop, func() error {
		cancel()
		return <-ended
	})
	return ended
}

// close ends what runs, the newest first.
func (s *stack) close() (err error) {
	for i := len(s.stop) - 1; i >= 0; i-- {
		if e := s.stop[i](); err == nil {
			err = e
		}
	}
	return err
}

func (s *stack) answer(q fakerouter.ChatRequest) fakerouter.Script {
	if f := s.script.Load(); f != nil {
		return (*f)(q)
	}
	return fakerouter.Thrown("features/unscripted", "no scenario is under way")
}

// call invokes a function of the worker's.
func (s *stack) call(ctx context.Context, id string, request []byte) ([]byte, error) {
	return s.caller.Call(ctx, bus.Request{FunctionID: id, Data: request, Namespace: s.namespace, Timeout: patience})
}

// configure puts settings in force: stored with the engine, and taken over by
// the worker when it has been nudged.
func (s *stack) configure(ctx context.Context, set config.Settings) error {
	set.LeaseDir = s.dir
	if err := s.store(ctx, set.Raw()); err != nil {
		return err
	}
	_, err := s.call(ctx, "context::on-config-change", []byte("{}"))
	return err
}

func (s *stack) store(ctx context.Context, value []byte) error {
	request := fmt.Appendf(nil, `{"id":%q,"value":%s}`, s.configID, value)
	_, err := s.caller.Call(ctx, bus.Request{FunctionID: "configuration::set", Data: request, Timeout: patience})
	return err
}
