package worker

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"context-manager/functions"
)

// How long answers of the router are good. The first two are part of the
// published behaviour.
const (
	knownFor   = 60 * time.Second // limits, the edge included
	unknownFor = 5 * time.Second  // "no such model", the edge included
	retryEvery = 5 * time.Second  // between background lookups while the router fails
	warnEvery  = time.Minute      // between warnings about one model
	maxModels  = 4096             // answers kept
)

// modelsOptions configure models.
type modelsOptions struct {
	// Clock is the time; nil means the machine's.
	Clock functions.Clock
	// Namespace in which a router is looked for first; empty = only the default one.
	Namespace string
	// Logger takes warnings; nil discards them.
	Logger *slog.Logger
	// Timeout of one call to the router; 0 = 5 s.
	Timeout time.Duration
	// MaxModels is how many answers are kept; 0 = 4,096.
	MaxModels int
}

// models resolves models through the router and keeps its answers. The states of
// a model, and what leads from one to another:
//
//	not known ──limits──▶ fresh ──60 s, flush──▶ outdated ──failure──▶ last good
//	    │ ▲                 ▲                       │  ▲                  │
//	   null                 ├────────limits─────────┘  └──────flush───────┤
//	    ▼ │ 5 s, flush      └──────────────────limits─────────────────────┘
//	 unknown ◀──────────null, from outdated and from last good
//
// From not known and outdated the call that needs the model looks it up; calls
// for the same model that come meanwhile share that lookup. A failure leaves not
// known as it is. Fresh and unknown are answered without asking, last good too,
// but there a call starts a lookup in the background, at most one every 5 s.
type models struct {
	// Fixed at creation.
	router routerModels
	yield  func(context.Context) (resume func())
	clock  functions.Clock
	log    *slog.Logger
	wake   chan struct{} // capacity 1: refreshes is not empty

	mu         sync.Mutex
	cache      modelCache
	flights    map[modelKey]*flight // lookups since the last flush
	generation uint64               // counts the flushes
	refreshes  []*flight            // to be made by Run
	running    bool                 // Run makes them
}

var _ functions.ModelResolver = (*models)(nil)

// modelKey tells answers apart. Provider is empty when the request named none.
type modelKey struct{ Provider, ID string }

// newModels returns a resolver that asks through the bus.
func newModels(client caller, o modelsOptions) *models {
	if o.Clock == nil {
		o.Clock = functions.SystemClock{}
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Timeout == 0 {
		o.Timeout = 5 * time.Second
	}
	if o.MaxModels == 0 {
		o.MaxModels = maxModels
	}
	return &models{
		router:  routerModels{client: client, namespace: o.Namespace, timeout: o.Timeout},
		yield:   yielding(client),
		clock:   o.Clock,
		log:     o.Logger,
		wake:    make(chan struct{}, 1),
		cache:   newModelCache(o.MaxModels),
		flights: map[modelKey]*flight{},
	}
}

// Resolve implements functions.ModelResolver. While the router cannot be asked,
// what it said last is the answer. The budget is shared: callers must not change
// it. The end of ctx ends only this call; others that wait for the same lookup
// make it again.
func (m *models) Resolve(ctx context.Context, provider, id string) (*functions.ModelBudget, error) {
	key := modelKey{Provider: provider, ID: id}
	for {
		next := m.begin(key)
		m.warn(next.warning)
		f := next.flight
		if f == nil {
			return next.budget, nil
		}
		if next.mine {
			m.ask(ctx, f)
		} else if err := m.await(ctx, f); err != nil {
			return nil, err
		}
		switch {
		case !f.abandoned:
			return f.budget, f.err
		case ctx.Err() != nil:
			return nil, context.Cause(ctx)
		}
	}
}

// step is how a call goes on: with an answer, or with a lookup.
type step struct {
	budget  *functions.ModelBudget
	flight  *flight // nil = budget is the answer
	mine    bool    // the call makes the lookup itself
	warning warning
}

func (m *models) begin(key modelKey) step {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := m.clock.Now()
	e, f := m.cache.get(key), m.flights[key]
	switch {
	case e != nil && e.fresh(now):
		return step{budget: e.budget}
	case e != nil && e.failing() && (f != nil || now.Sub(e.failedAt) < retryEvery):
		return step{budget: e.budget, warning: e.warn(key, now)}
	case e != nil && e.failing() && m.running:
		m.schedule(m.takeOff(key))
		return step{budget: e.budget, warning: e.warn(key, now)}
	case f != nil:
		return step{flight: f}
	}
	return step{flight: m.takeOff(key), mine: true}
}

func (m *models) warn(w warning) {
	if w != nil {
		m.log.Warn("the router cannot be asked; using the limits it gave last", w...)
	}
}

// Flush makes every answer outdated: each model is asked for again when it is
// next needed, and a lookup that is under way leaves no answer behind. Limits
// still serve while the router cannot be asked.
func (m *models) Flush() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.generation++
	m.cache.outdate()
	clear(m.flights) // whoever waits for them goes on; new calls ask anew
}
