package worker

import (
	"context"
	"sync"
)

// Run makes the lookups that no call waits for, until ctx ends, and returns when
// they have ended. Without it calls make all lookups themselves.
func (m *models) Run(ctx context.Context) {
	var owned sync.WaitGroup
	defer owned.Wait()
	m.beginRunning()
	defer m.endRunning()
	for {
		for _, f := range m.takeRefreshes() {
			owned.Go(func() { m.fly(ctx, f) })
		}
		select {
		case <-ctx.Done():
			return
		case <-m.wake:
		}
	}
}

func (m *models) beginRunning() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.running = true
}

// endRunning leaves further lookups to the calls, and those that were scheduled
// and not begun to whoever waits for them.
func (m *models) endRunning() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.running = false
	for _, f := range m.refreshes {
		f.abandoned = true
		m.finish(f)
	}
	m.refreshes = nil
}

// schedule hands a lookup to Run. The caller holds mu.
func (m *models) schedule(f *flight) {
	m.refreshes = append(m.refreshes, f)
	select {
	case m.wake <- struct{}{}:
	default:
	}
}

func (m *models) takeRefreshes() []*flight {
	m.mu.Lock()
	defer m.mu.Unlock()
	taken := m.refreshes
	m.refreshes = nil
	return taken
}
