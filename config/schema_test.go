package config_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"testing"

	"context-manager/config"
	"context-manager/internal/contract"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

func TestSchema_golden(t *testing.T) {
	t.Parallel()
	contract.Golden(t, "settings.schema.json", append(config.Schema(), '\n'))
}

func TestSchema_everyPropertySpeaks(t *testing.T) {
	t.Parallel()
	var doc struct {
		Schema               string `json:"$schema"`
		Type                 string
		AdditionalProperties any `json:"additionalProperties"`
		Required             any
		Example              json.RawMessage
		Properties           map[string]map[string]any
	}
	must(t, json.Unmarshal(config.Schema(), &doc))
	if doc.Schema != "http://json-schema.org/draft-07/schema#" || doc.Type != "object" || doc.AdditionalProperties != nil || doc.Required != nil {
		t.Errorf("the schema begins %+v, want an open draft-07 object without required members", doc)
	}
	var example bytes.Buffer
	must(t, json.Compact(&example, doc.Example))
	if got, want := example.String(), string(config.Default().Raw()); got != want {
		t.Errorf("example = %s, want the defaults %s", got, want)
	}
	var defaults map[string]any
	must(t, json.Unmarshal(config.Default().Raw(), &defaults))
	if len(doc.Properties) != len(defaults) || len(defaults) != 12 {
		t.Errorf("%d properties, want one for each of the %d settings", len(doc.Properties), len(defaults))
	}
	for key, property := range doc.Properties {
		if text, _ := property["description"].(string); len(text) < 20 {
			t.Errorf("%s: description %q, want a sentence", key, text)
		}
		if property["default"] != defaults[key] {
			t.Errorf("%s: default %v, want %v", key, property["default"], defaults[key])
		}
		ranged := property["type"] == "boolean" || property["enum"] != nil || property["pattern"] != nil ||
			property["minimum"] != nil && property["maximum"] != nil
		if !ranged {
			t.Errorf("%s: %v, want a range", key, property)
		}
	}
}

// What the schema allows is what Decode accepts, so that the engine refuses a
// bad value before the worker has to.
func TestSchema_agreesWithDecode(t *testing.T) {
	t.Parallel()
	parsed, err := jsonschema.UnmarshalJSON(bytes.NewReader(config.Schema()))
	must(t, err)
	compiler := jsonschema.NewCompiler()
	must(t, compiler.AddResource("settings.json", parsed))
	document, err := compiler.Compile("settings.json")
	must(t, err)
	values := []string{`true`, `false`, `null`, `""`, `"2"`, `"auto"`, `"fitted"`, `"heuristic"`, `"exact"`, `"Auto"`, `[]`, `{}`,
		`"/"`, `"/a"`, `"a"`, `"~"`, `"~/"`, `"~/a"`, `"~a"`, `"./a"`, `" /a"`, `0`, `-0`, `-1`, `0.5`, `1.5`, `2`, `2.0`, `2e0`, `1e2`, `1e20`}
	both := map[bool]int{}
	for _, l := range config.Limits() {
		tried := values
		for _, n := range []uint64{l.Low, l.Low + 1, l.High, l.High + 1} {
			tried = append(tried, fmt.Sprint(n), fmt.Sprintf("%d.0", n))
		}
		for _, value := range tried {
			stored := fmt.Sprintf(`{%q:%s,"from a newer version":1}`, l.Key, value)
			instance, err := jsonschema.UnmarshalJSON(bytes.NewReader([]byte(stored)))
			must(t, err)
			invalid := document.Validate(instance)
			_, _, refused := config.Decode([]byte(stored))
			if (invalid == nil) != (refused == nil) {
				t.Errorf("%s: the schema says %v, Decode says %v", stored, invalid, refused)
			}
			both[refused == nil]++
		}
	}
	if both[true] < 50 || both[false] < 50 {
		t.Errorf("accepted and refused: %v, want many of each", both)
	}
}

func TestSchema_cannotBeSpoiled(t *testing.T) {
	t.Parallel()
	clear(config.Schema())
	if got := config.Schema(); !json.Valid(got) {
		t.Errorf("Schema() after a caller wrote to it = %.20q, want JSON", got)
	}
}
