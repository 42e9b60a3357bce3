package devengine

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
)

const codeSchema = "SCHEMA_INVALID"

// setSchema keeps a schema and compiles it; null is none. One that does not
// compile is kept: it matters when a value is checked.
func (e *entry) setSchema(text []byte) {
	if len(text) == 0 || string(text) == "null" {
		return
	}
	e.schema = text
	e.compiled, e.broken = compileSchema(text)
}

// noRemote keeps a schema from reaching for other documents.
type noRemote struct{}

// Load implements jsonschema.URLLoader.
func (noRemote) Load(url string) (any, error) {
	return nil, fmt.Errorf("loading %s: references to other documents are off", url)
}

func compileSchema(text []byte) (schema *jsonschema.Schema, err error) {
	defer guard(&err)
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	const name = "urn:devengine:schema"
	c := jsonschema.NewCompiler()
	c.UseLoader(noRemote{})
	if err := c.AddResource(name, document); err != nil {
		return nil, err
	}
	return c.Compile(name)
}

// guard turns a panic of the schema library into an error: schemas and values
// come from outside, and one that the library did not expect must not end the
// process.
func guard(err *error) {
	if r := recover(); r != nil {
		*err = fmt.Errorf("checking against the schema: %v", r)
	}
}

// check validates a value as it is given: against what it expands to, unless
// something in it is not set.
func (s *configStore) check(e *entry, value []byte) *fault {
	expanded, unset := s.expand(value)
	if len(unset) > 0 {
		return nil
	}
	return e.validate(expanded)
}

// validate checks an expanded value; without a schema everything is valid.
func (e *entry) validate(value any) *fault {
	if e.schema == nil {
		return nil
	}
	if e.broken != nil {
		return &fault{code: codeSchema, message: "schema validation failed: invalid JSON Schema: " + oneLine(e.broken.Error())}
	}
	if err := validateValue(e.compiled, value); err != nil {
		return &fault{code: codeSchema, message: "schema validation failed: " + strings.Join(reasons(err), "; ")}
	}
	return nil
}

func validateValue(schema *jsonschema.Schema, value any) (err error) {
	defer guard(&err)
	return schema.Validate(value)
}

// reasons lists what is wrong, each with the place in the value.
func reasons(err error) []string {
	var invalid *jsonschema.ValidationError
	if !errors.As(err, &invalid) {
		return []string{oneLine(err.Error())}
	}
	var list []string
	printer := message.NewPrinter(language.English)
	var walk func(*jsonschema.ValidationError)
	walk = func(v *jsonschema.ValidationError) {
		for _, cause := range v.Causes {
			walk(cause)
		}
		if len(v.Causes) == 0 {
			list = append(list, "/"+strings.Join(v.InstanceLocation, "/")+": "+v.ErrorKind.LocalizedString(printer))
		}
	}
	walk(invalid)
	return list
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
