package worker

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"time"

	"context-manager/config"
	"context-manager/internal/bus"
)

// entry is our entry in the engine's configuration worker, which lives in the
// engine's default namespace whatever ours is.
type entry struct {
	id      string
	call    func(context.Context, bus.Request) (json.RawMessage, error)
	timeout time.Duration
}

func (e *entry) invoke(ctx context.Context, function string, data map[string]any) (json.RawMessage, error) {
	raw, err := json.Marshal(data)
	if err != nil {
		return nil, err
	}
	return e.call(ctx, bus.Request{FunctionID: "configuration::" + function, Data: raw, Timeout: e.timeout})
}

// get returns the value with its variables expanded.
func (e *entry) get(ctx context.Context) (json.RawMessage, error) {
	return e.value(ctx, map[string]any{"id": e.id})
}

// getRaw returns the value as it is stored, even one that is bad.
func (e *entry) getRaw(ctx context.Context) (json.RawMessage, error) {
	return e.value(ctx, map[string]any{"id": e.id, "raw": true})
}

func (e *entry) value(ctx context.Context, request map[string]any) (json.RawMessage, error) {
	raw, err := e.invoke(ctx, "get", request)
	if err != nil {
		return nil, err
	}
	var answer struct {
		Value json.RawMessage `json:"value"`
	}
	if err := json.Unmarshal(raw, &answer); err != nil {
		return nil, fmt.Errorf("reading the answer of configuration::get: %w", err)
	}
	return answer.Value, nil
}

func (e *entry) set(ctx context.Context, value json.RawMessage) error {
	_, err := e.invoke(ctx, "set", map[string]any{"id": e.id, "value": value})
	return err
}

// register publishes our schema and returns the stored value as stored, or nil
// when there was none and initial has been stored. A first value overwrites, so
// it is given only when nothing is there:
//
//	get says          stored?
//	a value           yes, unless it is null
//	NOT_FOUND         no
//	EXPAND_FAILED     yes: a variable of it is not set
//	SCHEMA_INVALID    cannot be told: null fails most schemas too
func (e *entry) register(ctx context.Context, initial json.RawMessage) (json.RawMessage, error) {
	value, err := e.get(ctx)
	switch {
	case codeIs(err, "NOT_FOUND"), err == nil && null(value):
		_, err := e.publish(ctx, initial)
		return nil, err
	case err != nil && !codeIs(err, "SCHEMA_INVALID") && !codeIs(err, "EXPAND_FAILED"):
		return nil, err
	}
	stored, err := e.publish(ctx, nil)
	if err != nil || !null(stored) {
		return stored, err
	}
	_, err = e.publish(ctx, initial)
	return nil, err
}

// publish registers the schema, with a value or without, and returns the value
// that is stored now.
func (e *entry) publish(ctx context.Context, value json.RawMessage) (json.RawMessage, error) {
	data := map[string]any{
		"id": e.id, "name": "Context manager", "schema": config.Schema(),
		"description": "How context-manager counts, prunes and compacts conversations. Changes take effect at once.",
	}
	if value != nil {
		data["initial_value"] = value
	}
	raw, err := e.invoke(ctx, "register", data)
	if err != nil {
		return nil, err
	}
	var answer struct {
		Value json.RawMessage `json:"value"`
	}
	if err := json.Unmarshal(raw, &answer); err != nil {
		return nil, fmt.Errorf("reading the answer of configuration::register: %w", err)
	}
	return answer.Value, nil
}

func null(value json.RawMessage) bool {
	v := bytes.TrimSpace(value)
	return len(v) == 0 || string(v) == "null"
}
