package contract_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"context-manager/internal/contract"
)

const published = `{
 "$schema": "http://json-schema.org/draft-07/schema#", "title": "Req", "type": "object", "required": ["model"],
 "properties": {
  "model": {"$ref": "#/definitions/Model"},
  "options": {"anyOf": [{"$ref": "#/definitions/Options"}, {"type": "null"}]},
  "content": {"type": "array", "items": {"$ref": "#/definitions/Block"}},
  "details": true
 },
 "definitions": {
  "Model": {"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]},
  "Options": {"type": "object", "properties": {"n": {"type": ["integer", "null"], "format": "uint64", "minimum": 0, "default": null}}},
  "Kind": {"type": "string", "enum": ["a", "b"]},
  "Block": {"oneOf": [
   {"type": "object", "properties": {"type": {"type": "string", "enum": ["text"]}, "kind": {"$ref": "#/definitions/Kind"}}, "required": ["type"]},
   {"type": "object", "properties": {"type": {"type": "string", "enum": ["result"]},
    "content": {"type": "array", "items": {"$ref": "#/definitions/Block"}}}, "required": ["content", "type"]}
  ]}
 }
}`

func TestDiffToleratesSpellingAndAdditions(t *testing.T) {
	t.Parallel()
	ours := strings.NewReplacer(
		`"model": {"$ref": "#/definitions/Model"}`, `"extra": {"type": ["string", "null"]}, "model": {"allOf": [{"$ref": "#/definitions/Model"}], "description": "The model."}`,
		`"details": true`, `"details": {"description": "Anything."}`,
		`["integer", "null"]`, `["null", "integer"]`,
		`"enum": ["a", "b"]`, `"enum": ["b", "a"], "description": "A kind."`,
	).Replace(published)
	if got := diff(t, ours); len(got) > 0 {
		t.Errorf("got differences %q, want none", got)
	}
}

func TestDiffNamesWhatDiffers(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ name, old, new, want string }{
		{"a member that became required", `"required": ["model"]`, `"required": ["model", "details"]`, "$: required"},
		{"a member that became optional", `"required": ["model"]`, `"required": []`, "$: required"},
		{"a member that is gone", `"details": true`, `"other": true`, "$.details: missing"},
		{"a title", `"title": "Req"`, `"title": "Request"`, "$: title"},
		{"a draft", "draft-07", "draft-04", "$: $schema"},
		{"a type", `"id": {"type": "string"}`, `"id": {"type": "integer"}`, "$.model.id: type"},
		{"null no longer allowed", `["integer", "null"]`, `"integer"`, "$.options.n: type"},
		{"null no longer allowed for a reference", `{"anyOf": [{"$ref": "#/definitions/Options"}, {"type": "null"}]}`, `{"$ref": "#/definitions/Options"}`, "$.options: type"},
		{"a format", `"uint64"`, `"uint"`, "$.options.n: format"},
		{"a minimum", `"minimum": 0`, `"minimum": 1`, "$.options.n: minimum"},
		{"a maximum of our own", `"minimum": 0`, `"minimum": 0, "maximum": 9`, "$.options.n: maximum"},
		{"a default that is gone", `, "default": null`, ``, "$.options.n: default is absent, published as null"},
		{"an enum value of our own", `["a", "b"]`, `["a", "b", "c"]`, "$.content[](type=text).kind: enum"},
		{"a variant that is gone", `"enum": ["text"]`, `"enum": ["words"]`, "$.content[]: variant type=text is missing"},
		{"a definition under another name", `"Kind`, `"Sort`, "definition Kind is missing"},
		{"an object that is closed", `"required": ["id"]`, `"required": ["id"], "additionalProperties": false`, "$.model: additionalProperties"},
		{"a change inside the recursion", `"content": {"type": "array", "items": {"$ref": "#/definitions/Block"}}}, "required": ["content", "type"]`, `"content": {"type": "array", "items": {"type": "string"}}}, "required": ["content", "type"]`, "(type=result).content[]"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			ours := strings.ReplaceAll(published, tc.old, tc.new)
			if tc.old == `"Kind` {
				ours = strings.ReplaceAll(ours, "/Kind", "/Sort")
			}
			got := diff(t, ours)
			if !slices.ContainsFunc(got, func(s string) bool { return strings.Contains(s, tc.want) }) {
				t.Errorf("got %q, want one with %q", got, tc.want)
			}
		})
	}
}

func TestUndescribedNamesMembersAtAnyDepth(t *testing.T) {
	t.Parallel()
	got, err := contract.Undescribed([]byte(published))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"$.model", "Model.id", "Block/oneOf/1.content"} {
		if !slices.Contains(got, want) {
			t.Errorf("got %q, want %q among them", got, want)
		}
	}
	const described = `{"properties": {"a": {"description": "An a."}}}`
	if got, err := contract.Undescribed([]byte(described)); err != nil || len(got) > 0 {
		t.Errorf("got %q, %v, want none and no error", got, err)
	}
}

func diff(t *testing.T, ours string) []string {
	t.Helper()
	if !json.Valid([]byte(ours)) {
		t.Fatalf("the test's own schema is no JSON: %s", ours)
	}
	got, err := contract.Diff([]byte(published), []byte(ours))
	if err != nil {
		t.Fatal(err)
	}
	return got
}
