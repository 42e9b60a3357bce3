package schema

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// field is what the wire knows of a struct field.
type field struct {
	name     string
	required bool
	nullable bool
	// fallback is the default as parsed JSON; hasFallback tells null from none.
	fallback    any
	hasFallback bool
}

var rawMessage = reflect.TypeFor[json.RawMessage]()

// fieldsOf reads the fields of a struct that reach the wire. Embedding is
// refused: one flat list of members is what a reader of the struct sees on the
// wire.
func fieldsOf(t reflect.Type, shapes Shapes) ([]field, error) {
	var fields []field
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if !f.IsExported() || name == "-" {
			continue
		}
		if f.Anonymous {
			return nil, fmt.Errorf("field %s.%s is embedded", t, f.Name)
		}
		if err := spellable(f.Type, shapes); err != nil {
			return nil, fmt.Errorf("field %s.%s: %w", t, f.Name, err)
		}
		if name == "" {
			name = f.Name
		}
		omitempty := slices.Contains(strings.Split(options, ","), "omitempty")
		pointer := f.Type.Kind() == reflect.Pointer
		slice := f.Type.Kind() == reflect.Slice && f.Type != rawMessage
		wire := field{
			name:     name,
			required: !pointer && !omitempty,
			nullable: pointer || slice && omitempty,
		}
		if text, ok := f.Tag.Lookup("jsonschema_default"); ok {
			v, err := parse([]byte(text))
			if err != nil {
				return nil, fmt.Errorf("field %s.%s: reading its default: %w", t, f.Name, err)
			}
			wire.fallback, wire.hasFallback, wire.required = v, true, false
		}
		fields = append(fields, wire)
	}
	return fields, nil
}

// spellable refuses what the reflector would panic on, or would publish in a
// form that the rest of this package does not look into.
func spellable(t reflect.Type, shapes Shapes) error {
	if _, ok := shapes[t]; ok {
		return nil
	}
	switch t.Kind() {
	case reflect.Pointer:
		if t.Elem().Kind() == reflect.Pointer {
			return fmt.Errorf("%s is a pointer to a pointer", t)
		}
		return spellable(t.Elem(), shapes)
	case reflect.Slice, reflect.Array, reflect.Map:
		if t == rawMessage {
			return nil
		}
		if t.Name() != "" {
			return fmt.Errorf("named type %s needs a shape", t)
		}
		if t.Kind() == reflect.Map && t.Key().Kind() != reflect.String {
			return fmt.Errorf("%s has keys that are no strings", t)
		}
		return spellable(t.Elem(), shapes)
	case reflect.Interface:
		if t.NumMethod() > 0 {
			return fmt.Errorf("interface %s needs a shape", t)
		}
		return nil
	case reflect.Struct:
		if t.Name() == "" {
			return fmt.Errorf("a struct without a name has no definition")
		}
		return nil
	case reflect.Bool, reflect.String, reflect.Float32, reflect.Float64:
		return nil
	}
	if _, _, ok := integerFormat(t.Kind()); ok {
		return nil
	}
	return fmt.Errorf("%s has no JSON form", t)
}

// adaptFields rewrites the properties of a struct's schema: what is required,
// what may be null, and the defaults.
func adaptFields(def object, fields []field) error {
	properties, ok := def["properties"].(object)
	if !ok {
		return fmt.Errorf("the schema has no properties")
	}
	delete(def, "required")
	for _, f := range fields {
		p, found := properties[f.name]
		if !found {
			return fmt.Errorf("member %s is missing from the schema", f.name)
		}
		property, ok := p.(object)
		if !ok { // true: any JSON and no description
			property = object{}
		}
		adapt(property, f)
		properties[f.name] = property
		if f.required {
			require(def, f.name)
		}
	}
	return nil
}

// adapt shapes one property. Draft-07 ignores whatever stands beside $ref, so a
// reference with company moves into allOf, or into anyOf beside null.
func adapt(property object, f field) {
	ref, isRef := property["$ref"]
	switch {
	case isRef && f.nullable:
		delete(property, "$ref")
		property["anyOf"] = []any{object{"$ref": ref}, object{"type": "null"}}
	case isRef && (len(property) > 1 || f.hasFallback):
		delete(property, "$ref")
		property["allOf"] = []any{object{"$ref": ref}}
	case f.nullable:
		if t, ok := property["type"].(string); ok {
			property["type"] = []any{t, "null"}
		}
		if values, ok := property["enum"].([]any); ok {
			property["enum"] = append(values, nil)
		}
	}
	if f.hasFallback {
		property["default"] = f.fallback
	}
}

// require adds a member to the sorted list of those that must be there.
func require(def object, name string) {
	list, _ := def["required"].([]string)
	list = append(list, name)
	slices.Sort(list)
	def["required"] = list
}
