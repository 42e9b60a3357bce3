package features_test

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	gherkin "github.com/cucumber/gherkin/go/v42"
	messages "github.com/cucumber/messages/go/v34"
)

// featureFile is one .feature file.
type featureFile struct {
	name      string
	text      []byte
	scenarios []*messages.Pickle // one an example
}

func readFeatures(t testing.TB) []featureFile {
	t.Helper()
	names, err := filepath.Glob("*.feature")
	if err != nil || len(names) == 0 {
		t.Fatalf("got feature files %q, %v, want some", names, err)
	}
	var out []featureFile
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		id := (&messages.Incrementing{}).NewId
		document, err := gherkin.ParseGherkinDocument(bytes.NewReader(text), id)
		if err != nil {
			t.Fatalf("reading %s: %v", name, err)
		}
		out = append(out, featureFile{name, text, gherkin.Pickles(*document, name, id)})
	}
	return out
}

// tagged reports whether any scenario has the tag.
func (f *featureFile) tagged(tag string) bool {
	return slices.ContainsFunc(f.scenarios, func(s *messages.Pickle) bool { return slices.Contains(tagsOf(s), tag) })
}

func tagsOf(s *messages.Pickle) (tags []string) {
	for _, t := range s.Tags {
		tags = append(tags, t.Name)
	}
	return tags
}

// expects reports whether an outcome of a scenario holds a number or a literal.
func expects(s *messages.Pickle) bool {
	return slices.ContainsFunc(s.Steps, func(step *messages.PickleStep) bool {
		if step.Type != messages.PickleStepType_OUTCOME {
			return false
		}
		if literal(step.Text) {
			return true
		}
		switch a := step.Argument; {
		case a == nil:
		case a.DocString != nil:
			return literal(a.DocString.Content)
		case a.DataTable != nil:
			// The last column is what is expected, the others say of what.
			return slices.ContainsFunc(a.DataTable.Rows, func(r *messages.PickleTableRow) bool {
				return literal(r.Cells[len(r.Cells)-1].Value)
			})
		}
		return false
	})
}

// literal reports whether a text holds a digit, a quoted text or a JSON word.
func literal(text string) bool {
	return strings.ContainsAny(text, "0123456789") || strings.Count(text, `"`) >= 2 ||
		slices.Contains([]string{"true", "false", "null", "[]", "{}"}, text)
}
