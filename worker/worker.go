package worker

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"

	"context-manager/config"
	"context-manager/functions"
	"context-manager/internal/bus"
)

// Options configure a Worker.
type Options struct {
	// URL of the engine; empty = bus.DefaultURL.
	URL string
	// Namespace to register in, and to look for a router in first; blank = the
	// engine's default one.
	Namespace string
	// Name to register under; blank = Name.
	Name string
	// ConfigID is the id of the configuration entry; empty = Name.
	ConfigID string
	// ConfigFile is a YAML file that seeds the entry and is watched afterwards;
	// empty = none.
	ConfigFile string
	// Settings, when set, are used as they are and no configuration entry is
	// asked for.
	Settings *config.Settings
	// Clock is the time of leases, cached limits and deadlines; nil = the
	// machine's.
	Clock functions.Clock
	// Logger takes what happens, never message contents; nil = no log.
	Logger *slog.Logger
	// OnDialError is told of every failed attempt to reach the engine.
	OnDialError func(err error, attempt int)
	// OnServing is called once, when the engine lists the functions, or has
	// answered a hundred questions for them otherwise or not at all.
	OnServing func()

	// quick shortens the pauses of tests that lose calls.
	quick bool
}

// Worker is one worker process. Make one with New.
type Worker struct {
	opts    Options
	log     *slog.Logger
	client  *bus.Client
	live    *config.Live
	leases  *leases
	models  *models
	service *functions.Service
	source  *configuration
}

// New wires a worker. It starts nothing.
func New(o Options) *Worker {
	o.Namespace = strings.TrimSpace(o.Namespace)
	if o.Name = strings.TrimSpace(o.Name); o.Name == "" {
		o.Name = Name
	}
	if o.ConfigID == "" {
		o.ConfigID = Name
	}
	if o.Clock == nil {
		o.Clock = functions.SystemClock{}
	}
	w := &Worker{opts: o, log: o.Logger}
	if w.log == nil {
		w.log = slog.New(slog.DiscardHandler)
	}
	w.client = bus.New(bus.Options{
		URL: o.URL, Namespace: o.Namespace, Logger: w.log, OnDialError: o.OnDialError,
		Worker: bus.WorkerInfo{Name: o.Name, Version: Version, Description: Description},
	})
	first := config.Default()
	if o.Settings != nil {
		first = *o.Settings
	}
	w.live = config.NewLive(first)
	w.leases = &leases{log: w.log, clock: o.Clock.Now, opened: make(chan struct{}, 1)}
	w.models = newModels(w.client, modelsOptions{Namespace: w.opts.Namespace, Clock: o.Clock, Logger: w.log})
	w.source = newConfiguration(w)
	changed := w.source.nudge
	if o.Settings != nil {
		changed = nil // they are what they are
	}
	w.service = functions.New(functions.Options{
		Settings:      w.live.Load,
		Models:        w.models,
		Summarizer:    newSummarizer(clientBus{w.client}, summarizerOptions{Namespace: w.opts.Namespace, Clock: o.Clock, Logger: w.log}),
		Leases:        w.leases,
		ConfigChanged: changed,
		ModelsChanged: func(context.Context) { w.models.Flush() },
		Clock:         o.Clock,
		Logger:        w.log,
	})
	return w
}

// Run connects, serves and reconnects until ctx ends, then stops taking work,
// finishes or fails what is running, and returns nil. It returns an error when
// the engine will not have this worker or has no configuration worker.
func (w *Worker) Run(ctx context.Context) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var owned sync.WaitGroup
	defer owned.Wait()
	defer cancel(nil)
	owned.Go(func() { w.leases.sweep(ctx) })
	owned.Go(func() { w.models.Run(ctx) })
	owned.Go(func() {
		if err := w.serve(ctx); err != nil {
			cancel(err)
		}
	})
	if err := w.client.Run(ctx); err != nil {
		return err
	}
	if cause := context.Cause(ctx); cause != nil && !errors.Is(cause, context.Canceled) {
		return cause
	}
	return nil
}

// announce tells, once, that the engine lists the functions, as far as that can
// be found out.
func (w *Worker) announce(ctx context.Context) {
	if err := w.registered(ctx); err != nil && ctx.Err() == nil {
		w.log.Warn("cannot tell whether the functions are registered", "error", err)
	}
	if w.opts.OnServing != nil && ctx.Err() == nil {
		w.opts.OnServing()
	}
}

// serve takes the first settings, then registers what the worker offers, then
// follows the settings.
func (w *Worker) serve(ctx context.Context) error {
	if w.opts.Settings == nil {
		if err := w.source.boot(ctx); err != nil {
			if ctx.Err() != nil {
				return nil // stopped before it began
			}
			return err
		}
	}
	if err := w.leases.use(w.live.Load().LeaseDir); err != nil {
		w.log.Error("compaction is off until this is mended", "error", err)
	}
	w.register()
	// The settings are followed meanwhile: an engine may be slow to list.
	var announced sync.WaitGroup
	defer announced.Wait()
	announced.Go(func() { w.announce(ctx) })
	if w.opts.Settings == nil {
		return w.source.follow(ctx)
	}
	return nil
}
