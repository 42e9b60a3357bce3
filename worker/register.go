package worker

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"context-manager/functions"
	"context-manager/internal/bus"
)

// register offers every function of the table and binds the nudges.
func (w *Worker) register() {
	fns := make([]bus.Function, 0, len(functions.Specs))
	for i := range functions.Specs {
		spec := &functions.Specs[i]
		fns = append(fns, bus.Function{
			ID:             spec.ID,
			Description:    spec.Description,
			RequestFormat:  compact(spec.RequestSchema()),
			ResponseFormat: compact(spec.ResponseSchema()),
			Metadata:       spec.Metadata.JSON(),
			Bypass:         spec.Event,
			Handler: func(ctx context.Context, call *bus.Call, dst []byte) ([]byte, error) {
				return spec.Invoke(ctx, w.service, call.Data, call.Depth, dst)
			},
		})
	}
	w.client.RegisterFunction(fns...)
	if w.opts.Settings == nil {
		w.client.RegisterTrigger(w.configTrigger())
	}
	w.client.RegisterTrigger(bus.Trigger{
		ID:         w.triggerID("models-changed"),
		Type:       "router::models::changed",
		FunctionID: "context::on-models-changed",
		Config:     json.RawMessage("{}"),
		Namespace:  w.opts.Namespace,
	})
}

// compact takes the white space out of a schema, a third of it, for the wire.
func compact(document json.RawMessage) json.RawMessage {
	var out bytes.Buffer
	if err := json.Compact(&out, document); err != nil {
		return document
	}
	return out.Bytes()
}

// triggerID names a binding of this worker. Ids are global in an engine, so the
// namespace is part of it where there is one.
func (w *Worker) triggerID(purpose string) string {
	if w.opts.Namespace != "" {
		return w.opts.Namespace + "/" + w.opts.Name + "::" + purpose
	}
	return w.opts.Name + "::" + purpose
}

// registered waits until the engine lists every function. Registrations are not
// acknowledged and take effect on a task of the engine's own, so a call is what
// proves them.
func (w *Worker) registered(ctx context.Context) error {
	ids := make([]string, len(functions.Specs))
	for i := range functions.Specs {
		ids[i] = functions.Specs[i].ID
	}
	request, err := json.Marshal(map[string]any{"function_ids": ids, "namespace": w.namespace()})
	if err != nil {
		return err
	}
	const tries, pause = 100, 20 * time.Millisecond
	for range tries {
		if err = w.listed(ctx, request); err == nil || ctx.Err() != nil {
			return err
		}
		t := time.NewTimer(pause)
		select {
		case <-ctx.Done():
			t.Stop()
			return ctx.Err()
		case <-t.C:
		}
	}
	return err
}

var errNotListed = errors.New("the engine does not list every function of this worker")

func (w *Worker) listed(ctx context.Context, request json.RawMessage) error {
	if err := w.client.WaitConnected(ctx); err != nil {
		return err
	}
	raw, err := w.client.Call(ctx, bus.Request{FunctionID: "engine::functions::info", Data: request, Timeout: callTime})
	if err != nil {
		return fmt.Errorf("asking for the registered functions: %w", err)
	}
	var answer struct {
		Functions []struct {
			Error string `json:"error"`
		} `json:"functions"`
	}
	if err := json.Unmarshal(raw, &answer); err != nil {
		return fmt.Errorf("reading the registered functions: %w", err)
	}
	for _, f := range answer.Functions {
		if f.Error != "" {
			return errNotListed
		}
	}
	return nil
}

func (w *Worker) namespace() string {
	if w.opts.Namespace == "" {
		return "default"
	}
	return w.opts.Namespace
}
