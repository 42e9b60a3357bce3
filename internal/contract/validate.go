package contract

import (
	"bytes"
	"fmt"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// side names one of a function's two schemas.
type side string

const (
	request  side = "request"
	response side = "response"
)

// compiled caches schemas by function and side; compiling is what takes time.
var compiled sync.Map // string → func() (*jsonschema.Schema, error)

// validate checks an instance against a published schema.
func validate(name string, which side, instance []byte) error {
	key := name + "/" + string(which)
	make := func() (*jsonschema.Schema, error) { return compile(name, which) }
	once, _ := compiled.LoadOrStore(key, sync.OnceValues(make))
	schema, err := once.(func() (*jsonschema.Schema, error))()
	if err != nil {
		return err
	}
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(instance))
	if err != nil {
		return fmt.Errorf("reading the instance: %w", err)
	}
	return schema.Validate(v)
}

func compile(name string, which side) (*jsonschema.Schema, error) {
	f, err := Lookup(name)
	if err != nil {
		return nil, err
	}
	text := f.RequestSchema
	if which == response {
		text = f.ResponseSchema
	}
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return nil, fmt.Errorf("reading the %s schema of %s: %w", which, name, err)
	}
	c := jsonschema.NewCompiler()
	const url = "contract.json"
	if err := c.AddResource(url, document); err != nil {
		return nil, fmt.Errorf("compiling the %s schema of %s: %w", which, name, err)
	}
	schema, err := c.Compile(url)
	if err != nil {
		return nil, fmt.Errorf("compiling the %s schema of %s: %w", which, name, err)
	}
	return schema, nil
}

// RequestError says why a request is not valid under the published contract;
// nil means that it is.
func RequestError(name string, instance []byte) error { return validate(name, request, instance) }

// ResponseError says why a response is not valid under the published contract;
// nil means that it is.
func ResponseError(name string, instance []byte) error { return validate(name, response, instance) }

// ValidateResponse fails the test when a response is not one that the published
// contract allows for the function.
func ValidateResponse(t testing.TB, name string, instance []byte) {
	t.Helper()
	if err := ResponseError(name, instance); err != nil {
		t.Errorf("%s answers outside the published contract: %v\n%s", name, err, instance)
	}
}

// ValidateExchange is [ValidateResponse] for answers to requests that the
// published contract allows. For other requests nothing is promised, so nothing
// is checked; the result says whether it was.
func ValidateExchange(t testing.TB, name string, req, resp []byte) bool {
	t.Helper()
	if RequestError(name, req) != nil {
		return false
	}
	ValidateResponse(t, name, resp)
	return true
}
