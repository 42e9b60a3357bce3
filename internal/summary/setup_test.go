package summary_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"context-manager/internal/agent"
	. "context-manager/internal/agent/agenttest"
	"context-manager/internal/summary"
)

// keepAll keeps outputs whole.
const keepAll = 1 << 40

// head decodes the messages of a head.
func head(t testing.TB, list ...Message) []agent.Message {
	t.Helper()
	m, err := agent.DecodeMessages(Messages(list...))
	if err != nil {
		t.Fatalf("decoding the head: %v", err)
	}
	return m
}

// render renders messages and keeps outputs up to limit bytes.
func render(t testing.TB, limit uint64, list ...Message) string {
	t.Helper()
	return string(summary.Render(head(t, list...), summary.RenderOptions{MaxOutput: limit}))
}

// equal fails when two texts differ.
func equal(t testing.TB, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("got\n%s\nwant\n%s\n- got + want:\n%s", got, want, cmp.Diff(got, want))
	}
}

// golden compares got with a file of testdata, or writes the file when
// UPDATE_GOLDENS=1.
func golden(t *testing.T, file, got string) {
	t.Helper()
	path := filepath.Join("testdata", file)
	if os.Getenv("UPDATE_GOLDENS") == "1" {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatalf("writing the golden: %v", err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("reading the golden (UPDATE_GOLDENS=1 makes it): %v", err)
	}
	equal(t, got, string(want))
}
