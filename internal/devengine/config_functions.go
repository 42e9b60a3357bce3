package devengine

import (
	"bytes"
	"strings"
)

// configurationRegister is configuration::register.
func (e *Engine) configurationRegister(q *call) ([]byte, *fault) {
	in, bad := q.input()
	if bad != nil {
		return nil, bad
	}
	fresh := &entry{id: in.required("id"), name: in.required("name"), description: in.required("description")}
	fresh.setSchema(in.raw("schema"))
	initial := in.some("initial_value")
	fresh.metadata = in.some("metadata")
	if bad := checkID(in, fresh.id); bad != nil {
		return nil, bad
	}
	if initial != nil {
		if bad := e.configuration.check(fresh, initial); bad != nil {
			return nil, bad
		}
	}
	old, now, bad := e.configuration.change(fresh.id, func(old *entry) (*entry, *fault) {
		fresh.value = []byte("null")
		switch {
		case initial != nil:
			fresh.value = initial
		case old != nil:
			fresh.value = old.value
		}
		return fresh, nil
	})
	if bad != nil {
		return nil, bad
	}
	kind := changeUpdated
	if old == nil {
		kind = changeRegistered
	}
	e.configurationChanged(kind, old, now)
	r := now.row()
	r.set("value", now.value)
	return marshal(r), nil
}

// configurationSet is configuration::set.
func (e *Engine) configurationSet(q *call) ([]byte, *fault) {
	in, bad := q.input()
	if bad != nil {
		return nil, bad
	}
	id, value := in.required("id"), in.raw("value")
	if bad := checkID(in, id); bad != nil {
		return nil, bad
	}
	old, now, bad := e.configuration.change(id, func(old *entry) (*entry, *fault) {
		if old == nil {
			return nil, &fault{code: "NOT_REGISTERED", message: "configuration '" + id + "' is not registered; call configuration::register first"}
		}
		if old.schema == nil {
			return nil, &fault{code: "SCHEMA_UNAVAILABLE", message: "configuration '" + id +
				"' has no schema available yet; the owning worker must register before values can be set"}
		}
		if bad := e.configuration.check(old, value); bad != nil {
			return nil, bad
		}
		changed := *old
		changed.value = value
		return &changed, nil
	})
	if bad != nil {
		return nil, bad
	}
	e.configurationChanged(changeUpdated, old, now)
	r := row{}
	r.set("old_value", old.value)
	r.set("new_value", now.value)
	return marshal(r), nil
}

// configurationGet is configuration::get.
func (e *Engine) configurationGet(q *call) ([]byte, *fault) {
	in, bad := q.input()
	if bad != nil {
		return nil, bad
	}
	id, raw := in.required("id"), in.flag("raw")
	entry, bad := e.configuration.find(in, id)
	if bad != nil {
		return nil, bad
	}
	r := row{"id": id}
	r.set("value", entry.value)
	if !raw {
		value, unset := e.configuration.expand(entry.value)
		if len(unset) > 0 {
			return nil, &fault{code: "EXPAND_FAILED", message: "configuration '" + id +
				"' references unset environment variable(s) with no default: " + strings.Join(unset, ", ")}
		}
		if bad := entry.validate(value); bad != nil {
			return nil, bad
		}
		r["value"] = value
	}
	return marshal(r), nil
}

// configurationList is configuration::list. It never shows values.
func (e *Engine) configurationList(q *call) ([]byte, *fault) {
	if _, bad := q.input(); bad != nil {
		return nil, bad
	}
	rows := []row{}
	for _, entry := range e.configuration.all() {
		rows = append(rows, entry.row())
	}
	return marshal(row{"configurations": rows}), nil
}

// configurationSchema is configuration::schema.
func (e *Engine) configurationSchema(q *call) ([]byte, *fault) {
	in, bad := q.input()
	if bad != nil {
		return nil, bad
	}
	entry, bad := e.configuration.find(in, in.required("id"))
	if bad != nil {
		return nil, bad
	}
	return marshal(entry.row()), nil
}

// row is an entry without its value.
func (e *entry) row() row {
	r := row{"id": e.id, "name": e.name, "description": e.description, "schema": nil}
	r.set("schema", e.schema)
	r.set("metadata", e.metadata)
	return r
}

// checkID ends the reading of an input: what is wrong with it comes first, then
// the form of the id.
func checkID(in *input, id string) *fault {
	if in.bad != nil {
		return in.bad
	}
	if !idPattern.MatchString(id) {
		return &fault{code: "INVALID_ID", message: "invalid configuration id '" + id + "': must match [a-z0-9_-]{1,64}"}
	}
	return nil
}

// find returns an entry that must be there.
func (s *configStore) find(in *input, id string) (*entry, *fault) {
	if bad := checkID(in, id); bad != nil {
		return nil, bad
	}
	if e := s.get(id); e != nil {
		return e, nil
	}
	return nil, &fault{code: codeMissing, message: "configuration '" + id + "' not found"}
}

// configurationChanged fires the event of a change. Values are expanded; what
// is not set in the environment stays as it is written.
func (e *Engine) configurationChanged(kind string, old, now *entry) {
	r := now.row()
	r["type"], r["event_type"] = "configuration", kind
	r["old_value"], r["new_value"] = nil, nil
	if old != nil {
		r["old_value"], _ = e.configuration.expand(old.value)
	}
	r["new_value"], _ = e.configuration.expand(now.value)
	e.fireConfiguration(configurationEvent{kind: kind, id: now.id, data: bytes.Clone(marshal(r))})
}
