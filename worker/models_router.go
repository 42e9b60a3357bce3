package worker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"context-manager/functions"
	"context-manager/internal/bus"
)

// The router's functions that tell a model's limits, the newer first.
const (
	modelBudgetFunction = "router::models::budget"
	modelGetFunction    = "router::models::get"
)

// caller makes calls on the bus, like [bus.Client].
type caller interface {
	Call(ctx context.Context, r bus.Request) (json.RawMessage, error)
}

// yielding returns how a handler lets others run in its place while it waits for
// something other than a call of its own. A client that cannot do that makes the
// handler keep its place.
func yielding(client any) func(context.Context) (resume func()) {
	if c, ok := client.(interface {
		GiveWay(ctx context.Context) (resume func())
	}); ok {
		return c.GiveWay
	}
	return func(context.Context) func() { return func() {} }
}

// routerModels asks the router about models.
type routerModels struct {
	client    caller
	namespace string        // looked in first
	timeout   time.Duration // of one call
}

// lookup returns what the router says about a model, nil when it knows none. A
// router that is too old to tell budgets is asked for the record alone.
func (r routerModels) lookup(ctx context.Context, key modelKey) (*functions.ModelBudget, error) {
	request, err := json.Marshal(struct {
		ID       string `json:"id"`
		Provider string `json:"provider,omitempty"`
	}{key.ID, key.Provider})
	if err != nil {
		return nil, fmt.Errorf("asking for the limits of a model: %w", err)
	}
	var function string
	answer, err := atHomeFirst(r.namespace, func(namespace string) (json.RawMessage, error) {
		function = modelBudgetFunction
		answer, err := r.client.Call(ctx, bus.Request{FunctionID: function, Namespace: namespace, Data: request, Timeout: r.timeout})
		if notFound(err) {
			function = modelGetFunction
			answer, err = r.client.Call(ctx, bus.Request{FunctionID: function, Namespace: namespace, Data: request, Timeout: r.timeout})
		}
		return answer, err
	})
	if err != nil {
		return nil, err
	}
	budget, err := decodeModel(answer)
	if err != nil {
		return nil, fmt.Errorf("reading the answer of %s: %w", function, err)
	}
	return budget, nil
}

// notFound reports whether a call found no function under its id. Only the code
// counts: other failures mention things that were not found too.
func notFound(err error) bool {
	return remoteCode(err) == bus.CodeFunctionNotFound
}

// remoteCode returns the code another worker or the engine answered with; empty
// when nobody answered.
func remoteCode(err error) string {
	if remote := (*bus.RemoteError)(nil); errors.As(err, &remote) {
		return remote.Code
	}
	return ""
}
