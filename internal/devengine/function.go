package devengine

import (
	"bytes"
	"slices"
	"strings"
)

// function is something that can be called; it is replaced, never changed.
type function struct {
	key                                     key
	owner                                   *conn // nil: the engine's own
	description                             string
	described                               bool
	requestFormat, responseFormat, metadata []byte // nil when absent

	run func(*call) // of the engine's own
}

// internal says whether lists leave it out unless asked.
func (f *function) internal() bool {
	id := f.key.id
	if strings.HasPrefix(id, "engine::") && !strings.HasPrefix(id, "engine::queue::") {
		return true
	}
	m, _ := jsonObject(f.metadata)
	return string(m["internal"]) == "true"
}

// worker is the name of the worker that has it.
func (f *function) worker() string { return workerName(f.owner, f.key.id) }

// workerName is the name of a connection, or the first part of an id that
// belongs to a connection without one, or to the engine.
func workerName(c *conn, id string) string {
	if c != nil && c.about.named {
		return c.about.name
	}
	name, _, _ := strings.Cut(id, "::")
	return name
}

// registerFunction is the message of that name; Engine.mu is held. A function
// of the engine's own is replaced, and is lost when the worker leaves.
func (e *Engine) registerFunction(c *conn, f *frame) {
	id := f.word(fID)
	if f.some(fInvocation) != nil {
		e.log.Warn("function hosted over HTTP not registered", "function", id)
		return
	}
	k := key{c.namespace, id}
	owner := ""
	if c.namespace == defaultNamespace || !strings.HasPrefix(id, "engine::") {
		old := e.functions[k]
		if old == nil || old.owner == nil || old.owner == c {
			fn := &function{key: k, owner: c,
				requestFormat:  bytes.Clone(f.some(fRequestFormat)),
				responseFormat: bytes.Clone(f.some(fResponseFormat)),
				metadata:       bytes.Clone(f.some(fMetadata)),
			}
			fn.description, fn.described = f.str(fDescription)
			e.functions[k] = fn
			return
		}
		owner = old.owner.text
	}
	e.log.Warn("function refused", "function", id, "namespace", c.namespace, "owner", owner)
	c.out.put(outText, encodeFunctionRejected(c.namespace, id, owner))
}

const codeNotFound = "function_not_found"

// notFound is the error of a call whose function is not there; Engine.mu is
// held. Calls of the engine's own get a shorter text.
func (e *Engine) notFound(q *call) *fault {
	text := "Function " + q.function + " not found in namespace " + q.namespace
	if q.caller != nil {
		text += "."
		if elsewhere := e.namespacesOf(q.function); len(elsewhere) > 0 {
			text += " It is registered in namespace(s): " + strings.Join(elsewhere, ", ") + "."
		}
	}
	return &fault{code: codeNotFound, message: text}
}

// namespacesOf lists the namespaces that have a function, sorted; Engine.mu is
// held.
func (e *Engine) namespacesOf(id string) (found []string) {
	for k := range e.functions {
		if k.id == id {
			found = append(found, k.namespace)
		}
	}
	slices.Sort(found)
	return found
}
