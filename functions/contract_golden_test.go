package functions_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"context-manager/functions"
	"context-manager/internal/contract"
)

// Schemas are goldens, so that every change of the wire shows in a diff.
func TestSchemaGoldens(t *testing.T) {
	t.Parallel()
	for i := range functions.Specs {
		spec := &functions.Specs[i]
		t.Run(spec.ID, func(t *testing.T) {
			t.Parallel()
			contract.Golden(t, goldenFile(spec.ID), golden(t, spec))
		})
	}
}

// A golden of a function that is gone would be read as one that is served.
func TestNoGoldenOutlivesItsFunction(t *testing.T) {
	t.Parallel()
	var want []string
	for i := range functions.Specs {
		want = append(want, goldenFile(functions.Specs[i].ID))
	}
	root, err := contract.Root()
	if err != nil {
		t.Fatal(err)
	}
	paths, err := filepath.Glob(filepath.Join(root, "goldens", "context.*.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		if slices.Contains(want, filepath.Base(path)) {
			continue
		}
		if contract.Updating() {
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
			continue
		}
		t.Errorf("%s belongs to no function (UPDATE_GOLDENS=1 removes it)", filepath.Base(path))
	}
}

func goldenFile(id string) string { return strings.ReplaceAll(id, "::", ".") + ".json" }

func golden(t *testing.T, spec *functions.Spec) []byte {
	t.Helper()
	var buf bytes.Buffer
	e := json.NewEncoder(&buf)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	err := e.Encode(struct {
		FunctionID     string          `json:"function_id"`
		Description    string          `json:"description"`
		Metadata       json.RawMessage `json:"metadata"`
		RequestSchema  json.RawMessage `json:"request_schema"`
		ResponseSchema json.RawMessage `json:"response_schema"`
	}{spec.ID, spec.Description, spec.Metadata.JSON(), spec.RequestSchema(), spec.ResponseSchema()})
	if err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}
