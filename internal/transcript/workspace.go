package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// workspace is a clone in which a session may do as it likes.
type workspace struct {
	temp  string // what close removes
	dir   string // the clone
	clean cleaner
}

// openWorkspace clones the repository that the working directory is in.
func openWorkspace(revision string) (*workspace, error) {
	root, err := exec.Command("git", "rev-parse", "--show-toplevel").Output()
	if err != nil {
		return nil, fmt.Errorf("finding the repository: %w", err)
	}
	temp, err := os.MkdirTemp("", "transcript-")
	if err != nil {
		return nil, err
	}
	w := &workspace{temp: temp, dir: filepath.Join(temp, "repo")}
	source := strings.TrimSpace(string(root))
	for _, args := range [][]string{
		{"clone", "-q", "--no-checkout", source, w.dir},
		{"-C", w.dir, "checkout", "-q", "--detach", revision},
	} {
		if text, err := exec.Command("git", args...).CombinedOutput(); err != nil {
			return nil, errors.Join(fmt.Errorf("cloning the repository: %w: %s", err, text), w.close())
		}
	}
	if w.clean, err = newCleaner(w.dir); err != nil {
		return nil, errors.Join(err, w.close())
	}
	return w, nil
}

func (w *workspace) close() error { return os.RemoveAll(w.temp) }

// command runs a line of shell and returns what it printed and its exit code.
func (w *workspace) command(line string) (text string, exit int, err error) {
	const most = 5 * time.Minute
	ctx, cancel := context.WithTimeout(context.Background(), most)
	defer cancel()
	c := exec.CommandContext(ctx, "sh", "-c", line)
	c.Dir = w.dir
	c.Env = append(os.Environ(), "LC_ALL=C", "TZ=UTC", "GIT_PAGER=cat", "GOFLAGS=", "NO_COLOR=1", "UPDATE_GOLDENS=")
	out, err := c.CombinedOutput()
	if failed := (*exec.ExitError)(nil); errors.As(err, &failed) && ctx.Err() == nil {
		exit, err = failed.ExitCode(), nil
	}
	if err != nil {
		return "", 0, fmt.Errorf("running %q: %w", line, err)
	}
	text, err = w.clean.text(string(out), strings.Contains(line, "go test"))
	if err != nil {
		return "", 0, fmt.Errorf("running %q: %w", line, err)
	}
	return text, exit, nil
}

// read returns a file.
func (w *workspace) read(name string) (string, error) {
	text, err := os.ReadFile(w.path(name))
	if err != nil {
		return "", err
	}
	return w.clean.text(string(text), false)
}

// edit replaces the one place in a file where old stands.
func (w *workspace) edit(name, old, text string) error {
	was, err := os.ReadFile(w.path(name))
	if err != nil {
		return err
	}
	if n := strings.Count(string(was), old); n != 1 {
		return fmt.Errorf("editing %s: %q stands there %d times, want once", name, old, n)
	}
	return w.write(name, strings.Replace(string(was), old, text, 1))
}

func (w *workspace) write(name, text string) error {
	return os.WriteFile(w.path(name), []byte(text), 0o644)
}

func (w *workspace) path(name string) string { return filepath.Join(w.dir, filepath.FromSlash(name)) }
