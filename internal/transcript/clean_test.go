package main

import (
	"strings"
	"testing"
)

func TestCleanerTakesTheMachineOut(t *testing.T) {
	t.Parallel()
	c := cleanerOf("/var/tmp/transcript-7/repo", "/private/tmp/transcript-7/repo", "/opt/go", "/home/someone")
	tests := map[string]struct {
		text  string
		timed bool
		want  string
	}{
		"the clone becomes /repo":         {"in /var/tmp/transcript-7/repo/lease", false, "in /repo/lease"},
		"so does what its link points to": {"/private/tmp/transcript-7/repo", false, "/repo"},
		"the toolchain becomes /go":       {"/opt/go/src/fmt", false, "/go/src/fmt"},
		"the home directory becomes ~":    {"/home/someone/x", false, "~/x"},
		"durations of tests are evened":   {"ok\tp\t1.234s\n--- PASS (0.05s)", true, "ok\tp\t0.00s\n--- PASS (0.00s)"},
		"so are results from the cache":   {"ok\tp\t(cached)", true, "ok\tp\t0.00s"},
		"durations of sources stay":       {"wait 1.5s", false, "wait 1.5s"},
		"bytes that are no text go":       {"a\xffb", false, "a?b"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := c.text(tt.text, tt.timed)
			if err != nil || got != tt.want {
				t.Errorf("text(%q) = %q, %v; want %q", tt.text, got, err, tt.want)
			}
		})
	}
}

func TestCleanerRefusesWhatItCannotClean(t *testing.T) {
	t.Parallel()
	c := cleanerOf("/var/tmp/transcript-7/repo", "/var/tmp/transcript-7/repo", "/opt/go", "/home/someone")
	if got, err := c.text("/var/tmp/transcript-7/other", false); err == nil || !strings.Contains(err.Error(), "/var/tmp/transcript-7") {
		t.Errorf("text = %q, %v; want an error that names the directory", got, err)
	}
}
