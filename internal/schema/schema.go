// Package schema turns Go types into draft-07 JSON Schema documents.
//
// The reading of struct types is invopop/jsonschema's; this package asks it for
// one struct at a time, with references instead of nesting because message
// content is recursive, and shapes each answer into the dialect of the published
// contract:
//
//   - a pointer, or a slice with omitempty, may be null: ["T","null"] for a plain
//     type, anyOf of the reference and null for a named one;
//   - a field is required unless it is a pointer, has omitempty, or has a default;
//   - a json.RawMessage accepts any JSON;
//   - integers carry their width as format, unsigned ones a minimum of 0;
//   - objects are open: unknown members are always allowed.
//
// Struct tags: json gives the name and omitempty, jsonschema_description the
// sentence for the reader, jsonschema_default a default as JSON text, jsonschema
// whatever else invopop/jsonschema knows (minimum, maximum, example, …). A type
// that implements [Enumerated] or [Described] speaks for itself.
package schema

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
)

// Draft is the $schema of every document this package makes.
const Draft = "http://json-schema.org/draft-07/schema#"

// Enumerated is implemented by string types with a closed list of values.
type Enumerated interface {
	// SchemaEnum lists the values in the order in which they are published. It
	// must work on the zero value.
	SchemaEnum() []string
}

// Described is implemented by types that have a description of their own,
// besides those of the fields that hold them.
type Described interface {
	// SchemaDescription is one or two sentences for the caller of a function. It
	// must work on the zero value.
	SchemaDescription() string
}

// Options adjusts generation.
type Options struct {
	// Shapes says how types look that write their own JSON. Nil means that no
	// type does.
	Shapes Shapes
}

// Shapes maps Go types to their shape on the wire. Keys are never pointers.
type Shapes map[reflect.Type]Shape

// Shape is one of [Union], [List] and [As].
type Shape interface{ shape() }

// Union is a choice between objects that are told apart by one string member.
type Union struct {
	// Name is the name of the definition, and the title of a root.
	Name string
	// Description stands at the union itself. Empty for none.
	Description string
	// Tag is the member that tells the variants apart.
	Tag string
	// TagDescription describes that member in every variant.
	TagDescription string
	// Variants are published in this order.
	Variants []Variant
}

// Variant is one choice of a [Union].
type Variant struct {
	// Value is what the tag holds.
	Value string
	// Type is a struct type with the other members, without the tag. A
	// description comes from the type, if it is [Described].
	Type reflect.Type
}

// List is an array whose items look like those of another type.
type List struct{ Items reflect.Type }

// As is a definition under a name that is not its Go type's: a type that looks
// like another one, or like itself.
type As struct {
	// Name is the name of the definition.
	Name string
	// Type is the struct or enumerated type to look like.
	Type reflect.Type
}

func (Union) shape() {}
func (List) shape()  {}
func (As) shape()    {}

// Of makes the document for T. See [Generate].
func Of[T any](o Options) (json.RawMessage, error) {
	return Generate(reflect.TypeFor[T](), o)
}

// Generate makes the draft-07 document for t, a struct type, a pointer to one,
// or a type whose shape is a [Union]. Named types below the root become
// definitions. The bytes are the same on every run: indented by one space, keys
// sorted, without a final newline. It fails on a type that JSON cannot spell, on
// a named slice or map without a shape, and on two types of one name.
func Generate(t reflect.Type, o Options) (json.RawMessage, error) {
	if t == nil {
		return nil, fmt.Errorf("generating a schema: no type given")
	}
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	g := generator{shapes: o.Shapes, owners: map[string]reflect.Type{}, defs: map[string]any{}}
	doc, err := g.document(t)
	if err != nil {
		return nil, fmt.Errorf("generating the schema of %s: %w", t, err)
	}
	return encode(doc)
}

// encode prints a document in its one deterministic spelling.
func encode(doc any) (json.RawMessage, error) {
	var buf bytes.Buffer
	e := json.NewEncoder(&buf)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	if err := e.Encode(doc); err != nil {
		return nil, fmt.Errorf("printing a schema: %w", err)
	}
	return bytes.TrimSuffix(buf.Bytes(), []byte("\n")), nil
}
