package contract_test

import (
	"slices"
	"strings"
	"testing"

	"context-manager/internal/contract"
)

func TestAdditionsListsMembersOfOurOwn(t *testing.T) {
	t.Parallel()
	ours := strings.NewReplacer(
		`"details": true`, `"details": true, "more": true`,
		`"Model": {"type": "object", "properties": {`, `"New": {"properties": {"inner": true}}, "Model": {"type": "object", "properties": {"name": true, `,
		`"content": {"type": "array", "items": {"$ref": "#/definitions/Block"}}}, "required": ["content", "type"]`,
		`"is_late": true, "content": {"type": "array", "items": {"$ref": "#/definitions/Block"}}}, "required": ["content", "type"]`,
	).Replace(published)
	got, err := contract.Additions([]byte(published), []byte(ours))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"$.more", "Block/type=result.is_late", "Model.name"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if same, err := contract.Additions([]byte(published), []byte(published)); err != nil || len(same) > 0 {
		t.Errorf("got %q, %v for the published schema itself, want none", same, err)
	}
}
