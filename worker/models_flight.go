package worker

import (
	"context"

	"context-manager/functions"
	"context-manager/internal/bus"
)

// flight is one lookup of a model and all who wait for it.
type flight struct {
	key        modelKey
	generation uint64        // of the cache when it began
	done       chan struct{} // closed at its end

	// Set before done is closed.
	budget    *functions.ModelBudget
	err       error
	abandoned bool // it has no outcome: whoever made it was called off
}

// takeOff enters a new lookup. The caller holds mu and sees to it that the
// lookup is flown or dropped.
func (m *models) takeOff(key modelKey) *flight {
	f := &flight{key: key, generation: m.generation, done: make(chan struct{})}
	m.flights[key] = f
	return f
}

// ask makes a lookup for a call and those that share it. It must not need the
// call's running place to land, or those who share it would wait for that too.
// So it is a call of its own on the bus, which has the trace of ctx and ends with
// it, and the place is taken again afterwards.
func (m *models) ask(ctx context.Context, f *flight) {
	resume := m.yield(ctx)
	defer resume()
	apart, cancel := context.WithCancelCause(bus.Apart(ctx))
	defer cancel(nil)
	defer context.AfterFunc(ctx, func() { cancel(context.Cause(ctx)) })()
	m.fly(apart, f)
}

// fly makes the lookup and ends it. The end of ctx leaves it without an outcome.
func (m *models) fly(ctx context.Context, f *flight) {
	landed := false
	defer func() {
		if !landed { // a panic is on its way up; those who wait must not hang
			m.mu.Lock()
			defer m.mu.Unlock()
			f.abandoned = true
			m.finish(f)
		}
	}()
	budget, err := m.router.lookup(ctx, f.key)
	w := m.land(f, budget, err, err != nil && ctx.Err() != nil)
	landed = true
	m.warn(w)
}

// land stores the outcome, unless a flush has outdated it, and hands it to those
// who wait. After a failure they get what the router said last, if it did.
func (m *models) land(f *flight, budget *functions.ModelBudget, err error, abandoned bool) (w warning) {
	m.mu.Lock()
	defer m.mu.Unlock()
	defer m.finish(f)
	now, current := m.clock.Now(), f.generation == m.generation
	switch {
	case abandoned:
		f.abandoned = true
	case err == nil:
		f.budget = budget
		if current {
			m.cache.put(f.key, &modelEntry{budget: budget, at: now})
		}
	default:
		e := m.cache.get(f.key)
		if e == nil || e.budget == nil {
			f.err = err
			return nil
		}
		f.budget = e.budget
		if current {
			e.failedAt, e.failure = now, err
			return e.warn(f.key, now)
		}
	}
	return nil
}

// finish lets those who wait go on. The caller holds mu.
func (m *models) finish(f *flight) {
	if m.flights[f.key] == f {
		delete(m.flights, f.key)
	}
	close(f.done)
}

// await waits for a lookup that another call makes.
func (m *models) await(ctx context.Context, f *flight) error {
	resume := m.yield(ctx)
	defer resume()
	select {
	case <-f.done:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
