package agent

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"sync"
)

// Decode reads one request into the struct dst points at. depth is the number
// of containers that already enclose data, in a frame for instance; data must
// not change as long as dst is used, since messages refer to it.
//
// The struct's json tags say what is wanted: a pointer or slice with omitempty
// may be absent or null, anything else is required. Unknown members are
// ignored, duplicate ones refused, a number may have any spelling JSON allows
// for its value. A string type with a SchemaEnum method takes those values
// only.
//
// Bad input gives a *FieldError. When several members are bad, the one that is
// declared first is reported, so that a request is judged in the same order
// however its keys are sorted.
func Decode(data []byte, depth int, dst any) error {
	s := scanner{data: data, depth: depth}
	s.space()
	v := reflect.ValueOf(dst).Elem()
	if err := decodeStruct(&s, planOf(v.Type()), v); err != nil {
		return err
	}
	return s.end()
}

// jsonDecoder is implemented by types that read themselves.
type jsonDecoder interface{ decodeJSON(*scanner) error }

// schemaEnum is implemented by string types with a closed set of values.
type schemaEnum interface{ SchemaEnum() []string }

type field struct {
	name     string
	index    int
	required bool
	nullable bool
	read     func(*scanner, reflect.Value) error
	want     string
}

type plan []field

var plans sync.Map // reflect.Type → plan

func planOf(t reflect.Type) plan {
	if p, ok := plans.Load(t); ok {
		return p.(plan)
	}
	var p plan
	for i := range t.NumField() {
		f := t.Field(i)
		name, opts, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "-" || name == "" || !f.IsExported() {
			continue
		}
		optional := strings.Contains(opts, "omitempty")
		ft := f.Type
		out := field{name: name, index: i, required: !optional, nullable: optional}
		if ft.Kind() == reflect.Pointer {
			ft = ft.Elem()
		}
		out.read, out.want = readerOf(ft)
		p = append(p, out)
	}
	got, _ := plans.LoadOrStore(t, p)
	return got.(plan)
}

var (
	rawType     = reflect.TypeFor[json.RawMessage]()
	decoderType = reflect.TypeFor[jsonDecoder]()
	enumType    = reflect.TypeFor[schemaEnum]()
)

// readerOf returns how to read a value of type t and how to ask for one.
func readerOf(t reflect.Type) (func(*scanner, reflect.Value) error, string) {
	switch {
	case t == rawType:
		return readRaw, "any value"
	case reflect.PointerTo(t).Implements(decoderType):
		return readSelf, "a value of type " + t.Name()
	}
	switch t.Kind() {
	case reflect.String:
		if t.Implements(enumType) {
			values := reflect.Zero(t).Interface().(schemaEnum).SchemaEnum()
			return readEnum(values), "one of " + strings.Join(values, ", ")
		}
		return readString, "a string"
	case reflect.Bool:
		return readBool, "true or false"
	case reflect.Uint64, reflect.Uint:
		return readUint, "an integer"
	case reflect.Int64:
		return readInt, "an integer"
	case reflect.Slice:
		return readSlice(t), "an array"
	case reflect.Struct:
		return func(s *scanner, v reflect.Value) error { return decodeStruct(s, planOf(v.Type()), v) }, "an object"
	}
	// A request struct that cannot be read is a mistake in this program.
	panic(fmt.Sprintf("agent: no reader for %v", t))
}

func decodeStruct(s *scanner, p plan, v reflect.Value) error {
	if s.kind() != kindObject {
		if s.kind() == 0 {
			return s.unexpected("an object")
		}
		return fieldErr("want an object, got %v", s.kind())
	}
	if err := s.enter(); err != nil {
		return err
	}
	var keys keyset
	var bad []error // by field; nil while all is well
	for first := true; ; first = false {
		key, more, err := s.nextKey(first)
		if err != nil {
			return err
		}
		if !more {
			break
		}
		i := p.find(key)
		if !keys.add(i, key) {
			return duplicate(key)
		}
		if i < 0 {
			if _, err := s.value(); err != nil {
				return atKey(err, key)
			}
			continue
		}
		start, depth := s.pos, s.depth
		if err := p[i].decode(s, v.Field(p[i].index)); err != nil {
			err = at(err, p[i].name)
			if isSyntax(err) {
				return err
			}
			if bad == nil {
				bad = make([]error, len(p))
			}
			bad[i] = err
			s.pos, s.depth = start, depth
			if _, err := s.value(); err != nil {
				return at(err, p[i].name)
			}
		}
	}
	for i := range p {
		if bad != nil && bad[i] != nil {
			return bad[i]
		}
		if p[i].required && !keys.has(i) {
			return at(fieldErr("missing, want %s", p[i].want), p[i].name)
		}
	}
	return nil
}

func (p plan) find(key str) int {
	name := key.bytes()
	for i := range p {
		if string(name) == p[i].name {
			return i
		}
	}
	return -1
}

func (f *field) decode(s *scanner, v reflect.Value) error {
	if s.kind() == kindNull && f.nullable {
		return s.literal("null")
	}
	if v.Kind() == reflect.Pointer {
		v.Set(reflect.New(v.Type().Elem()))
		v = v.Elem()
	}
	return f.read(s, v)
}
