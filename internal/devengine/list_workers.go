package devengine

import (
	"cmp"
	"slices"
	"strings"
)

// orNull is a text, or null where a worker has not given it.
func orNull(text string, given bool) any {
	if !given {
		return nil
	}
	return text
}

// row shows a worker in a list; Engine.mu is held.
func (c *conn) row() row {
	functions := 0
	for _, f := range c.engine.functions {
		if f.owner == c {
			functions++
		}
	}
	runtime, namespace := c.about.runtime, c.namespace
	if runtime == "" {
		runtime = "unknown"
	}
	if namespace == "" {
		namespace = defaultNamespace
	}
	a := c.about
	return row{
		"name": orNull(a.name, a.named), "description": orNull(a.description, a.described),
		"version": orNull(a.version, a.versioned), "id": c.text, "namespace": namespace,
		"runtime": runtime, "os": orNull(a.os, a.hasOS), "status": "connected",
		"function_count": functions, "connected_at_ms": c.since.UnixMilli(),
		"active_invocations": c.active, "isolation": orNull(a.isolation, a.isolated), "ip_address": c.ip,
	}
}

// insideRow shows a worker of the engine's own; Engine.mu is held.
func (e *Engine) insideRow(w inProcess) row {
	functions := 0
	for k, f := range e.functions {
		if f.owner == nil && w.prefix != "" && strings.HasPrefix(k.id, w.prefix) {
			functions++
		}
	}
	return row{
		"name": w.name, "description": nil, "version": Version, "id": w.name, "namespace": defaultNamespace,
		"runtime": "engine", "os": nil, "status": "available", "function_count": functions,
		"connected_at_ms": e.started.UnixMilli(), "active_invocations": 0, "isolation": "in-process", "ip_address": nil,
	}
}

// listWorkers is engine::workers::list. Workers that gave no pid are left out.
func (e *Engine) listWorkers(q *call) ([]byte, *fault) {
	in, bad := q.input()
	if bad != nil {
		return nil, bad
	}
	search, _ := in.optional("search")
	runtime, hasRuntime := in.optional("runtime")
	status, hasStatus := in.optional("status")
	if in.bad != nil {
		return nil, in.bad
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	rows := []row{}
	keep := func(r row) {
		name, _ := r["name"].(string)
		if contains(search, name) && (!hasRuntime || r["runtime"] == runtime) && (!hasStatus || r["status"] == status) {
			rows = append(rows, r)
		}
	}
	for _, c := range e.workers {
		if c.about.pid != nil {
			keep(c.row())
		}
	}
	for _, w := range e.inside {
		keep(e.insideRow(w))
	}
	order := func(r row) string {
		if name, ok := r["name"].(string); ok {
			return name
		}
		return r["id"].(string)
	}
	slices.SortFunc(rows, func(a, b row) int {
		return cmp.Or(cmp.Compare(order(a), order(b)), cmp.Compare(a["id"].(string), b["id"].(string)))
	})
	return marshal(row{"workers": rows}), nil
}

// workerInfo is engine::workers::info.
func (e *Engine) workerInfo(q *call) ([]byte, *fault) {
	in, bad := q.input()
	if bad != nil {
		return nil, bad
	}
	name := in.required("name")
	namespace, hasNamespace := in.optional("namespace")
	if in.bad != nil {
		return nil, in.bad
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	holders := map[string]*conn{}
	var having []string
	for k, c := range e.names {
		if k.id == name {
			holders[k.namespace] = c
			having = append(having, k.namespace)
		}
	}
	slices.Sort(having)
	if len(having) == 0 {
		if r := e.insideInfo(name); r != nil && (!hasNamespace || namespace == defaultNamespace) {
			return marshal(r), nil
		}
		return nil, &fault{code: codeMissing, message: "Worker '" + name + "' is not connected."}
	}
	c := holders[namespace]
	switch {
	case hasNamespace && c == nil:
		return nil, &fault{code: codeMissing, message: "Worker '" + name + "' is not connected in the requested namespace; it is connected in namespace(s): " +
			strings.Join(having, ", ") + "."}
	case hasNamespace:
	case len(having) > 1:
		return nil, &fault{code: codeMissing, message: "Worker '" + name + "' is ambiguous: it is connected in namespace(s): " +
			strings.Join(having, ", ") + ". Pass `namespace` to disambiguate."}
	default:
		c = holders[having[0]]
	}
	r := c.row()
	r["internal"] = false
	if c.about.pid != nil {
		r["pid"] = *c.about.pid
	}
	return marshal(row{
		"worker":              r,
		"functions":           e.functionRows(func(f *function) bool { return f.owner == c && !f.internal() }),
		"trigger_types":       e.typeRows(func(t *triggerType) bool { return t.provider == c }),
		"registered_triggers": e.bindingRows(func(b *binding) bool { return b.registrant == c }),
	}), nil
}

// insideInfo describes a worker of the engine's own, nil when there is none of
// that name; Engine.mu is held.
func (e *Engine) insideInfo(name string) row {
	for _, w := range e.inside {
		if w.name == name {
			r := e.insideRow(w)
			r["internal"] = true
			return row{
				"worker": r,
				"functions": e.functionRows(func(f *function) bool {
					return f.owner == nil && w.prefix != "" && strings.HasPrefix(f.key.id, w.prefix) && !f.internal()
				}),
				"trigger_types":       e.typeRows(func(t *triggerType) bool { return t.provider == nil && t.key.id == w.name }),
				"registered_triggers": []row{},
			}
		}
	}
	return nil
}

func (e *Engine) functionRows(want func(*function) bool) []row {
	rows := []row{}
	for _, f := range e.sortedFunctions() {
		if want(f) {
			rows = append(rows, f.row())
		}
	}
	return rows
}

func (e *Engine) typeRows(want func(*triggerType) bool) []row {
	rows := []row{}
	for _, t := range e.sortedTypes() {
		if want(t) {
			rows = append(rows, t.row())
		}
	}
	return rows
}
