package agent_test

import (
	"encoding/json"
	"fmt"
	"slices"
)

// slowField is one member of a request struct in the slow half. fault returns
// the path of the first thing that is wrong, or "".
type slowField struct {
	name     string
	required bool
	fault    func(v any, path string) string
}

// slowRequest mirrors testRequest: the path of the first fault in a valid text,
// without what is inside a message. "request" stands for the request itself.
func slowRequest(v any) string {
	fault := slowStruct(v, "", []slowField{
		{"messages", false, func(v any, path string) string {
			list, ok := v.([]any)
			for _, m := range list {
				if _, good := slowMessage(m); !good {
					return path
				}
			}
			return unless(ok, path)
		}},
		{"model", true, slowStructOf([]slowField{
			{"id", true, slowIsString},
			{"provider", false, slowIsString},
			{"limits", false, slowStructOf([]slowField{
				{"context_window", true, slowIsCount}, {"max_output_tokens", true, slowIsCount}, {"input_limit", false, slowIsCount},
			})},
		})},
		{"options", false, slowStructOf([]slowField{
			{"allow_prune", false, func(v any, path string) string { _, ok := v.(bool); return unless(ok, path) }},
			{"thinking_level", false, slowIsOneOf("minimal", "low", "medium", "high", "xhigh")},
			{"protected_functions", false, slowListOf(slowIsString)},
			{"reserved_tokens", false, slowIsCount},
			{"tail_turns", false, slowIsCount},
		})},
		{"system_prompt", false, slowIsString},
		{"tools", false, slowListOf(slowStructOf([]slowField{
			{"name", true, slowIsString},
			{"description", true, slowIsString},
			{"label", false, slowIsString},
			{"execution_mode", false, slowIsOneOf("parallel", "sequential")},
		}))},
	})
	return fault
}

func slowStructOf(fields []slowField) func(any, string) string {
	return func(v any, path string) string { return slowStruct(v, path, fields) }
}

func slowStruct(v any, path string, fields []slowField) string {
	itself := path
	if path == "" {
		itself = "request"
	}
	o, ok := v.(object)
	if !ok || o.twice() {
		return itself
	}
	for _, f := range fields {
		name := f.name
		if path != "" {
			name = path + "." + name
		}
		v, there := o.get(f.name)
		switch {
		case !there && !f.required, there && v == nil && !f.required:
		case !there:
			return name
		default:
			if fault := f.fault(v, name); fault != "" {
				return fault
			}
		}
	}
	return ""
}

func slowListOf(fault func(any, string) string) func(any, string) string {
	return func(v any, path string) string {
		list, ok := v.([]any)
		for i, e := range list {
			if f := fault(e, fmt.Sprintf("%s[%d]", path, i)); f != "" {
				return f
			}
		}
		return unless(ok, path)
	}
}

func slowIsOneOf(values ...string) func(any, string) string {
	return func(v any, path string) string {
		s, ok := v.(string)
		return unless(ok && slices.Contains(values, s), path)
	}
}

func slowIsString(v any, path string) string {
	_, ok := v.(string)
	return unless(ok, path)
}

func slowIsCount(v any, path string) string {
	n, ok := v.(json.Number)
	if ok {
		_, ok = slowCount(n)
	}
	return unless(ok, path)
}

func unless(ok bool, path string) string {
	if ok {
		return ""
	}
	return path
}
