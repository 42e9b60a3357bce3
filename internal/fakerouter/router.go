package fakerouter

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"context-manager/internal/bus"
)

// Ids of the functions and of the trigger type.
const (
	ChatID    = "router::chat"
	BudgetID  = "router::models::budget"
	GetID     = "router::models::get"
	ListID    = "router::models::list"
	ChangedID = "router::models::changed"
)

// Options configure a [Router].
type Options struct {
	// URL of the engine; empty = [bus.DefaultURL].
	URL string
	// Namespace to register in; empty = the default one, where callers that name
	// none look.
	Namespace string
	// Name of the worker; empty = "fake-router". It is never taken from the
	// environment, which names the worker under test.
	Name string
	// Logger of the connection; nil = no log.
	Logger *slog.Logger

	// Models of the table at first; see [Router.SetModels].
	Models []Model
	// Without lists ids that are not registered, to play an older router or one
	// that is not installed; see [Router.Unregister].
	Without []string
	// Answer scripts a chat for which no script was pushed; nil = the chat fails
	// with code fakerouter/unscripted.
	Answer func(ChatRequest) Script
	// StrictRouting refuses chats whose model or provider is not in the table, as
	// the real router does. Off, any model is answered.
	StrictRouting bool
	// ConflictTries and ConflictWindow as in [bus.Options].
	ConflictTries  int
	ConflictWindow time.Duration
}

// Router is a scriptable router worker. All methods may be called from several
// goroutines, before and during [Router.Run].
type Router struct {
	// Fixed at creation.
	opts   Options
	client *bus.Client
	log    record

	background sync.WaitGroup // what scripts do after their answers

	mu         sync.Mutex
	models     []Model
	scripts    []Script
	intercepts map[string]Intercept
	served     map[string]bool
	bindings   map[string]bus.Binding
	changed    chan struct{} // closed and replaced when bindings change
	writers    map[*bus.ChannelWriter]struct{}
	running    context.Context // of Run
}

// Intercept answers a function in place of the table or the scripts.
type Intercept func(ctx context.Context, data []byte) (json.RawMessage, error)

// New returns a router that does nothing until [Router.Run].
func New(o Options) *Router {
	if o.Name == "" {
		o.Name = "fake-router"
	}
	r := &Router{
		opts: o,
		client: bus.New(bus.Options{
			URL: o.URL, Namespace: o.Namespace, Logger: o.Logger,
			Worker:        bus.WorkerInfo{Name: o.Name, Description: "Scriptable stand-in for a model router"},
			ConflictTries: o.ConflictTries, ConflictWindow: o.ConflictWindow,
		}),
		log:        newRecord(),
		models:     o.Models,
		intercepts: map[string]Intercept{},
		served:     map[string]bool{},
		bindings:   map[string]bus.Binding{},
		changed:    make(chan struct{}),
		writers:    map[*bus.ChannelWriter]struct{}{},
	}
	without := map[string]bool{}
	for _, id := range o.Without {
		without[id] = true
	}
	for _, id := range []string{ChatID, BudgetID, GetID, ListID} {
		if !without[id] {
			r.Register(id)
		}
	}
	if !without[ChangedID] {
		r.client.RegisterTriggerType(r.changedType())
	}
	return r
}

// Run connects to the engine and serves until ctx ends. Its errors are those of
// [bus.Client.Run].
func (r *Router) Run(ctx context.Context) error {
	running, stop := context.WithCancel(context.Background())
	r.mu.Lock()
	r.running = running
	r.mu.Unlock()
	err := r.client.Run(ctx)
	stop()
	r.background.Wait()
	r.closeWriters()
	return err
}

// Ready waits until the engine has the router's functions: registrations are not
// acknowledged, so it asks for them.
func (r *Router) Ready(ctx context.Context) error {
	if err := r.client.WaitConnected(ctx); err != nil {
		return fmt.Errorf("waiting for the router: %w", err)
	}
	ids := r.servedIDs()
	if len(ids) == 0 {
		return nil
	}
	data, err := json.Marshal(map[string]any{"function_ids": ids, "namespace": namespaceOr(r.opts.Namespace)})
	if err != nil {
		return err
	}
	for {
		result, err := r.client.Call(ctx, bus.Request{FunctionID: "engine::functions::info", Data: data})
		var found struct{ Functions []struct{ Error string } }
		switch {
		case err != nil && !errors.Is(err, bus.ErrDisconnected):
			return fmt.Errorf("waiting for the router: %w", err)
		case err == nil && json.Unmarshal(result, &found) == nil && complete(found.Functions, len(ids)):
			return nil
		}
		select {
		case <-time.After(2 * time.Millisecond):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

func complete(functions []struct{ Error string }, want int) bool {
	for _, f := range functions {
		if f.Error != "" {
			return false
		}
	}
	return len(functions) == want
}

func namespaceOr(namespace string) string {
	if namespace == "" {
		return "default"
	}
	return namespace
}

// Register serves one of the functions, again or for the first time.
func (r *Router) Register(id string) {
	r.mu.Lock()
	r.served[id] = true
	r.mu.Unlock()
	handlers := map[string]bus.Handler{ChatID: r.chat, BudgetID: r.budget, GetID: r.get, ListID: r.list}
	r.client.RegisterFunction(bus.Function{ID: id, Description: "scripted", Handler: r.recorded(id, handlers[id])})
}

// Unregister withdraws one of the functions.
func (r *Router) Unregister(id string) {
	r.mu.Lock()
	delete(r.served, id)
	r.mu.Unlock()
	r.client.UnregisterFunction(id)
}

func (r *Router) servedIDs() (ids []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for id := range r.served {
		ids = append(ids, id)
	}
	return ids
}

// Intercept lets f answer every later call of a function, to throw, to hang or to
// answer nonsense; nil ends that. The calls are recorded all the same.
func (r *Router) Intercept(id string, f Intercept) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.intercepts[id] = f
}

// recorded notes a call before it is handled.
func (r *Router) recorded(id string, handle bus.Handler) bus.Handler {
	return func(ctx context.Context, call *bus.Call, dst []byte) ([]byte, error) {
		r.log.call(id, call)
		r.mu.Lock()
		intercept := r.intercepts[id]
		r.mu.Unlock()
		if intercept != nil {
			result, err := intercept(ctx, call.Data)
			return append(dst, result...), err
		}
		return handle(ctx, call, dst)
	}
}

// keepWriter holds a channel open that its script does not close.
func (r *Router) keepWriter(w *bus.ChannelWriter) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.writers[w] = struct{}{}
}

func (r *Router) closeWriters() {
	r.mu.Lock()
	defer r.mu.Unlock()
	var group sync.WaitGroup
	for w := range r.writers {
		group.Go(w.Close)
	}
	group.Wait()
	clear(r.writers)
}

// Error is a failure thrown as a bus error, with its code.
func Error(code, message string) error {
	return &bus.RemoteError{Code: code, Message: message}
}
