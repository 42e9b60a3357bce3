package schema

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// parse reads one JSON value and keeps numbers as they are spelled.
func parse(text []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, fmt.Errorf("parsing JSON: %w", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("parsing JSON: more than one value")
	}
	return v, nil
}

// eachObject calls f on every object inside v, v included, in no given order.
func eachObject(v any, f func(object)) {
	switch v := v.(type) {
	case object:
		f(v)
		for _, inner := range v {
			eachObject(inner, f)
		}
	case []any:
		for _, inner := range v {
			eachObject(inner, f)
		}
	}
}
