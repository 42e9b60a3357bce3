package functions

import (
	"context"
	"log/slog"

	"context-manager/config"
)

// Options are what a Service works with.
type Options struct {
	// Settings returns the current settings; nil means the shipped ones.
	Settings func() *config.Settings
	// Models resolves limits of models that come without; nil knows none.
	Models ModelResolver
	// Summarizer writes summaries; nil means that there is none.
	Summarizer Summarizer
	// Leases keep compactions apart; nil means that the store is unavailable.
	Leases Leases
	// ConfigChanged and ModelsChanged take the engine's nudges; nil ignores them.
	ConfigChanged, ModelsChanged func(context.Context)
	// Clock is the time; nil means the machine's.
	Clock Clock
	// Logger takes what callers are not told; nil discards it.
	Logger *slog.Logger
}

// Service answers the functions of the table.
type Service struct {
	settings   func() *config.Settings
	models     ModelResolver
	summarizer Summarizer
	leases     Leases
	clock      Clock
	log        *slog.Logger

	configChanged, modelsChanged func(context.Context)
	guesses                      guesses
}

// New returns a Service. It starts nothing and needs no closing.
func New(o Options) *Service {
	s := &Service{
		settings:   o.Settings,
		models:     o.Models,
		summarizer: o.Summarizer,
		leases:     o.Leases,
		clock:      o.Clock,
		log:        o.Logger,

		configChanged: o.ConfigChanged,
		modelsChanged: o.ModelsChanged,
	}
	if s.settings == nil {
		shipped := config.Default()
		s.settings = func() *config.Settings { return &shipped }
	}
	if s.clock == nil {
		s.clock = SystemClock{}
	}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	return s
}
