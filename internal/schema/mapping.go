package schema

import (
	"errors"
	"fmt"
	"reflect"

	"github.com/invopop/jsonschema"
)

// mapped gives the schema of a type inside a struct where ours differs from the
// reflector's: references for everything named, formats for numbers. Nil leaves
// the type to the reflector. The result is fresh each time, because the
// reflector writes a field's tags into it.
func (g *generator) mapped(t reflect.Type) *jsonschema.Schema {
	switch s := g.shapes[t].(type) {
	case Union:
		return g.refer(s.Name, t)
	case As:
		return g.refer(s.Name, t)
	case List:
		items := g.mapped(s.Items)
		if items == nil {
			g.fail(fmt.Errorf("%s: items of type %s have no definition", t, s.Items))
			return &jsonschema.Schema{}
		}
		return &jsonschema.Schema{Type: "array", Items: items}
	}
	if _, ok := enumOf(t); ok {
		return g.refer(t.Name(), t)
	}
	if format, unsigned, ok := integerFormat(t.Kind()); ok {
		s := &jsonschema.Schema{Type: "integer", Format: format}
		if unsigned {
			s.Minimum = "0"
		}
		return s
	}
	switch t.Kind() {
	case reflect.Float64:
		return &jsonschema.Schema{Type: "number", Format: "double"}
	case reflect.Float32:
		return &jsonschema.Schema{Type: "number", Format: "float"}
	case reflect.Struct:
		return g.refer(t.Name(), t)
	}
	return nil
}

// refer makes a reference to a definition and sees to it that it will exist.
func (g *generator) refer(name string, t reflect.Type) *jsonschema.Schema {
	owner, known := g.owners[name]
	switch {
	case name == "":
		g.fail(fmt.Errorf("%s has no name to refer to", t))
	case !known:
		g.owners[name] = t
		g.queue = append(g.queue, name)
	case owner != t && !g.sameShape(owner, t):
		g.fail(fmt.Errorf("%s and %s are both called %s", owner, t, name))
	}
	return &jsonschema.Schema{Ref: refPrefix + name}
}

// sameShape says whether two types were given one and the same shape, as a type
// that keeps raw messages and a type that builds them are.
func (g *generator) sameShape(a, b reflect.Type) bool {
	shape, ok := g.shapes[a]
	return ok && reflect.DeepEqual(shape, g.shapes[b])
}

func (g *generator) fail(err error) { g.err = errors.Join(g.err, err) }

// enumOf lists the values of an enumerated string type.
func enumOf(t reflect.Type) ([]string, bool) {
	if t.Kind() != reflect.String {
		return nil, false
	}
	e, ok := reflect.Zero(t).Interface().(Enumerated)
	if !ok {
		return nil, false
	}
	return e.SchemaEnum(), true
}

// integerFormat names the width of an integer kind the way the published
// contract does.
func integerFormat(k reflect.Kind) (format string, unsigned, ok bool) {
	switch k {
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return k.String(), false, true
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return k.String(), true, true
	}
	return "", false, false
}
