package devengine

import (
	"cmp"
	"slices"
	"strings"
)

// row shows a function in a list; Engine.mu is held.
func (f *function) row() row {
	r := row{"function_id": f.key.id, "namespace": f.key.namespace, "worker_name": f.worker()}
	if f.described {
		r["description"] = f.description
	}
	r.set("metadata", f.metadata)
	return r
}

// sortedFunctions is all functions by id, then namespace; Engine.mu is held.
func (e *Engine) sortedFunctions() []*function {
	all := make([]*function, 0, len(e.functions))
	for _, f := range e.functions {
		all = append(all, f)
	}
	slices.SortFunc(all, func(a, b *function) int {
		return cmp.Or(cmp.Compare(a.key.id, b.key.id), cmp.Compare(a.key.namespace, b.key.namespace))
	})
	return all
}

// listFunctions is engine::functions::list.
func (e *Engine) listFunctions(q *call) ([]byte, *fault) {
	in, bad := q.input()
	if bad != nil {
		return nil, bad
	}
	search, _ := in.optional("search")
	prefix, _ := in.optional("prefix")
	workers := in.list("workers")
	if w, ok := in.optional("worker"); ok {
		workers = append(workers, w)
	}
	all := in.flag("include_internal")
	if in.bad != nil {
		return nil, in.bad
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	const ranks = 3
	var ranked [ranks][]row
	for _, f := range e.sortedFunctions() {
		if f.internal() && !all || !strings.HasPrefix(f.key.id, prefix) ||
			len(workers) > 0 && !slices.Contains(workers, f.worker()) {
			continue
		}
		if rank := f.rank(strings.ToLower(search)); rank < ranks {
			ranked[rank] = append(ranked[rank], f.row())
		}
	}
	return marshal(row{"functions": append([]row{}, slices.Concat(ranked[:]...)...)}), nil
}

// rank is how well a function fits a search in lower case: 0 no search or the
// best fit, 3 none.
func (f *function) rank(search string) int {
	id := strings.ToLower(f.key.id)
	switch {
	case search == "", strings.HasPrefix(id, search), slices.Contains(strings.Split(id, "::"), search):
		return 0
	case strings.Contains(id, search):
		return 1
	case strings.Contains(strings.ToLower(f.description), search):
		return 2
	}
	return 3
}

// functionDetail shows all of a function; Engine.mu is held.
func (e *Engine) functionDetail(f *function) row {
	r := f.row()
	r.set("request_schema", f.requestFormat)
	r.set("response_schema", f.responseFormat)
	triggers := []row{}
	for _, b := range e.bindingsWhere(func(b *binding) bool {
		return b.provider != nil && b.function == f.key.id && b.namespace == f.key.namespace
	}) {
		t := row{"id": b.id, "trigger_type": b.trigger}
		t.set("config", b.config)
		triggers = append(triggers, t)
	}
	r["registered_triggers"] = triggers
	return r
}

const (
	codeMissing   = "NOT_FOUND"
	codeArguments = "INVALID_ARGUMENTS"
	maxInfoIDs    = 32
)

// functionInfo is engine::functions::info.
func (e *Engine) functionInfo(q *call) ([]byte, *fault) {
	in, bad := q.input()
	if bad != nil {
		return nil, bad
	}
	id, one := in.optional("function_id")
	ids := in.list("function_ids")
	namespace, _ := in.optional("namespace")
	if in.bad != nil {
		return nil, in.bad
	}
	distinct := len(slices.Compact(slices.Sorted(slices.Values(ids))))
	refusal := ""
	switch {
	case one && ids != nil:
		refusal = "pass either `function_id` or `function_ids`, not both"
	case !one && ids == nil:
		refusal = "missing field `function_id` (or `function_ids` for a batch)"
	case !one && distinct == 0:
		refusal = "`function_ids` must be a non-empty array of function ids"
	case distinct > maxInfoIDs:
		refusal = "too many function_ids (max 32)"
	}
	if refusal != "" {
		return nil, &fault{code: codeArguments, message: refusal}
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if one {
		f, bad := e.findFunction(id, namespace)
		if bad != nil {
			return nil, bad
		}
		return marshal(e.functionDetail(f)), nil
	}
	rows := []row{}
	seen := map[string]bool{}
	for _, id := range ids {
		if seen[id] {
			continue
		}
		seen[id] = true
		if f, bad := e.findFunction(id, namespace); bad == nil {
			rows = append(rows, e.functionDetail(f))
		} else {
			rows = append(rows, row{"function_id": id, "error": "not_found"})
		}
	}
	return marshal(row{"functions": rows}), nil
}

// findFunction looks in the namespace named, else in "default", else in the
// only one that has it; Engine.mu is held.
func (e *Engine) findFunction(id, namespace string) (*function, *fault) {
	try := namespace
	if try == "" {
		try = defaultNamespace
	}
	if f := e.functions[key{try, id}]; f != nil {
		return f, nil
	}
	having := e.namespacesOf(id)
	switch {
	case len(having) == 0:
		return nil, &fault{code: codeMissing, message: "Function '" + id + "' is not registered."}
	case len(having) == 1 && namespace == "":
		return e.functions[key{having[0], id}], nil
	}
	return nil, &fault{code: codeMissing, message: "Function '" + id + "' is ambiguous: it is registered in namespace(s): " +
		strings.Join(having, ", ") + ". Pass `namespace` to select one."}
}
