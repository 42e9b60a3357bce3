package worker

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"context-manager/functions"
	"context-manager/internal/bus"
	"context-manager/internal/fakerouter"
)

// record is a model of the fake router's.
func record(window uint64) fakerouter.Model {
	return fakerouter.Model{ID: "m", Provider: "p", ContextWindow: window, MaxOutputTokens: 16000}
}

// asking is models on a socket.
type asking struct {
	*socket
	models *models
}

// newAsking connects models to a router; without one when o is nil.
func newAsking(t *testing.T, o *fakerouter.Options) *asking {
	t.Helper()
	s := newSocket(t, o, bus.Options{}).connect()
	a := &asking{s, newModels(s.client, modelsOptions{Clock: s.clock})}
	s.run(func(ctx context.Context) error {
		a.models.Run(ctx)
		return nil
	})
	return a
}

func (a *asking) resolve() (*functions.ModelBudget, error) {
	return a.models.Resolve(a.ctx, "p", "m")
}

func (a *asking) wantWindow(want uint64) {
	a.t.Helper()
	got := uint64(0)
	b, err := a.resolve()
	if b != nil {
		got = b.Limits.ContextWindow
	}
	if err != nil || got != want {
		a.t.Errorf("got a window of %d, %v, want %d", got, err, want)
	}
}

func (a *asking) wantError(text string) {
	a.t.Helper()
	if b, err := a.resolve(); b != nil || err == nil || !strings.Contains(err.Error(), text) {
		a.t.Errorf("got %+v, %v, want an error with %q", b, err, text)
	}
}

func (a *asking) wantCount(id string, want int) {
	a.t.Helper()
	if got := a.router.Count(id); got != want {
		a.t.Errorf("%s was called %d times, want %d", id, got, want)
	}
}

func TestBudgetOfAnUnknownModel(t *testing.T) {
	t.Parallel()
	a := newAsking(t, &fakerouter.Options{})
	a.wantWindow(0)
	a.clock.advance(5000 * time.Millisecond)
	a.wantWindow(0)
	a.wantCount(fakerouter.BudgetID, 1)
	a.router.SetModels(record(32000))
	a.clock.advance(time.Millisecond)
	a.wantWindow(32000)
	a.wantCount(fakerouter.BudgetID, 2)
}

func TestBudgetThatFails(t *testing.T) {
	t.Parallel()
	a := newAsking(t, &fakerouter.Options{Models: []fakerouter.Model{record(32000)}})
	a.router.Intercept(fakerouter.BudgetID, func(context.Context, []byte) (json.RawMessage, error) {
		return nil, errors.New("catalog is being rebuilt")
	})
	a.wantError("catalog is being rebuilt")
	a.wantError("catalog is being rebuilt")
	a.wantCount(fakerouter.BudgetID, 2)
	a.wantCount(fakerouter.GetID, 0)
	a.router.Intercept(fakerouter.BudgetID, nil)
	a.wantWindow(32000)
	a.wantCount(fakerouter.BudgetID, 3)
}

func TestBudgetThatIsNotRegistered(t *testing.T) {
	t.Parallel()
	a := newAsking(t, &fakerouter.Options{Models: []fakerouter.Model{record(32000)}, Without: []string{fakerouter.BudgetID}})
	a.wantWindow(32000)
	a.wantCount(fakerouter.GetID, 1)
	if b, err := a.resolve(); err != nil || b.Limits.MaxOutput != 16000 {
		t.Errorf("got %+v, %v, want the ceiling of 16000 as output", b, err)
	}
}

func TestNoRouter(t *testing.T) {
	t.Parallel()
	a := newAsking(t, nil)
	a.wantError("function_not_found")
}

func TestNoAnswerInTime(t *testing.T) {
	t.Parallel()
	s := newSocket(t, &fakerouter.Options{}, bus.Options{}).connect()
	s.engine.Drop(fakerouter.BudgetID, 1)
	m := newModels(s.client, modelsOptions{Clock: s.clock, Timeout: time.Millisecond})
	if b, err := m.Resolve(t.Context(), "p", "m"); b != nil || !errors.Is(err, bus.ErrTimeout) {
		t.Errorf("got %+v, %v, want %v", b, err, bus.ErrTimeout)
	}
}

func TestRecordWithAnOddThinkingBudget(t *testing.T) {
	t.Parallel()
	odd := fakerouter.Model{ID: "m", Provider: "p", Record: json.RawMessage(
		`{"id":"m","provider":"p","context_window":32000,"max_output_tokens":16000,"thinking_budgets":{"colossal":9}}`)}
	a := newAsking(t, &fakerouter.Options{Models: []fakerouter.Model{odd}})
	a.wantError("colossal")
}

func TestRecordThatChangesWithANotice(t *testing.T) {
	t.Parallel()
	s := newSocket(t, &fakerouter.Options{Models: []fakerouter.Model{record(32000)}}, bus.Options{})
	a := &asking{s, newModels(s.client, modelsOptions{Clock: s.clock})}
	flushed := make(chan struct{})
	s.client.RegisterFunction(bus.Function{
		ID: "context::on-models-changed",
		Handler: func(_ context.Context, _ *bus.Call, dst []byte) ([]byte, error) {
			a.models.Flush()
			close(flushed)
			return append(dst, `{"ok":true}`...), nil
		},
	})
	s.client.RegisterTrigger(bus.Trigger{ID: "changed", Type: fakerouter.ChangedID, FunctionID: "context::on-models-changed", Config: json.RawMessage("{}")})
	s.connect()
	if err := s.router.WaitBound(s.ctx, 1); err != nil {
		t.Fatal(err)
	}
	a.wantWindow(32000)
	a.router.SetModels(record(64000))
	a.wantWindow(32000)
	if err := a.router.EmitChanged(s.ctx, "p", 1); err != nil {
		t.Fatal(err)
	}
	<-flushed
	a.wantWindow(64000)
	a.wantCount(fakerouter.BudgetID, 2)
}

func TestRecordThatChangesWithoutANotice(t *testing.T) {
	t.Parallel()
	a := newAsking(t, &fakerouter.Options{Models: []fakerouter.Model{record(32000)}})
	a.wantWindow(32000)
	a.router.SetModels(record(64000))
	a.clock.advance(60 * time.Second)
	a.wantWindow(32000)
	a.wantCount(fakerouter.BudgetID, 1)
	a.clock.advance(time.Millisecond)
	a.wantWindow(64000)
	a.wantCount(fakerouter.BudgetID, 2)
}

func TestEffectiveOutputGivesSpaceToTheInput(t *testing.T) {
	t.Parallel()
	usable := func(effective uint64) uint64 {
		a := newAsking(t, &fakerouter.Options{Models: []fakerouter.Model{
			{ID: "m", Provider: "p", ContextWindow: 272000, MaxOutputTokens: 128000, EffectiveOutput: effective},
		}})
		b, err := a.resolve()
		if err != nil {
			t.Fatal(err)
		}
		return b.Limits.Usable(20000, 0)
	}
	if got := usable(32000); got != 220000 {
		t.Errorf("got %d usable tokens, want 220000", got)
	}
	if got := usable(128000); got != 220000-96000 {
		t.Errorf("got %d usable tokens at the ceiling, want 124000", got)
	}
}

// TestHandlersThatShareALookup has more of them than may run at once.
func TestHandlersThatShareALookup(t *testing.T) {
	t.Parallel()
	const handlers = 20
	s := newSocket(t, &fakerouter.Options{Models: []fakerouter.Model{record(32000)}}, bus.Options{MaxRunning: 2})
	m := newModels(s.client, modelsOptions{Clock: s.clock})
	gate := make(chan struct{})
	s.router.Intercept(fakerouter.BudgetID, func(context.Context, []byte) (json.RawMessage, error) {
		<-gate
		return json.RawMessage(small), nil
	})
	s.client.RegisterFunction(bus.Function{ID: "test::resolve", Handler: func(ctx context.Context, _ *bus.Call, dst []byte) ([]byte, error) {
		b, err := m.Resolve(ctx, "p", "m")
		if err == nil && b.Limits.ContextWindow != windowSmall {
			err = errors.New("not the limits of the router")
		}
		return dst, err
	}})
	s.connect()
	results := make(chan error, handlers)
	for range handlers {
		go func() {
			_, err := s.client.Call(s.ctx, bus.Request{FunctionID: "test::resolve"})
			results <- err
		}()
	}
	if err := s.router.WaitCount(s.ctx, fakerouter.BudgetID, 1); err != nil {
		t.Fatal(err)
	}
	close(gate)
	for range handlers {
		if err := <-results; err != nil {
			t.Error(err)
		}
	}
	if got := s.router.Count(fakerouter.BudgetID); got != 1 {
		t.Errorf("the router was asked %d times, want 1", got)
	}
}

// TestRouterThatGoesAndComesBack is the outage over sockets: what the router
// said last serves, and its return is found in the background.
func TestRouterThatGoesAndComesBack(t *testing.T) {
	t.Parallel()
	a := newAsking(t, &fakerouter.Options{Models: []fakerouter.Model{record(32000)}})
	a.wantWindow(32000)
	a.clock.advance(61 * time.Second)
	a.router.Intercept(fakerouter.BudgetID, func(context.Context, []byte) (json.RawMessage, error) {
		return nil, errors.New("shutting down")
	})
	a.wantWindow(32000)
	a.wantWindow(32000)
	a.wantCount(fakerouter.BudgetID, 2)
	a.router.Intercept(fakerouter.BudgetID, nil)
	a.router.SetModels(record(64000))
	a.clock.advance(retryEvery)
	a.wantWindow(32000) // starts the lookup in the background
	a.models.mu.Lock()
	f := a.models.flights[modelKey{"p", "m"}]
	a.models.mu.Unlock()
	if f != nil {
		<-f.done
	}
	a.wantWindow(64000)
	a.wantCount(fakerouter.BudgetID, 3)
}
