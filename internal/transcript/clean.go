package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
)

// cleaner takes out of outputs what belongs to the machine and not to the story.
type cleaner struct {
	places    *strings.Replacer
	forbidden []string
}

// newCleaner returns the cleaner of a clone in dir.
func newCleaner(dir string) (cleaner, error) {
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return cleaner{}, err
	}
	goroot, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return cleaner{}, fmt.Errorf("asking for GOROOT: %w", err)
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return cleaner{}, err
	}
	return cleanerOf(dir, real, strings.TrimSpace(string(goroot)), home), nil
}

func cleanerOf(dir, real, goroot, home string) cleaner {
	return cleaner{
		places:    strings.NewReplacer(dir, "/repo", real, "/repo", goroot, "/go", home+"/", "~/"),
		forbidden: []string{filepath.Dir(dir), filepath.Dir(real), home + "/"},
	}
}

// timing is how go test spells durations, cachedTest what it says instead.
var (
	timing     = regexp.MustCompile(`\b\d+\.\d+s\b`)
	cachedTest = regexp.MustCompile(`\(cached\)`)
)

// text cleans one output; timed says that it holds durations of tests.
func (c cleaner) text(s string, timed bool) (string, error) {
	s = c.places.Replace(s)
	if timed {
		s = timing.ReplaceAllString(s, "0.00s")
		s = cachedTest.ReplaceAllString(s, "0.00s")
	}
	s = strings.ToValidUTF8(s, "?")
	for _, f := range c.forbidden {
		if strings.Contains(s, f) {
			return "", fmt.Errorf("the output names %s", f)
		}
	}
	return s, nil
}
