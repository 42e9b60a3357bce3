package devengine

import (
	"bytes"
	"time"

	"github.com/google/uuid"
)

// providerPatience is how long engine::register_trigger waits for a provider's
// word; silence counts as consent.
const providerPatience = 10 * time.Second

// registerType is registertriggertype; Engine.mu is held. The newcomer replaces
// whoever provided the type and is told of all bindings, also when it is the
// same connection again.
func (e *Engine) registerType(c *conn, f *frame) {
	namespace := c.namespace
	if v, ok := f.str(fNamespace); ok {
		if isBlank(v) {
			e.log.Warn("trigger type refused: its namespace is blank", "type", f.word(fID))
			return
		}
		namespace = v
	}
	t := &triggerType{key: key{namespace, f.word(fID)}, provider: c, description: f.word(fDescription),
		configFormat: bytes.Clone(f.some(fTriggerRequestFormat)), callFormat: bytes.Clone(f.some(fCallRequestFormat))}
	old := e.types[t.key]
	e.types[t.key] = t
	for _, b := range e.bindingsWhere(func(b *binding) bool { return b.trigger == t.key.id && e.findType(b) == t }) {
		if b.provider != old {
			e.detach(b) // it had fallen back to another namespace
		}
		_ = e.attach(b, t) // only engine types refuse
	}
}

// dropTypes removes the types of a leaving connection. Their bindings fall
// back to "default" where that is allowed and the type exists, else are parked.
func (e *Engine) dropTypes(c *conn) {
	for k, t := range e.types {
		if t.provider == c {
			delete(e.types, k)
		}
	}
	for _, b := range e.bindingsWhere(func(b *binding) bool { return b.provider != nil && b.provider.provider == c }) {
		b.provider = nil
		if t := e.findType(b); t != nil {
			_ = e.attach(b, t) // refused: it stays parked
		}
		e.settleAnswer(b, nil)
	}
}

// triggerAnswered is a provider's word on a binding. A refusal parks it, and
// whoever made it is told.
func (e *Engine) triggerAnswered(c *conn, f *frame) {
	defer f.release()
	e.mu.Lock()
	defer e.mu.Unlock()
	b := e.bindings[f.word(fID)]
	if b == nil || b.provider == nil || b.provider.provider != c || b.trigger != f.word(fTriggerType) {
		return
	}
	if f.fault != nil {
		b.provider = nil
		switch {
		case b.answered != nil:
			delete(e.bindings, b.id)
		case b.registrant != nil:
			b.registrant.out.put(outText, encodeBindingRefused(b.id, b.trigger, b.function, f.fault))
		}
	}
	e.settleAnswer(b, f.fault)
}

// settleAnswer ends the wait of the function form, if there is one; Engine.mu
// is held.
func (e *Engine) settleAnswer(b *binding, bad *fault) {
	if b.answered != nil {
		answered := b.answered
		b.answered = nil
		answered(bad)
	}
}

// registerTrigger is engine::register_trigger: a binding that belongs to no
// connection. It answers once the provider has.
func (e *Engine) registerTrigger(q *call) {
	in, bad := q.input()
	if bad != nil {
		e.finish(q, nil, bad)
		return
	}
	b := &binding{
		id: uuid.New().String(), trigger: in.required("trigger_type"), function: in.required("function_id"),
		config: bytes.Clone(in.members["config"]), metadata: in.some("metadata"),
		namespace: defaultNamespace, home: defaultNamespace,
	}
	if v, ok := in.optional("trigger_namespace"); ok {
		if b.home, b.named = v, true; isBlank(v) && in.bad == nil {
			in.bad = blankField("trigger_namespace")
		}
	}
	if b.config == nil {
		b.config = []byte("null")
	}
	if in.bad != nil {
		e.finish(q, nil, in.bad)
		return
	}
	made := []byte(`{"id":"` + b.id + `"}`)

	e.mu.Lock()
	bad = e.store(b)
	if bad == nil && b.provider != nil && b.provider.provider != nil {
		patience := e.after(providerPatience, func() {
			e.mu.Lock()
			defer e.mu.Unlock()
			e.settleAnswer(b, nil)
		})
		b.answered = func(bad *fault) {
			patience.stop()
			// Engine.mu is held here, and must not be when a call finishes.
			e.after(0, func() {
				if bad != nil {
					e.finish(q, nil, &fault{code: codeBindingFailed, message: bad.Error()})
					return
				}
				e.finish(q, made, nil)
			})
		}
		e.mu.Unlock()
		return
	}
	e.mu.Unlock()
	if bad != nil {
		e.finish(q, nil, bad)
		return
	}
	e.finish(q, made, nil)
}

// unregisterTrigger is engine::unregister_trigger.
func (e *Engine) unregisterTrigger(q *call) ([]byte, *fault) {
	in, bad := q.input()
	if bad != nil {
		return nil, bad
	}
	id := in.required("id")
	if in.bad != nil {
		return nil, in.bad
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.removeBinding(id) {
		return []byte(`{"removed":true}`), nil
	}
	return []byte(`{"removed":false}`), nil
}
