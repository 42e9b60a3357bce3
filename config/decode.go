package config

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// Decode reads the JSON value of the configuration entry. Absent keys have
// their defaults; null, {} and nothing at all are all defaults. Integers may be
// spelled 5, 5.0 or 5e3. A key that is not known is left out with a warning,
// because the value may come from a newer version. On an error, which is a
// *FieldError unless the text is no JSON, the settings are the defaults.
func Decode(stored []byte) (Settings, []string, error) {
	s, warnings, err := decode(stored)
	if err != nil {
		return Default(), warnings, err
	}
	return s, warnings, nil
}

func decode(stored []byte) (Settings, []string, error) {
	s := Default()
	trimmed := bytes.TrimSpace(stored)
	if len(trimmed) == 0 || string(trimmed) == "null" {
		return s, nil, nil
	}
	if !utf8.Valid(trimmed) {
		return s, nil, errors.New("reading settings: invalid UTF-8")
	}
	if !json.Valid(trimmed) {
		var v any
		return s, nil, fmt.Errorf("reading settings: %w", json.Unmarshal(trimmed, &v))
	}
	if trimmed[0] != '{' {
		return s, nil, &FieldError{Value: jsonScalar(trimmed).shown(), Problem: "is not an object", Want: "an object or null"}
	}
	members, err := membersOf(trimmed)
	if err != nil {
		return s, nil, fmt.Errorf("reading settings: %w", err)
	}
	var warnings []string
	seen := map[string]bool{}
	for _, m := range members {
		k, known := lookup(m.name)
		if !known {
			warnings = append(warnings, fmt.Sprintf("unknown field %s is ignored", scalar{text, m.name}.shown()))
			continue
		}
		v := jsonScalar(m.value)
		if seen[m.name] {
			return s, warnings, k.twice(v)
		}
		seen[m.name] = true
		if err := k.set(&s, v); err != nil {
			return s, warnings, err
		}
	}
	return s, warnings, nil
}

// member is one member of a JSON object.
type member struct {
	name  string
	value json.RawMessage
}

// membersOf splits a valid object into its members, in order, duplicates and
// all, which a map would lose.
func membersOf(object []byte) ([]member, error) {
	d := json.NewDecoder(bytes.NewReader(object))
	if _, err := d.Token(); err != nil {
		return nil, err
	}
	var members []member
	for d.More() {
		token, err := d.Token()
		if err != nil {
			return nil, err
		}
		name, _ := token.(string) // nothing else stands before a colon
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return nil, err
		}
		members = append(members, member{name, value})
	}
	return members, nil
}

// jsonScalar reads a valid JSON value.
func jsonScalar(raw []byte) scalar {
	switch raw[0] {
	case '{':
		return scalar{other, "an object"}
	case '[':
		return scalar{other, "a list"}
	case '"':
		var s string
		_ = json.Unmarshal(raw, &s) // valid already
		return scalar{text, s}
	case 'n':
		return scalar{null, "null"}
	case 't', 'f':
		return scalar{boolean, strings.TrimSpace(string(raw))}
	}
	return scalar{number, strings.TrimSpace(string(raw))}
}
