package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestRun(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	good, bad := filepath.Join(dir, "good.json"), filepath.Join(dir, "bad.json")
	for path, text := range map[string]string{good: `{"$schema":"s","description":"p","type":"object"}`, bad: `[`} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, tc := range []struct {
		name           string
		args           []string
		status         int
		stdout, stderr string
	}{
		{"a schema gives its skeleton and a newline", []string{good}, 0, "{\n \"$schema\": \"s\",\n \"type\": \"object\"\n}\n", ""},
		{"a file that is no JSON is named", []string{bad}, 1, "", "reading " + bad},
		{"a file that is missing is named", []string{good + "x"}, 1, "", good + "x"},
		{"no file gives the usage", nil, 2, "", usage},
		{"two files give the usage", []string{good, bad}, 2, "", usage},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			var stdout, stderr bytes.Buffer
			if got := run(tc.args, &stdout, &stderr); got != tc.status {
				t.Errorf("got status %d, want %d", got, tc.status)
			}
			if got := stdout.String(); got != tc.stdout {
				t.Errorf("got stdout %q, want %q", got, tc.stdout)
			}
			if got := stderr.String(); !strings.Contains(got, tc.stderr) || tc.stderr == "" && got != "" {
				t.Errorf("got stderr %q, want %q in it", got, tc.stderr)
			}
		})
	}
}
