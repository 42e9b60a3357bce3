package devengine

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"
)

// row shows a trigger type in a list; Engine.mu is held.
func (t *triggerType) row() row {
	return row{"id": t.key.id, "namespace": t.key.namespace,
		"worker_name": workerName(t.provider, t.key.id), "description": t.description}
}

// listTypes is engine::triggers::list.
func (e *Engine) listTypes(q *call) ([]byte, *fault) {
	in, bad := q.input()
	if bad != nil {
		return nil, bad
	}
	search, _ := in.optional("search")
	prefix, _ := in.optional("prefix")
	worker, hasWorker := in.optional("worker")
	all := in.flag("include_internal")
	if in.bad != nil {
		return nil, in.bad
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	rows := []row{}
	for _, t := range e.sortedTypes() {
		if strings.HasPrefix(t.key.id, "engine::") && !all || !strings.HasPrefix(t.key.id, prefix) ||
			hasWorker && workerName(t.provider, t.key.id) != worker ||
			!contains(search, t.key.id, t.description) {
			continue
		}
		rows = append(rows, t.row())
	}
	return marshal(row{"triggers": rows}), nil
}

// contains says whether one of the texts holds search, whatever the case.
func contains(search string, texts ...string) bool {
	search = strings.ToLower(search)
	return slices.ContainsFunc(texts, func(t string) bool { return strings.Contains(strings.ToLower(t), search) })
}

func (e *Engine) sortedTypes() []*triggerType {
	all := make([]*triggerType, 0, len(e.types))
	for _, t := range e.types {
		all = append(all, t)
	}
	slices.SortFunc(all, func(a, b *triggerType) int {
		return cmp.Or(cmp.Compare(a.key.id, b.key.id), cmp.Compare(a.key.namespace, b.key.namespace))
	})
	return all
}

// typeDetail shows all of a trigger type; Engine.mu is held.
func (e *Engine) typeDetail(t *triggerType) row {
	r := t.row()
	r.set("configuration_schema", t.configFormat)
	r.set("request_schema", t.callFormat)
	r["instance_count"] = len(e.bindingsWhere(func(b *binding) bool { return b.provider == t }))
	return r
}

// typeInfo is engine::triggers::info.
func (e *Engine) typeInfo(q *call) ([]byte, *fault) {
	in, bad := q.input()
	if bad != nil {
		return nil, bad
	}
	id := in.required("id")
	namespace, ok := in.optional("namespace")
	if in.bad != nil {
		return nil, in.bad
	}
	if !ok {
		namespace = defaultNamespace
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	t := e.types[key{namespace, id}]
	if t == nil {
		return nil, &fault{code: codeMissing, message: "Trigger type '" + id + "' is not registered in namespace '" + namespace + "'."}
	}
	return marshal(e.typeDetail(t)), nil
}

// row shows a binding in a list; Engine.mu is held.
func (b *binding) row() row {
	r := row{"id": b.id, "trigger_type": b.trigger, "function_id": b.function, "worker_name": workerName(b.registrant, b.function)}
	r.set("config", b.config)
	return r
}

// summary is the config cut to 80 characters.
func (b *binding) summary() string {
	text := string(b.config)
	const limit = 80
	if utf8.RuneCountInString(text) <= limit {
		return text
	}
	return string([]rune(text)[:limit]) + "…"
}

// listBindings is engine::registered-triggers::list. Parked ones are left out.
func (e *Engine) listBindings(q *call) ([]byte, *fault) {
	in, bad := q.input()
	if bad != nil {
		return nil, bad
	}
	search, _ := in.optional("search")
	trigger, hasTrigger := in.optional("trigger_type")
	function, hasFunction := in.optional("function_id")
	worker, hasWorker := in.optional("worker")
	all := in.flag("include_internal")
	if in.bad != nil {
		return nil, in.bad
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	rows := e.bindingRows(func(b *binding) bool {
		return (all || !strings.HasPrefix(b.function, "engine::")) &&
			(!hasTrigger || b.trigger == trigger) && (!hasFunction || b.function == function) &&
			(!hasWorker || workerName(b.registrant, b.function) == worker) &&
			contains(search, b.id, b.trigger, b.function)
	})
	return marshal(row{"registered_triggers": rows}), nil
}

// bindingRows shows live bindings by id; Engine.mu is held.
func (e *Engine) bindingRows(want func(*binding) bool) []row {
	rows := []row{}
	live := e.bindingsWhere(func(b *binding) bool { return b.provider != nil && want(b) })
	slices.SortFunc(live, func(a, b *binding) int { return cmp.Compare(a.id, b.id) })
	for _, b := range live {
		r := b.row()
		r["config_summary"] = b.summary()
		rows = append(rows, r)
	}
	return rows
}

// bindingInfo is engine::registered-triggers::info.
func (e *Engine) bindingInfo(q *call) ([]byte, *fault) {
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
	b := e.bindings[id]
	if b == nil || b.provider == nil {
		return nil, &fault{code: codeMissing, message: "Registered trigger '" + id + "' was not found."}
	}
	r := b.row()
	r.set("metadata", b.metadata)
	r["trigger"] = e.typeDetail(b.provider)
	r["function"] = nil
	if f := e.functions[key{b.namespace, b.function}]; f != nil {
		r["function"] = e.functionDetail(f)
	}
	return marshal(r), nil
}
