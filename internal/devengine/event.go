package devengine

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/google/uuid"
)

// Trigger types of the engine's own.
const (
	eventWorkers       = "engine::workers-available"
	eventFunctions     = "engine::functions-available"
	eventConfiguration = "configuration"
)

// What eventWorkers tells.
const (
	eventConnected    = "worker_connected"
	eventMetadata     = "worker_metadata_updated"
	eventDisconnected = "worker_disconnected"
)

// bound lists the live bindings of a type of the engine's own.
func (e *Engine) bound(id string) []*binding {
	e.mu.Lock()
	defer e.mu.Unlock()
	if t := e.types[key{defaultNamespace, id}]; t == nil || t.provider != nil {
		return nil // a worker has taken the type over
	}
	return e.bindingsWhere(func(b *binding) bool { return b.trigger == id && b.provider != nil && b.provider.provider == nil })
}

// fire calls what is bound to a type, each for itself, and does not wait.
func (e *Engine) fire(id string, data func() []byte) {
	bindings := e.bound(id)
	if len(bindings) == 0 {
		return
	}
	text := data()
	for _, b := range bindings {
		e.deliver(b.call(text, nil))
	}
}

// call is the invocation of what a binding is bound to.
func (b *binding) call(data []byte, done func([]byte, *fault)) *call {
	return &call{id: uuid.New(), function: b.function, namespace: b.namespace,
		data: data, metadata: b.metadata, done: done}
}

func (e *Engine) announceWorker(event string, c *conn) {
	e.fire(eventWorkers, func() []byte {
		return []byte(`{"event":"` + event + `","worker_id":"` + c.text + `"}`)
	})
}

// announceFunctions fires functions-available when the set of functions is not
// what it was the last time.
func (e *Engine) announceFunctions() {
	e.mu.Lock()
	set := e.functionSet()
	changed := set != e.announced
	e.announced = set
	e.mu.Unlock()
	if !changed {
		return
	}
	e.fire(eventFunctions, func() []byte {
		e.mu.Lock()
		defer e.mu.Unlock()
		rows := []row{}
		for _, fn := range e.sortedFunctions() {
			rows = append(rows, fn.row())
		}
		return marshal(row{"event": "functions_changed", "functions": rows})
	})
}

// functionSet is the identity of all functions there are, as one comparable
// value; Engine.mu is held.
func (e *Engine) functionSet() string {
	all := make([]string, 0, len(e.functions))
	for k := range e.functions {
		all = append(all, k.namespace+"\x00"+k.id)
	}
	slices.Sort(all)
	return strings.Join(all, "\x01")
}

// configurationEvent is one change of a configuration entry.
type configurationEvent struct {
	kind, id string
	data     []byte
}

// fireConfiguration calls the functions bound to a change one after another;
// changes that follow each other may overtake each other.
func (e *Engine) fireConfiguration(ev configurationEvent) {
	var wanting []*binding
	for _, b := range e.bound(eventConfiguration) {
		if f, ok := b.filter.(configurationFilter); ok && f.wants(ev) {
			wanting = append(wanting, b)
		}
	}
	e.fireInTurn(wanting, ev.data)
}

func (e *Engine) fireInTurn(rest []*binding, data []byte) {
	if len(rest) == 0 {
		return
	}
	b := rest[0]
	next := func() { e.fireInTurn(rest[1:], data) }
	run := func() { e.deliver(b.call(data, func([]byte, *fault) { next() })) }
	condition := b.filter.(configurationFilter).condition
	if condition == "" {
		run()
		return
	}
	ask := b.call(data, func(result []byte, bad *fault) {
		switch {
		case bad != nil:
			e.log.Warn("trigger skipped: its condition failed", "trigger", b.id, "code", bad.code)
			next()
		case string(result) == "false":
			next()
		default:
			run()
		}
	})
	ask.function, ask.metadata = condition, nil
	e.deliver(ask)
}

// configurationFilter is the config of a binding to eventConfiguration.
type configurationFilter struct {
	id        string   // empty: any entry
	kinds     []string // nil: any event
	condition string   // a function, or empty
}

func (f configurationFilter) wants(ev configurationEvent) bool {
	return (f.id == "" || f.id == ev.id) && (f.kinds == nil || slices.Contains(f.kinds, ev.kind))
}

// acceptConfigurationBinding reads that config.
func acceptConfigurationBinding(config []byte) (any, *fault) {
	refuse := func(text string) (any, *fault) {
		return nil, &fault{code: codeBindingFailed, message: "Failed to parse configuration trigger config: " + text}
	}
	var members map[string]json.RawMessage
	members, ok := jsonObject(config)
	if !ok {
		return refuse("invalid type: " + describe(config) + ", expected an object")
	}
	in := &input{members: members}
	var f configurationFilter
	f.id, _ = in.optional("configuration_id")
	f.condition, _ = in.optional("condition_function_id")
	f.kinds = in.list("event_types")
	if in.bad != nil {
		return refuse(strings.TrimPrefix(in.bad.message, "Failed to deserialize input for : "))
	}
	for _, k := range f.kinds {
		if k != changeRegistered && k != changeUpdated && k != changeDeleted {
			return refuse("unknown variant `" + k + "`")
		}
	}
	return f, nil
}
