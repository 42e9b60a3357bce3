package features_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"testing"

	"github.com/cucumber/godog"

	"context-manager/config"
	"context-manager/internal/agent/agenttest"
	"context-manager/internal/contract"
)

// world is one scenario under way.
type world struct {
	t       *testing.T
	driver  driver
	modelID string // of models whose limits stand in the request

	// what the scenario has said so far
	setup   setup
	history []agenttest.Message
	model   any
	members map[string]any
	// before is done when the surroundings stand, before the first call
	before []func(session) error

	// what has happened
	session session
	request []byte // the last one
	answers []answer

	// what has been looked at
	sawSummaries bool
	compaction   bool // a call could have cost a summary
}

// answer is what a call came to.
type answer struct {
	value   any // decoded JSON, numbers as json.Number
	failure *failure
}

func newWorld(t *testing.T, d driver, model string) *world {
	return &world{t: t, driver: d, modelID: model, setup: setup{settings: config.Default(), models: []routerModel{{id: "big", window: 200000, output: 8000}}}, members: map[string]any{}}
}

// steps binds the vocabulary. A scenario ends with the checks that every
// scenario owes.
func (w *world) steps(sc *godog.ScenarioContext) {
	w.givenSteps(sc)
	w.summariserSteps(sc)
	w.leaseSteps(sc)
	w.whenSteps(sc)
	w.thenSteps(sc)
	w.engineSteps(sc)
	sc.StepContext().After(named)
	sc.After(func(ctx context.Context, _ *godog.Scenario, err error) (context.Context, error) {
		if w.session != nil {
			w.session.end()
		}
		switch {
		case err != nil:
			return ctx, nil
		case len(w.answers) == 0:
			return ctx, errors.New("the scenario calls nothing")
		case w.compaction && !w.sawSummaries:
			return ctx, errors.New("a summary could have been paid for, and the scenario does not say how often the summariser was called")
		}
		return ctx, nil
	})
}

// open makes the surroundings stand.
func (w *world) open() error {
	if w.session != nil {
		return nil
	}
	s, err := w.driver.begin(w.t, w.setup)
	if err != nil {
		return err
	}
	w.session = s
	for _, f := range w.before {
		if err := f(s); err != nil {
			return err
		}
	}
	return nil
}

// compose builds a request of what the scenario has said and of more members.
func (w *world) compose(more map[string]any) []byte {
	request := agenttest.Object{}
	if w.model != nil {
		request["model"] = w.model
	}
	merge(request, w.members)
	merge(request, more)
	if w.modelID == encodedModel {
		options := map[string]any{"estimator": "heuristic"}
		if given, ok := request["options"].(map[string]any); ok {
			merge(options, given)
		}
		request["options"] = options
	}
	if _, own := request["messages"]; own || w.history == nil {
		return agenttest.JSON(request)
	}
	return agenttest.Request(request, w.history...)
}

// merge sets members; objects are merged member by member.
func merge(dst, src map[string]any) {
	for name, value := range src {
		inner, isObject := value.(map[string]any)
		if old, ok := dst[name].(map[string]any); ok && isObject {
			old = maps.Clone(old)
			merge(old, inner)
			value = old
		}
		dst[name] = value
	}
}

// call sends a request and checks what holds of every answer.
func (w *world) call(ctx context.Context, id string, request []byte) error {
	if err := w.open(); err != nil {
		return err
	}
	w.request = request
	raw, err := w.session.call(ctx, id, request)
	if f := (*failure)(nil); errors.As(err, &f) {
		w.answers = append(w.answers, answer{failure: f})
		w.compaction = w.compaction || f.code == "context/overflow"
		if !f.consistent() {
			return fmt.Errorf("got message %q with code %q, want the code and a colon in front of it", f.message, f.code)
		}
		return nil
	}
	if err != nil {
		return err
	}
	value, err := decode(raw)
	if err != nil {
		return err
	}
	w.answers = append(w.answers, answer{value: value})
	if contract.RequestError(id, request) == nil {
		if err := contract.ResponseError(id, raw); err != nil {
			return fmt.Errorf("%s answers outside the published contract: %w", id, err)
		}
	}
	return w.promised(id, value)
}

// last is the answer of the last call, which must be one.
func (w *world) last() (any, error) {
	if len(w.answers) == 0 {
		return nil, errors.New("nothing has been called")
	}
	a := w.answers[len(w.answers)-1]
	if a.failure != nil {
		return nil, fmt.Errorf("got the error %q, want an answer", a.failure.message)
	}
	return a.value, nil
}

// messages are those of the last request, decoded.
func (w *world) messages() ([]any, error) {
	value, err := decode(w.request)
	if err != nil {
		return nil, err
	}
	request, _ := value.(map[string]any)
	list, ok := request["messages"].([]any)
	if !ok {
		return nil, errors.New("the request has no messages")
	}
	return list, nil
}
