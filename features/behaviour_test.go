package features_test

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"context-manager/internal/contract"
)

// groups are the rows of docs/behaviour.md by their letter: numbered from 1
// without a gap, so that none is lost by an edit. N is open.
var groups = map[string]int{
	"C": 17, "E": 8, "M": 19, "T": 8, "P": 14, "S": 12, "K": 19, "L": 14, "A": 31, "R": 9, "Z": 8, "F": 7, "X": 8,
}

// row is one row of the page.
type row struct {
	status string
	units  []string // Go tests it names
}

var (
	rowLine  = regexp.MustCompile(`^\| ([A-Z]\d+) \| (.+) \| (.+) \| (.+) \|$`)
	unitList = regexp.MustCompile(`unit: (\w+(?:, \w+)*)`)
	rowTag   = regexp.MustCompile(`^@([A-Z]\d+)$`)
	testFunc = regexp.MustCompile(`(?m)^func (Test\w+)\(`)
)

func readPage(t *testing.T) map[string]row {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root(t), "docs", "behaviour.md"))
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]row{}
	for line := range strings.Lines(string(text)) {
		cells := rowLine.FindStringSubmatch(strings.TrimSpace(line))
		if cells == nil {
			continue
		}
		id, r := cells[1], row{status: cells[4]}
		if _, twice := rows[id]; twice {
			t.Errorf("row %s is there twice", id)
		}
		for _, m := range unitList.FindAllStringSubmatch(r.status, -1) {
			r.units = append(r.units, strings.Split(m[1], ", ")...)
		}
		rows[id] = r
	}
	return rows
}

func TestThePageHasEveryRow(t *testing.T) {
	t.Parallel()
	rows := readPage(t)
	for group, n := range groups {
		for i := 1; i <= n; i++ {
			if _, ok := rows[fmt.Sprint(group, i)]; !ok {
				t.Errorf("row %s%d is missing", group, i)
			}
		}
	}
	for id, r := range rows {
		if n, known := groups[id[:1]]; id[0] != 'N' && (!known || !within(id[1:], n)) {
			t.Errorf("row %s is in no group", id)
		}
		if !strings.HasPrefix(r.status, "`[1.1.0]`") && !strings.HasPrefix(r.status, "ours") && !strings.HasPrefix(r.status, "superseded: ") {
			t.Errorf("row %s: got status %q, want one of the three", id, r.status)
		}
	}
}

func within(number string, n int) bool {
	var i int
	_, err := fmt.Sscan(number, &i)
	return err == nil && 1 <= i && i <= n
}

func TestEveryRowIsHeldByAScenarioOrATest(t *testing.T) {
	t.Parallel()
	rows := readPage(t)
	tagged := map[string]bool{}
	for _, f := range readFeatures(t) {
		for _, s := range f.scenarios {
			for _, tag := range tagsOf(s) {
				tagged[strings.TrimPrefix(tag, "@")] = true
			}
		}
	}
	tests := goTests(t)
	for _, id := range slices.Sorted(maps.Keys(rows)) {
		r := rows[id]
		if !tagged[id] && len(r.units) == 0 {
			t.Errorf("row %s has no scenario tagged @%s and names no test", id, id)
		}
		for _, name := range r.units {
			if !tests[name] {
				t.Errorf("row %s names the test %s, which is nowhere in the repository", id, name)
			}
		}
	}
}

func TestEveryScenarioHoldsARowToSomething(t *testing.T) {
	t.Parallel()
	rows := readPage(t)
	for _, f := range readFeatures(t) {
		for _, s := range f.scenarios {
			at := f.name + ": " + s.Name
			ways, named := 0, false
			for _, tag := range tagsOf(s) {
				id := rowTag.FindStringSubmatch(tag)
				switch {
				case tag == "@pure", tag == "@engine":
					ways++
				case id == nil || rows[id[1]].status == "":
					t.Errorf("%s: the tag %s names no row", at, tag)
				default:
					named = named || strings.HasPrefix(s.Name, id[1]+" ")
				}
			}
			if ways != 1 {
				t.Errorf("%s: got %d of the tags @pure and @engine, want one", at, ways)
			}
			if !named {
				t.Errorf("%s: its name does not begin with a row it is tagged with", at)
			}
			if !expects(s) {
				t.Errorf("%s: no outcome has a number or a literal", at)
			}
		}
	}
}

// goTests are the names of all tests in the repository.
func goTests(t *testing.T) map[string]bool {
	t.Helper()
	names := map[string]bool{}
	err := filepath.WalkDir(root(t), func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		for _, m := range testFunc.FindAllStringSubmatch(string(text), -1) {
			names[m[1]] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

func root(t *testing.T) string {
	t.Helper()
	dir, err := contract.Root()
	if err != nil {
		t.Fatal(err)
	}
	return dir
}
