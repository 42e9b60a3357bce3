package imports_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "context-manager"

// leaves import nothing of ours: they are contracts or could be lifted out. The
// embedded engine is one so that a mistake about the wire shows instead of
// meeting its mirror image.
var leaves = []string{"internal/agent", "internal/bus", "internal/schema", "internal/devengine", "lease"}

// allowed says what else may be imported, by package and everything below it.
var allowed = map[string][]string{
	"functions": {"config", "internal/agent", "internal/schema", "internal/summary", "internal/tokens", "internal/window"},
	"config":    {"internal/schema"},
	"worker": {"config", "functions", "lease", "internal/agent", "internal/bus", "internal/tokens",
		"internal/window"},
	"internal/window":          {"internal/agent"},
	"internal/summary":         {"internal/agent"},
	"internal/tokens":          {"internal/agent"},
	"internal/fakerouter":      {"internal/bus"},
	"internal/transcript":      {"internal/agent", "internal/tokens"},
	"internal/schema/skeleton": {"internal/schema"},
}

// outside may import anything: commands, and packages that only tests import.
var outside = []string{"cmd", "internal/contract", "internal/mutation", "features"}

// onlyForTests must not be imported by production code.
var onlyForTests = []string{"worker", "internal/devengine", "internal/fakerouter", "internal/contract", "internal/agent/agenttest"}

func TestImportDirections(t *testing.T) {
	t.Parallel()
	root := filepath.Join("..", "..")
	seen := 0
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if name := d.Name(); name == "node_modules" || name == ".git" || name == "testdata" {
				return fs.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		seen++
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		check(t, filepath.ToSlash(rel), path)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if seen < 50 {
		t.Errorf("looked at %d files, want the whole repository", seen)
	}
}

func check(t *testing.T, rel, path string) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
	if err != nil {
		t.Fatal(err)
	}
	pkg := filepath.ToSlash(filepath.Dir(rel))
	for _, spec := range file.Imports {
		name, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			t.Fatal(err)
		}
		target, ours := strings.CutPrefix(name, module+"/")
		if !ours || target == pkg {
			continue
		}
		if within(onlyForTests, target) && !within(outside, pkg) {
			t.Errorf("%s imports %s, which only commands and tests may", rel, target)
		}
		if within(outside, pkg) {
			continue
		}
		if within(leaves, pkg) && below(pkg, leafOf(pkg)) && !strings.HasPrefix(target, leafOf(pkg)) {
			if !slices.Contains(allowed[pkg], target) {
				t.Errorf("%s imports %s, but %s imports nothing of ours", rel, target, leafOf(pkg))
			}
			continue
		}
		if !within(leaves, pkg) && !within(allowed[top(pkg)], target) && !strings.HasPrefix(target, pkg+"/") {
			t.Errorf("%s imports %s; the directions allow %v", rel, target, allowed[top(pkg)])
		}
	}
}

// within reports whether a package is one of the list or stands below one.
func within(list []string, pkg string) bool {
	return slices.ContainsFunc(list, func(p string) bool { return below(pkg, p) })
}

func below(pkg, parent string) bool { return pkg == parent || strings.HasPrefix(pkg, parent+"/") }

func leafOf(pkg string) string {
	for _, l := range leaves {
		if below(pkg, l) {
			return l
		}
	}
	return ""
}

// top is the entry of the table that speaks for a package.
func top(pkg string) string {
	best := ""
	for p := range allowed {
		if below(pkg, p) && len(p) > len(best) {
			best = p
		}
	}
	return best
}
