package schema

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/invopop/jsonschema"
)

// object is a schema as parsed JSON.
type object = map[string]any

// generator makes one document. Types that are met below the root are queued as
// definitions instead of being followed at once, so recursion ends.
type generator struct {
	shapes Shapes
	owners map[string]reflect.Type // definition name → the type it belongs to
	queue  []string                // definitions still to be made
	defs   object
	err    error // the first mistake met inside a callback of the reflector
}

// refPrefix is where draft-07 keeps definitions.
const refPrefix = "#/definitions/"

// document makes the root and every definition that is reachable from it.
func (g *generator) document(t reflect.Type) (object, error) {
	root, name, err := g.definition(t)
	if err != nil {
		return nil, err
	}
	for len(g.queue) > 0 {
		next := g.queue[0]
		g.queue = g.queue[1:]
		def, _, err := g.definition(g.owners[next])
		if err != nil {
			return nil, fmt.Errorf("definition %s: %w", next, err)
		}
		g.defs[next] = def
	}
	root["$schema"] = Draft
	if name != "" {
		root["title"] = name
	}
	if len(g.defs) > 0 {
		root["definitions"] = g.defs
	}
	return root, nil
}

// definition makes the schema of one named type, and tells its name.
func (g *generator) definition(t reflect.Type) (object, string, error) {
	name := t.Name()
	switch s := g.shapes[t].(type) {
	case Union:
		def, err := g.union(s)
		return def, s.Name, err
	case List:
		return nil, "", errors.New("a list has no definition of its own")
	case As:
		t, name = s.Type, s.Name
	}
	if values, ok := enumOf(t); ok {
		def := object{"type": "string", "enum": values}
		describe(def, t)
		return def, name, nil
	}
	def, err := g.structure(t)
	return def, name, err
}

// union makes a oneOf with the tag as a one-value enum in each variant.
func (g *generator) union(u Union) (object, error) {
	variants := make([]any, 0, len(u.Variants))
	for _, v := range u.Variants {
		def, err := g.structure(v.Type)
		if err != nil {
			return nil, fmt.Errorf("%s %s: %w", u.Tag, v.Value, err)
		}
		properties := def["properties"].(object)
		if _, taken := properties[u.Tag]; taken {
			return nil, fmt.Errorf("%s %s: type %s has the tag as a field", u.Tag, v.Value, v.Type)
		}
		tag := object{"type": "string", "enum": []string{v.Value}}
		if u.TagDescription != "" {
			tag["description"] = u.TagDescription
		}
		properties[u.Tag] = tag
		require(def, u.Tag)
		variants = append(variants, def)
	}
	def := object{"oneOf": variants}
	if u.Description != "" {
		def["description"] = u.Description
	}
	return def, nil
}

// structure makes the schema of one struct type. Everything named inside it is
// a reference.
func (g *generator) structure(t reflect.Type) (object, error) {
	if t.Kind() != reflect.Struct {
		return nil, fmt.Errorf("%s is no struct and has no shape", t)
	}
	fields, err := fieldsOf(t, g.shapes)
	if err != nil {
		return nil, err
	}
	entered := false
	r := jsonschema.Reflector{
		Anonymous:                 true,
		AllowAdditionalProperties: true,
		ExpandedStruct:            true,
		// Qualified, because the reflector takes two types of one name for one
		// type. The only names that reach its output are the struct's own, where
		// it holds itself.
		Namer: func(inner reflect.Type) string {
			if inner.Name() == "" {
				return ""
			}
			return inner.PkgPath() + "." + inner.Name()
		},
		Mapper: func(inner reflect.Type) *jsonschema.Schema {
			if inner == t && !entered {
				entered = true
				return nil
			}
			return g.mapped(inner)
		},
	}
	s := r.ReflectFromType(t)
	if g.err != nil {
		return nil, g.err
	}
	def, err := g.parsed(s, t)
	if err != nil {
		return nil, err
	}
	describe(def, t)
	return def, adaptFields(def, fields)
}

// parsed turns the reflector's answer for t into plain JSON values. References
// of t to itself, which the reflector spells its own way, become ours.
func (g *generator) parsed(s *jsonschema.Schema, t reflect.Type) (object, error) {
	text, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}
	v, err := parse(text)
	if err != nil {
		return nil, err
	}
	def, ok := v.(object)
	if !ok {
		return nil, fmt.Errorf("%s has no object schema", t)
	}
	delete(def, "$schema")
	if _, ok := def["properties"]; !ok {
		def["properties"] = object{}
	}
	eachObject(def, func(o object) {
		if ref, _ := o["$ref"].(string); strings.HasPrefix(ref, "#/$defs/") {
			o["$ref"] = g.refer(t.Name(), t).Ref
		}
	})
	return def, g.err
}

// describe adds the description that a type has of its own.
func describe(def object, t reflect.Type) {
	if d, ok := reflect.Zero(t).Interface().(Described); ok {
		def["description"] = d.SchemaDescription()
	}
}
