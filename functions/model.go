package functions

import (
	"context"
	"fmt"
	"sync"
	"time"

	"context-manager/config"
	"context-manager/internal/agent"
	"context-manager/internal/window"
)

// resolved are the limits a request works with and where they came from.
type resolved struct {
	window.Limits
	thinking map[string]uint64
	source   ModelResolved
	// detail says why the limits are a guess.
	detail string
}

// resolve finds the limits of a model: its own, the router's, or a guess.
func (s *Service) resolve(ctx context.Context, set *config.Settings, m *agent.ModelInput) (resolved, error) {
	if l := m.Limits; l != nil {
		return resolved{
			Limits: window.Limits{ContextWindow: l.ContextWindow, MaxOutput: l.MaxOutputTokens, InputLimit: l.InputLimit},
			source: ResolvedInline,
		}, nil
	}
	reason := "router unavailable: no router is connected"
	if s.models != nil {
		budget, err := s.models.Resolve(ctx, deref(m.Provider), m.ID)
		if budget != nil && err == nil {
			return resolved{Limits: budget.Limits, thinking: budget.Thinking, source: ResolvedRouter}, nil
		}
		if err != nil && ctx.Err() != nil {
			return resolved{}, givenUp() // that it failed says nothing about the router
		}
		reason = fmt.Sprintf("model %s is not in the router catalog", short(m.ID))
		if err != nil {
			reason = fmt.Sprintf("router unavailable: %v", err)
		}
	}
	if !set.AllowFallbackLimits {
		return resolved{}, &Error{CodeModelUnresolved, fmt.Sprintf("could not resolve model limits (%s)", reason)}
	}
	if s.guesses.first(short(m.ID), s.clock.Now()) {
		s.log.WarnContext(ctx, "assuming small model limits", "model", short(m.ID), "reason", reason)
	}
	return resolved{Limits: window.Fallback, source: ResolvedFallback, detail: reason}, nil
}

// usable returns the budget of a request in tokens.
func (r resolved) usable(set *config.Settings, reserved *uint64, level *agent.ThinkingLevel) uint64 {
	keep := window.Reserve(r.ContextWindow, set.ReservedPct, set.ReservedTokensCap)
	if reserved != nil {
		keep = *reserved
	}
	var thinking uint64
	if level != nil {
		thinking = r.thinking[string(*level)]
	}
	return r.Usable(keep, thinking)
}

func deref[T any](p *T) T {
	if p == nil {
		var zero T
		return zero
	}
	return *p
}

// or returns what p points at, or else the given value.
func or[T any](p *T, otherwise T) T {
	if p == nil {
		return otherwise
	}
	return *p
}

// guesses remembers which models have been warned of, so that a router that is
// down does not fill the log with a line a call.
type guesses struct {
	mu   sync.Mutex
	last map[string]time.Time
}

const (
	warnEvery  = time.Minute
	warnModels = 1024 // then memory starts anew
)

// first reports whether it is time to warn of a model.
func (g *guesses) first(model string, now time.Time) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if at, ok := g.last[model]; ok && now.Sub(at) < warnEvery {
		return false
	}
	if g.last == nil || len(g.last) >= warnModels {
		g.last = map[string]time.Time{}
	}
	g.last[model] = now
	return true
}
