package functions_test

import (
	"encoding/json"
	"maps"
	"slices"
	"testing"

	"context-manager/functions"
	"context-manager/internal/contract"
)

// The table serves every published function, in whatever order, under its name
// and with its metadata; functions of our own may stand beside them.
func TestEveryPublishedFunctionIsServed(t *testing.T) {
	t.Parallel()
	for _, p := range published(t) {
		t.Run(p.Name, func(t *testing.T) {
			t.Parallel()
			spec := find(t, p.Name)
			var got map[string]bool
			if err := json.Unmarshal(spec.Metadata.JSON(), &got); err != nil {
				t.Fatal(err)
			}
			if !maps.Equal(got, p.Metadata) {
				t.Errorf("got metadata %v, want %v", got, p.Metadata)
			}
			if spec.Description == "" {
				t.Error("got no description, want one")
			}
		})
	}
}

func TestSchemasAgreeWithThePublishedOnes(t *testing.T) {
	t.Parallel()
	for _, p := range published(t) {
		t.Run(p.Name, func(t *testing.T) {
			t.Parallel()
			spec := find(t, p.Name)
			for _, side := range []struct {
				name            string
				published, ours json.RawMessage
			}{
				{"request", p.RequestSchema, spec.RequestSchema()},
				{"response", p.ResponseSchema, spec.ResponseSchema()},
			} {
				differences, err := contract.Diff(side.published, side.ours)
				if err != nil {
					t.Fatal(err)
				}
				for _, d := range differences {
					t.Errorf("%s %s", side.name, d)
				}
			}
		})
	}
}

func TestEveryMemberOfASchemaIsDescribed(t *testing.T) {
	t.Parallel()
	for i := range functions.Specs {
		spec := &functions.Specs[i]
		for _, schema := range []json.RawMessage{spec.RequestSchema(), spec.ResponseSchema()} {
			missing, err := contract.Undescribed(schema)
			if err != nil {
				t.Fatal(err)
			}
			if len(missing) > 0 {
				t.Errorf("%s: no description at %q", spec.ID, missing)
			}
		}
	}
}

// What the project adds to a published function, by path. A member that is
// added or lost without a line here is a mistake.
func TestAdditionsToTheContractAreTheseAndOptional(t *testing.T) {
	t.Parallel()
	estimator := []string{"AssembleOptions.estimator", "AssembleOptions.heuristic_image_tokens"}
	for _, tc := range []struct {
		id                string
		request, response []string
	}{
		{"context::assemble", estimator, []string{"$.breakdown", "Applied.compaction_skipped", "Applied.warnings"}},
		{"context::compact", []string{"CompactOptions.estimator", "CompactOptions.heuristic_image_tokens", "CompactOptions.instructions"},
			[]string{"$/status=busy.reason", "$/status=empty.reason", "$/status=ok.calibration", "$/status=ok.estimator", "$/status=overflow.reason"}},
		{"context::prune", []string{"PruneOptions.estimator", "PruneOptions.heuristic_image_tokens"}, []string{"$.calibration", "$.estimator"}},
		{"context::count-tokens", []string{"$.options"}, []string{"$.calibration"}},
		{"context::on-config-change", nil, nil},
		{"context::on-models-changed", nil, nil},
	} {
		t.Run(tc.id, func(t *testing.T) {
			t.Parallel()
			p, err := contract.Lookup(tc.id)
			if err != nil {
				t.Fatal(err)
			}
			spec := find(t, tc.id)
			if got := additions(t, p.RequestSchema, spec.RequestSchema()); !slices.Equal(got, tc.request) {
				t.Errorf("request: got additions %q, want %q", got, tc.request)
			}
			if got := additions(t, p.ResponseSchema, spec.ResponseSchema()); !slices.Equal(got, tc.response) {
				t.Errorf("response: got additions %q, want %q", got, tc.response)
			}
		})
	}
}

func additions(t *testing.T, published, ours []byte) []string {
	t.Helper()
	got, err := contract.Additions(published, ours)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func published(t *testing.T) []contract.Function {
	t.Helper()
	list, err := contract.Published()
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func find(t *testing.T, id string) *functions.Spec {
	t.Helper()
	spec, ok := functions.Find(id)
	if !ok {
		t.Fatalf("got no function %s, want every published one", id)
	}
	return spec
}
