package devengine

import "time"

// timer is a function to be run later, in a goroutine of its own, unless the
// run of the engine ends first.
type timer struct {
	engine *Engine
	clock  *time.Timer
}

// after runs f in a while; nil when the engine is going down. Engine.mu is held
// by the caller, not by f.
func (e *Engine) after(d time.Duration, f func()) *timer {
	if e.down {
		return nil
	}
	t := &timer{engine: e}
	e.wg.Add(1)
	e.timers[t] = struct{}{}
	t.clock = time.AfterFunc(d, func() {
		defer e.wg.Done()
		e.mu.Lock()
		delete(e.timers, t)
		stop := e.down
		e.mu.Unlock()
		if !stop {
			f()
		}
	})
	return t
}

// stop takes the timer back if it has not fired. Engine.mu is held. A nil
// timer is stopped.
func (t *timer) stop() {
	if t == nil {
		return
	}
	if _, ok := t.engine.timers[t]; ok && t.clock.Stop() {
		delete(t.engine.timers, t)
		t.engine.wg.Done()
	}
}

// Intervals of the clock.
const (
	functionsInterval = 5 * time.Second  // functions-available
	channelsInterval  = 60 * time.Second // abandoned channels
	channelAge        = 5 * time.Minute  // when a channel counts as abandoned
)

// clock does what happens by time alone until quit is closed.
func (e *Engine) clock(quit <-chan struct{}) {
	functions := time.NewTicker(functionsInterval)
	defer functions.Stop()
	channels := time.NewTicker(channelsInterval)
	defer channels.Stop()
	for {
		select {
		case <-quit:
			return
		case <-functions.C:
			e.announceFunctions()
		case now := <-channels.C:
			e.sweepChannels(now.Add(-channelAge))
		}
	}
}
