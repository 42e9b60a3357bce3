package contract

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Updating says whether goldens are to be written instead of compared.
func Updating() bool { return os.Getenv("UPDATE_GOLDENS") == "1" }

// Golden compares got with a file of the goldens directory, or writes the file
// when UPDATE_GOLDENS=1.
func Golden(t testing.TB, file string, got []byte) {
	t.Helper()
	root, err := Root()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(root, "goldens", file)
	if Updating() {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatalf("writing the golden: %v", err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("reading the golden (UPDATE_GOLDENS=1 makes it): %v", err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s differs (UPDATE_GOLDENS=1 accepts), - got + want:\n%s", file, cmp.Diff(string(got), string(want)))
	}
}
