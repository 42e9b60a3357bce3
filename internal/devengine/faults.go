package devengine

import (
	"sync"
	"time"
)

// faults are what tests have set for single functions.
type faults struct {
	mu    sync.Mutex
	delay map[string]time.Duration
	drop  map[string]int
}

// of takes what is set for one call of a function.
func (f *faults) of(function string) (delay time.Duration, drop bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if n := f.drop[function]; n > 0 {
		f.drop[function] = n - 1
		return 0, true
	}
	return f.delay[function], false
}

// Delay makes the engine wait before it hands on each later call of a function,
// one of its own included; 0 ends that. Delayed calls may overtake each other.
func (e *Engine) Delay(functionID string, d time.Duration) {
	e.faults.mu.Lock()
	defer e.faults.mu.Unlock()
	if e.faults.delay == nil {
		e.faults.delay = map[string]time.Duration{}
	}
	e.faults.delay[functionID] = d
}

// Drop makes the engine swallow the next n calls of a function, one of its own
// included: nobody executes them and nobody answers, however long the caller
// waits. A later Drop replaces what is left of an earlier one.
func (e *Engine) Drop(functionID string, n int) {
	e.faults.mu.Lock()
	defer e.faults.mu.Unlock()
	if e.faults.drop == nil {
		e.faults.drop = map[string]int{}
	}
	e.faults.drop[functionID] = n
}

// Disconnect drops the TCP connections of the workers of this name, of all
// workers when it is empty, and returns how many. The engine has cleaned up
// after them when it returns.
func (e *Engine) Disconnect(workerName string) int {
	conns := e.named(workerName)
	for _, c := range conns {
		e.evict(c)
	}
	return len(conns)
}

// Stall stops the engine from reading from the present connections of the
// workers of this name, or writing to them; of all workers when it is empty.
// The connections stay open. resume lets them go on.
func (e *Engine) Stall(workerName string) (resume func()) {
	var all []func()
	for _, c := range e.named(workerName) {
		all = append(all, c.link.stall())
	}
	return func() {
		for _, f := range all {
			f()
		}
	}
}

// named lists the connections of a worker name, all when it is empty.
func (e *Engine) named(workerName string) (found []*conn) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, c := range e.workers {
		if workerName == "" || c.about.name == workerName {
			found = append(found, c)
		}
	}
	return found
}
