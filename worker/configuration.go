package worker

import (
	"context"
	"encoding/json"
	"log/slog"
	"sync"
	"time"

	"context-manager/config"
	"context-manager/internal/bus"
)

// configuration follows the settings. Their home is the engine's configuration
// worker; the settings file only seeds the entry and forwards edits to it.
//
// One goroutine, that of follow, does everything after the boot: it reads the
// entry, registers the schema anew and forwards edits. Whatever happens outside
// is a level-triggered notice to it, so notices that come twice, late or in the
// wrong order end with the same settings.
type configuration struct {
	id        string
	seed      seedFile
	entry     *entry
	live      *config.Live
	leases    *leases
	log       *slog.Logger
	connected func(context.Context) error
	// tries of tryTime each, while connected, before the boot is given up.
	tries   int
	tryTime time.Duration
	// retry is the first pause before something that failed is tried again.
	retry time.Duration

	reconnected chan struct{} // capacity one
	edited      chan struct{} // capacity one

	// last is the newest complaint, so that one that goes on is logged once. It
	// belongs to the goroutine that boots and follows.
	last string
	good bool // settings of the entry have been in force
	// following is what comes after the boot: the lease directory is open.
	following bool

	mu      sync.Mutex
	wanted  uint64        // notices so far
	done    uint64        // notices that the last reading covers
	notice  chan struct{} // capacity one
	settled chan struct{} // closed and replaced when done moves
}

func newConfiguration(w *Worker) *configuration {
	c := &configuration{
		id:          w.opts.ConfigID,
		seed:        seedFile{path: w.opts.ConfigFile, log: w.log},
		entry:       &entry{id: w.opts.ConfigID, call: w.client.Call, timeout: callTime},
		live:        w.live,
		leases:      w.leases,
		log:         w.log,
		connected:   w.client.WaitConnected,
		tries:       6,
		tryTime:     5 * time.Second,
		retry:       time.Second,
		reconnected: make(chan struct{}, 1),
		edited:      make(chan struct{}, 1),
		notice:      make(chan struct{}, 1),
		settled:     make(chan struct{}),
	}
	if w.opts.quick {
		c.retry, c.entry.timeout = time.Millisecond, 200*time.Millisecond
	}
	w.client.OnConnect(func(context.Context) { signal(c.reconnected) })
	return c
}

// callTime bounds one call to the configuration worker.
const callTime = 5 * time.Second

func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// nudge asks for the settings to be read again and waits until that has been
// tried, so that whoever nudged finds the new ones in force.
func (c *configuration) nudge(ctx context.Context) {
	c.mu.Lock()
	c.wanted++
	mine := c.wanted
	c.mu.Unlock()
	signal(c.notice)
	for {
		c.mu.Lock()
		done, settled := c.done, c.settled
		c.mu.Unlock()
		if done >= mine {
			return
		}
		select {
		case <-settled:
		case <-ctx.Done():
			return
		}
	}
}

// configTrigger is the binding that brings the engine's notices.
func (w *Worker) configTrigger() bus.Trigger {
	binding, err := json.Marshal(map[string]string{"configuration_id": w.opts.ConfigID})
	if err != nil {
		panic(err) // a map of strings
	}
	return bus.Trigger{
		ID:               w.triggerID("config-watch"),
		Type:             "configuration",
		FunctionID:       "context::on-config-change",
		Config:           binding,
		Namespace:        w.opts.Namespace,
		TriggerNamespace: "default",
	}
}
