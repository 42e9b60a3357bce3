package devengine

import (
	"bytes"
	"cmp"
	"slices"
)

// triggerType is a kind of event that somebody provides.
type triggerType struct {
	key                      key
	provider                 *conn // nil: the engine itself
	description              string
	configFormat, callFormat []byte // nil when absent

	// accept checks the config of a binding of the engine's own types and
	// returns what firing wants to know of it.
	accept func(config []byte) (any, *fault)
}

func acceptAny([]byte) (any, *fault) { return nil, nil }

// binding ties a function to a trigger type. It is live while it has a
// provider, else parked. All of it is guarded by Engine.mu; all but provider,
// filter and answered is fixed once it is stored.
type binding struct {
	sequence   uint64
	id         string
	trigger    string // id of the type
	function   string
	config     []byte
	metadata   []byte // nil when absent
	namespace  string // where the function is looked up
	home       string // namespace of whoever made it, where the type is looked up first
	named      bool   // home was demanded: no other namespace will do
	registrant *conn  // nil when made through the function; then it outlives its maker

	provider *triggerType
	filter   any          // what accept returned
	answered func(*fault) // the function form waiting for the provider
}

const codeBindingFailed = "trigger_registration_failed"

// findType is the type a binding belongs to at present, nil when there is none.
func (e *Engine) findType(b *binding) *triggerType {
	if t := e.types[key{b.home, b.trigger}]; t != nil || b.named {
		return t
	}
	return e.types[key{defaultNamespace, b.trigger}]
}

// attach makes a binding live at t, telling the provider; an engine type may
// refuse.
func (e *Engine) attach(b *binding, t *triggerType) *fault {
	if t.provider == nil {
		filter, bad := t.accept(b.config)
		if bad != nil {
			return bad
		}
		b.provider, b.filter = t, filter
		return nil
	}
	b.provider = t
	t.provider.out.put(outText, encodeBinding(b))
	return nil
}

// detach takes a binding from its provider, telling it.
func (e *Engine) detach(b *binding) {
	if b.provider != nil && b.provider.provider != nil {
		b.provider.provider.out.put(outText, encodeUnbinding(b))
	}
	b.provider = nil
}

// store keeps a binding, in place of one with its id, and attaches it if its
// type is there.
func (e *Engine) store(b *binding) *fault {
	t := e.findType(b)
	if old := e.bindings[b.id]; old != nil {
		// The same provider takes the new binding as an update.
		if t == nil || old.provider != t {
			e.detach(old)
		}
		delete(e.bindings, b.id)
	}
	if t != nil {
		if bad := e.attach(b, t); bad != nil {
			return bad
		}
	} else {
		e.log.Info("trigger parked until somebody provides its type", "trigger", b.id, "type", b.trigger)
	}
	e.sequence++
	b.sequence = e.sequence
	e.bindings[b.id] = b
	return nil
}

// registerBinding is registertrigger; Engine.mu is held. Success is silent.
func (e *Engine) registerBinding(c *conn, f *frame) {
	b := &binding{
		id: f.word(fID), trigger: f.word(fTriggerType), function: f.word(fFunctionID),
		config: bytes.Clone(f.raw(fConfig)), metadata: bytes.Clone(f.some(fMetadata)),
		namespace: defaultNamespace, home: c.namespace, registrant: c,
	}
	var bad *fault
	if v, ok := f.str(fNamespace); ok {
		if b.namespace = v; isBlank(v) {
			bad = blankField("namespace")
		}
	}
	if v, ok := f.str(fTriggerNamespace); ok {
		if b.home, b.named = v, true; isBlank(v) {
			bad = blankField("trigger_namespace")
		}
	}
	if bad == nil {
		bad = e.store(b)
	}
	if bad != nil {
		c.out.put(outText, encodeBindingRefused(b.id, b.trigger, b.function, bad))
	}
}

// removeBinding forgets a binding, whoever made it; false when there is none.
func (e *Engine) removeBinding(id string) bool {
	b := e.bindings[id]
	if b == nil {
		return false
	}
	delete(e.bindings, id)
	e.detach(b)
	e.settleAnswer(b, nil)
	return true
}

// dropBindings removes the bindings a leaving connection has made.
func (e *Engine) dropBindings(c *conn) {
	for _, b := range e.bindingsWhere(func(b *binding) bool { return b.registrant == c }) {
		e.removeBinding(b.id)
	}
}

// bindingsWhere lists bindings in the order they were made.
func (e *Engine) bindingsWhere(want func(*binding) bool) (found []*binding) {
	for _, b := range e.bindings {
		if want(b) {
			found = append(found, b)
		}
	}
	slices.SortFunc(found, func(a, b *binding) int { return cmp.Compare(a.sequence, b.sequence) })
	return found
}
