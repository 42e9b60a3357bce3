package fakerouter

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"

	"context-manager/internal/bus"
)

// changedType provides the trigger type that announces a changed table. It has no
// filters: a config that is not empty is refused.
func (r *Router) changedType() bus.TriggerType {
	return bus.TriggerType{
		ID:                   ChangedID,
		Description:          "The models of a provider changed",
		TriggerRequestFormat: json.RawMessage(`{"type":"object","additionalProperties":false}`),
		CallRequestFormat:    json.RawMessage(`{"type":"object","properties":{"provider":{"type":"string"},"count":{"type":"integer"}}}`),
		OnBind: func(b bus.Binding) error {
			var config map[string]json.RawMessage
			if c := bytes.TrimSpace(b.Config); len(c) > 0 && (json.Unmarshal(c, &config) != nil || len(config) > 0) {
				return errors.New("router::models::changed takes no config")
			}
			r.setBinding(b.ID, &b)
			return nil
		},
		OnUnbind: func(id string) { r.setBinding(id, nil) },
	}
}

func (r *Router) setBinding(id string, b *bus.Binding) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if b == nil {
		delete(r.bindings, id)
	} else {
		r.bindings[id] = *b
	}
	close(r.changed)
	r.changed = make(chan struct{})
}

// WaitBound waits until exactly n functions are bound to router::models::changed.
func (r *Router) WaitBound(ctx context.Context, n int) error {
	for {
		r.mu.Lock()
		bound, changed := len(r.bindings), r.changed
		r.mu.Unlock()
		if bound == n {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// EmitChanged announces, by a void call to every bound function, that a provider
// now has count models. Nobody hears whether it arrived.
func (r *Router) EmitChanged(ctx context.Context, provider string, count int) error {
	r.mu.Lock()
	bindings := make([]bus.Binding, 0, len(r.bindings))
	for _, b := range r.bindings {
		bindings = append(bindings, b)
	}
	r.mu.Unlock()
	event := encode(map[string]any{"provider": provider, "count": count})
	var errs []error
	for _, b := range bindings {
		errs = append(errs, r.client.Void(ctx, bus.Request{FunctionID: b.FunctionID, Namespace: b.Namespace, Metadata: b.Metadata, Data: event}))
	}
	return errors.Join(errs...)
}
