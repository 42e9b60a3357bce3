package devengine

import (
	"strings"
	"unicode"
)

// settle gives a connection its namespace, unless it has one, and lets the
// registrations that waited for it take effect.
func (e *Engine) settle(c *conn, namespace string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.settleLocked(c, namespace)
}

func (e *Engine) settleLocked(c *conn, namespace string) {
	if c.gone || c.namespace != "" {
		return
	}
	c.namespace = namespace
	c.grace.stop()
	waiting := c.waiting
	c.waiting = nil
	for _, f := range waiting {
		e.register(c, f)
	}
}

// register applies one registration of a connection whose namespace is known;
// Engine.mu is held. What is kept is copied out of the frame.
func (e *Engine) register(c *conn, f *frame) {
	defer f.release()
	if c.gone || c.refused {
		return
	}
	switch f.kind {
	case kindRegisterFunction:
		e.registerFunction(c, f)
	case kindUnregisterFunction:
		k := key{c.namespace, f.word(fID)}
		if fn := e.functions[k]; fn != nil && fn.owner == c {
			delete(e.functions, k)
		}
	case kindRegisterTriggerType:
		e.registerType(c, f)
	case kindRegisterTrigger:
		e.registerBinding(c, f)
	case kindUnregisterTrigger:
		e.removeBinding(f.word(fID))
	default: // registerservice only groups what function ids group already
	}
}

// claimName takes a worker name for c. When another live connection has it,
// that one is returned and nothing changes. Engine.mu is held.
func (e *Engine) claimName(c *conn, namespace, name string) (owner *conn) {
	k := key{namespace, name}
	if owner = e.names[k]; owner != nil && owner != c {
		return owner
	}
	e.releaseName(c)
	if name != "" {
		e.names[k] = c
	}
	return nil
}

// releaseName frees the name of c; Engine.mu is held.
func (e *Engine) releaseName(c *conn) {
	k := key{c.namespace, c.about.name}
	if e.names[k] == c {
		delete(e.names, k)
	}
}

// registerWorker is engine::workers::register.
func (e *Engine) registerWorker(q *call) ([]byte, *fault) {
	in, bad := q.input()
	if bad != nil {
		return nil, bad
	}
	c := q.caller
	if c == nil {
		return nil, in.fail("missing field `" + callerKey + "`")
	}
	var a about
	a.runtime, _ = in.optional("runtime")
	a.version, a.versioned = in.optional("version")
	a.os, a.hasOS = in.optional("os")
	a.isolation, a.isolated = in.optional("isolation")
	a.name, _ = in.optional("name")
	a.description, _ = in.optional("description")
	a.pid = in.natural("pid", 1<<32-1)
	namespace, hasNamespace := in.optional("namespace")
	if in.bad != nil {
		return nil, in.bad
	}
	if a.runtime == "" {
		a.runtime = "unknown"
	}
	a.name, a.description = cleanText(a.name), cleanText(a.description)
	a.named, a.described = a.name != "", a.description != ""
	if !hasNamespace {
		namespace = defaultNamespace
	}
	if isBlank(namespace) {
		shown := a.name
		if shown == "" {
			shown = "<unnamed>"
		}
		return nil, &fault{code: codeBlankNamespace, message: "namespace is empty: worker '" + shown + "' declared " +
			string(appendString(nil, namespace)) + ". Give it a name, or omit the field to register in 'default'."}
	}

	e.mu.Lock()
	if c.gone || c.refused {
		e.mu.Unlock()
		return nil, nil
	}
	if c.namespace != "" {
		namespace = c.namespace // fixed already, by the grace period or before
	}
	if owner := e.claimName(c, namespace, a.name); owner != nil {
		c.refused = true
		c.waiting = nil
		c.grace.stop()
		c.out.put(outText, encodeNameRejected(namespace, a.name, owner.text))
		q.last = func() { c.out.put(outClose, nil) }
		e.mu.Unlock()
		e.log.Warn("worker name refused", "name", a.name, "namespace", namespace, "owner", owner.text)
		return []byte(`{"success":false}`), nil
	}
	c.about = a
	e.settleLocked(c, namespace)
	e.mu.Unlock()
	e.announceWorker(eventMetadata, c)
	return []byte(`{"success":true}`), nil
}

const codeBlankNamespace = "INVALID_NAMESPACE"

// blankField is the error for a namespace that was named and left blank.
func blankField(field string) *fault {
	return &fault{code: codeBlankNamespace, message: "`" + field +
		"` is empty: it was named and left blank. Give it a name, or omit it to use `default`."}
}

func isBlank(s string) bool { return strings.TrimSpace(s) == "" }

// cleanText makes a name or description fit for display: no control
// characters, no marks that turn the writing direction, at most 280
// characters.
func cleanText(text string) string {
	kept := make([]rune, 0, len(text))
	for _, r := range text {
		switch {
		case unicode.IsControl(r), r == '\u2028', r == '\u2029',
			'\u202a' <= r && r <= '\u202e', '\u2066' <= r && r <= '\u2069':
		default:
			kept = append(kept, r)
		}
	}
	if len(kept) > 280 {
		kept = kept[:280]
	}
	return strings.TrimSpace(string(kept))
}
