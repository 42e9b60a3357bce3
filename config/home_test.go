package config_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"context-manager/config"
)

func TestExpandHome(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	home := func() (string, error) { return dir, nil }
	for path, want := range map[string]string{
		"~": dir, "~/": dir, "~/a/../b": filepath.Join(dir, "b"), "~//a": filepath.Join(dir, "a"),
		dir + "/x/": filepath.Join(dir, "x"), dir + "/~": filepath.Join(dir, "~"),
		"": "", "a": "", "./~": "", "~bob": "", "~bob/a": "", "~~": "",
	} {
		got, err := config.ExpandHomeOf(path, home)
		if got != want || (err == nil) != (want != "") {
			t.Errorf("ExpandHome(%q) = %q, %v, want %q", path, got, err, want)
		}
	}
}

func TestExpandHome_noHome(t *testing.T) {
	t.Parallel()
	none := errors.New("no home")
	if got, err := config.ExpandHomeOf("~/a", func() (string, error) { return "", none }); got != "" || !errors.Is(err, none) {
		t.Errorf("ExpandHome = %q, %v, want the reason", got, err)
	}
	if got, err := config.ExpandHomeOf("~/a", func() (string, error) { return "relative", nil }); got != "" || err == nil {
		t.Errorf("ExpandHome = %q, %v, want an error about a relative home", got, err)
	}
	if got, err := config.ExpandHomeOf("/a", func() (string, error) { return "", none }); got != filepath.FromSlash("/a") || err != nil {
		t.Errorf("ExpandHome(/a) = %q, %v, want it without a home", got, err)
	}
}

func TestExpandHome_ofThisProcess(t *testing.T) {
	t.Parallel()
	home, err := os.UserHomeDir()
	must(t, err)
	if got, err := config.ExpandHome("~/a"); got != filepath.Join(home, "a") || err != nil {
		t.Errorf("ExpandHome = %q, %v, want %q", got, err, filepath.Join(home, "a"))
	}
}
