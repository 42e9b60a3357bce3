package devengine

import (
	"bytes"
	"encoding/json"
	"strconv"
)

// input is the data of a call to one of the engine's own functions. Its
// methods read members; the first thing wrong stays in bad.
type input struct {
	function string
	members  map[string]json.RawMessage
	bad      *fault
}

// input decodes the data of a call, which must be an object.
func (q *call) input() (*input, *fault) {
	in := &input{function: q.function}
	var ok bool
	if in.members, ok = jsonObject(q.data); !ok {
		return nil, in.fail("invalid type: " + describe(q.data) + ", expected an object")
	}
	return in, nil
}

// fail is the error of an input that cannot be read; the first is kept.
func (in *input) fail(text string) *fault {
	if in.bad == nil {
		in.bad = &fault{code: "deserialization_error",
			message: "Failed to deserialize input for " + in.function + ": " + text}
	}
	return in.bad
}

// raw is a member that must be there, with any value. The text is a copy.
func (in *input) raw(name string) []byte {
	v, ok := in.members[name]
	if !ok {
		in.fail("missing field `" + name + "`")
	}
	return bytes.Clone(v)
}

// some is a member that may be absent or null, both nil. The text is a copy.
func (in *input) some(name string) []byte {
	if v := in.members[name]; string(v) != "null" {
		return bytes.Clone(v)
	}
	return nil
}

// required is a string that must be there.
func (in *input) required(name string) string {
	v, ok := in.members[name]
	switch {
	case !ok:
		in.fail("missing field `" + name + "`")
	case !isString(v):
		in.fail("invalid type: " + describe(v) + ", expected a string")
	default:
		return unquote(v)
	}
	return ""
}

// optional is a string that may be absent or null.
func (in *input) optional(name string) (text string, ok bool) {
	if in.some(name) == nil {
		return "", false
	}
	return in.required(name), true
}

// flag is a bool that is false when absent or null.
func (in *input) flag(name string) bool {
	switch v := in.some(name); string(v) {
	case "", "false":
		return false
	case "true":
		return true
	default:
		in.fail("invalid type: " + describe(v) + ", expected a boolean")
		return false
	}
}

// natural is an integer from 0 to limit, nil when absent or null.
func (in *input) natural(name string, limit uint64) *uint64 {
	v := in.some(name)
	if v == nil {
		return nil
	}
	n, err := strconv.ParseUint(string(v), 10, 64)
	if err != nil || n > limit {
		in.fail("invalid value: " + describe(v) + ", expected an integer up to " + strconv.FormatUint(limit, 10))
		return nil
	}
	return &n
}

// list is an array of strings, nil when absent or null.
func (in *input) list(name string) []string {
	v := in.some(name)
	if v == nil {
		return nil
	}
	items, ok := stringList(v)
	if !ok {
		in.fail("invalid type: " + describe(v) + ", expected a sequence of strings")
	}
	return items
}

// stringList decodes an array of strings; an empty one is not nil.
func stringList(v []byte) (items []string, ok bool) {
	var raw []json.RawMessage
	if len(v) == 0 || v[0] != '[' || json.Unmarshal(v, &raw) != nil {
		return nil, false
	}
	items = make([]string, 0, len(raw))
	for _, r := range raw {
		if !isString(r) {
			return nil, false
		}
		items = append(items, unquote(r))
	}
	return items, true
}

// describe names a value in the words of a decoder's error.
func describe(v []byte) string {
	if len(v) == 0 {
		return "nothing"
	}
	switch v[0] {
	case '{':
		return "map"
	case '[':
		return "sequence"
	case '"':
		return "string"
	case 'n':
		return "null"
	case 't', 'f':
		return "boolean `" + string(v) + "`"
	default:
		return "number `" + string(v) + "`"
	}
}

// marshal encodes an answer of the engine's own in canonical form.
func marshal(v any) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return []byte("null") // maps of strings, numbers and raw JSON do not fail
	}
	var s scanner
	s.reset(b.Bytes(), nil)
	if err := s.document(); err != nil {
		return []byte("null")
	}
	return s.out
}

// row is one object of an answer.
type row map[string]any

// set adds a member unless it is absent.
func (r row) set(name string, raw []byte) {
	if raw != nil {
		r[name] = json.RawMessage(raw)
	}
}
