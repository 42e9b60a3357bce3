package schema_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"context-manager/internal/schema"
)

func TestSkeletonDropsProseAndNothingElse(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ name, document, want string }{
		{
			"a list of functions",
			`{"functions": [{"name": "f", "description": "Prose.", "metadata": {"internal": true}, "request_schema": {
			  "$schema": "s", "title": "F", "description": "Prose.", "type": "object", "required": ["description"],
			  "properties": {"description": {"type": "string", "description": "Prose."}, "a": true},
			  "definitions": {"D": {"enum": ["description"], "default": {"description": 1}, "description": "Prose."}}}}], "triggers": []}`,
			`{"functions": [{"name": "f", "metadata": {"internal": true}, "request_schema": {
			  "$schema": "s", "title": "F", "type": "object", "required": ["description"],
			  "properties": {"description": {"type": "string"}, "a": true},
			  "definitions": {"D": {"enum": ["description"], "default": {"description": 1}}}}}], "triggers": []}`,
		},
		{
			"a schema with nested keywords",
			`{"$schema": "s", "$id": "i", "$comment": "c", "oneOf": [{"$ref": "#/$defs/a", "description": "p"}],
			  "$defs": {"a": {"items": [{"description": "p", "const": 1.50}], "additionalProperties": {"description": "p", "type": "null"}},
			  "b": {"items": {"description": "p"}, "not": {"description": "p"}, "examples": [1], "additionalProperties": false}}}`,
			`{"$schema": "s", "$id": "i", "oneOf": [{"$ref": "#/$defs/a"}],
			  "$defs": {"a": {"items": [{"const": 1.50}], "additionalProperties": {"type": "null"}},
			  "b": {"items": {}, "not": {}, "additionalProperties": false}}}`,
		},
		{
			"an endpoint with worked examples",
			`{"endpoint": "/v1", "inputSchema": {"type": "object", "description": "p"}, "requestExample": {"description": "kept"}, "outputExample": {"note": "kept"}}`,
			`{"endpoint": "/v1", "inputSchema": {"type": "object"}, "requestExample": {"description": "kept"}, "outputExample": {"note": "kept"}}`,
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			text, err := schema.Skeleton([]byte(tc.document))
			if err != nil {
				t.Fatal(err)
			}
			var got, want any
			if err := json.Unmarshal(text, &got); err != nil {
				t.Fatal(err)
			}
			if err := json.Unmarshal([]byte(tc.want), &want); err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(got, want); d != "" {
				t.Errorf("- got + want:\n%s", d)
			}
		})
	}
}

func TestSkeletonRefusesWhatIsNoDocument(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ name, document, want string }{
		{"text that is no JSON", `{`, "parsing JSON"},
		{"two values", `{} {}`, "more than one value"},
		{"a list", `[]`, "is no object"},
		{"nothing", ``, "parsing JSON"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			if got, err := schema.Skeleton([]byte(tc.document)); err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got %s, %v, want an error with %q", got, err, tc.want)
			}
		})
	}
}

// FuzzSkeleton: what can be read has a skeleton that is its own skeleton.
func FuzzSkeleton(f *testing.F) {
	f.Add([]byte(`{"$schema": "s", "description": "p", "properties": {"description": {"type": ["string", "null"], "default": 1e400}}}`))
	f.Add([]byte(`{"functions": [{"request_schema": {"items": [1, true, null]}, "description": {}}], "x": {"Example": "p"}}`))
	f.Add([]byte(`{"inputSchema": [], "": {"$defs": 3, "oneOf": {}}, "a\u2028<b": "\ud800"}`))
	f.Fuzz(func(t *testing.T, document []byte) {
		once, err := schema.Skeleton(document)
		if err != nil {
			return
		}
		twice, err := schema.Skeleton(once)
		if err != nil {
			t.Fatalf("%v\n%s", err, once)
		}
		if string(twice) != string(once) {
			t.Errorf("got %s, want %s", twice, once)
		}
	})
}
