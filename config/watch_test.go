package config_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"context-manager/config"

	"github.com/fsnotify/fsnotify"
)

func TestWatch_stories(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		story func(t *testing.T, dir string)
	}{
		{"a write in place", func(t *testing.T, dir string) {
			path := filepath.Join(dir, "c.yaml")
			put(t, path, "one")
			w := watch(t, path)
			w.first("one")
			put(t, path, "two")
			w.until("two")
			file, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
			must(t, err)
			_, err = file.WriteString(", three")
			must(t, errors.Join(err, file.Close()))
			w.until("two, three")
		}},
		{"a write to the file by another name, as where it is mounted by itself", func(t *testing.T, dir string) {
			path, other := filepath.Join(dir, "c.yaml"), filepath.Join(dir, "elsewhere", "c.yaml")
			put(t, path, "one")
			must(t, os.Mkdir(filepath.Dir(other), 0o700))
			must(t, os.Link(path, other))
			w := watch(t, path)
			w.first("one")
			put(t, other, "two")
			w.until("two")
		}},
		{"a rename over the file, again and again", func(t *testing.T, dir string) {
			path := filepath.Join(dir, "c.yaml")
			put(t, path, "0")
			w := watch(t, path)
			w.first("0")
			for i := range 5 {
				replace(t, path, fmt.Sprint("edit ", i))
				w.until(fmt.Sprint("edit ", i))
			}
		}},
		{"the file moved away and written anew", func(t *testing.T, dir string) {
			path := filepath.Join(dir, "c.yaml")
			put(t, path, "one")
			w := watch(t, path)
			w.first("one")
			must(t, os.Rename(path, path+"~"))
			put(t, path, "two")
			w.until("two")
		}},
		{"another target for the file's link, and a write to that target", func(t *testing.T, dir string) {
			path := filepath.Join(dir, "c.yaml")
			must(t, os.Mkdir(filepath.Join(dir, "elsewhere"), 0o700))
			put(t, filepath.Join(dir, "elsewhere", "a"), "one")
			put(t, filepath.Join(dir, "elsewhere", "b"), "two")
			must(t, os.Symlink("elsewhere/a", path))
			w := watch(t, path)
			w.first("one")
			relink(t, path, filepath.Join(dir, "elsewhere", "b"))
			w.until("two")
			put(t, filepath.Join(dir, "elsewhere", "b"), "three")
			w.until("three")
		}},
		{"a volume whose files are links through ..data, which is swapped", func(t *testing.T, dir string) {
			path := filepath.Join(dir, "c.yaml")
			for _, version := range []string{"..1", "..2", "..3"} {
				must(t, os.Mkdir(filepath.Join(dir, version), 0o700))
				put(t, filepath.Join(dir, version, "c.yaml"), "from "+version)
			}
			must(t, os.Symlink("..1", filepath.Join(dir, "..data")))
			must(t, os.Symlink("..data/c.yaml", path))
			w := watch(t, path)
			w.first("from ..1")
			// With the old version left in place, and with it removed.
			relink(t, filepath.Join(dir, "..data"), "..2")
			w.until("from ..2")
			relink(t, filepath.Join(dir, "..data"), "..3")
			must(t, os.RemoveAll(filepath.Join(dir, "..2")))
			w.until("from ..3")
		}},
		{"another target for a link that the link's target passes through", func(t *testing.T, dir string) {
			for _, release := range []string{"r1", "r2"} {
				must(t, os.MkdirAll(filepath.Join(dir, "srv", release), 0o700))
				put(t, filepath.Join(dir, "srv", release, "c.yaml"), "from "+release)
			}
			must(t, os.Symlink("r1", filepath.Join(dir, "srv", "current")))
			must(t, os.Mkdir(filepath.Join(dir, "etc"), 0o700))
			path := filepath.Join(dir, "etc", "c.yaml")
			must(t, os.Symlink("../srv/./current/c.yaml", path))
			w := watch(t, path)
			w.first("from r1")
			relink(t, filepath.Join(dir, "srv", "current"), "r2")
			w.until("from r2")
		}},
		{"another target for a directory on the way", func(t *testing.T, dir string) {
			for _, release := range []string{"r1", "r2"} {
				must(t, os.MkdirAll(filepath.Join(dir, release, "etc"), 0o700))
				put(t, filepath.Join(dir, release, "etc", "c.yaml"), "from "+release)
			}
			must(t, os.Symlink("r1", filepath.Join(dir, "current")))
			w := watch(t, filepath.Join(dir, "current", "etc", "c.yaml"))
			w.first("from r1")
			relink(t, filepath.Join(dir, "current"), "r2")
			w.until("from r2")
			put(t, filepath.Join(dir, "r2", "etc", "c.yaml"), "edited")
			w.until("edited")
		}},
		{"a directory on the way moved away, another put in its place", func(t *testing.T, dir string) {
			at := filepath.Join(dir, "a", "b")
			must(t, os.MkdirAll(at, 0o700))
			must(t, os.MkdirAll(filepath.Join(dir, "new", "b"), 0o700))
			put(t, filepath.Join(at, "c.yaml"), "old")
			put(t, filepath.Join(dir, "new", "b", "c.yaml"), "new")
			w := watch(t, filepath.Join(at, "c.yaml"))
			w.first("old")
			must(t, os.Rename(filepath.Join(dir, "a"), filepath.Join(dir, "before")))
			w.untilGone()
			must(t, os.Rename(filepath.Join(dir, "new"), filepath.Join(dir, "a")))
			w.until("new")
		}},
		{"a file read half-written is told again when it is whole", func(t *testing.T, dir string) {
			path := filepath.Join(dir, "c.yaml")
			put(t, path, "tail_turns: 2\n")
			w := watch(t, path)
			w.first("tail_turns: 2\n")
			file, err := os.OpenFile(path, os.O_WRONLY|os.O_TRUNC, 0)
			must(t, err)
			defer file.Close()
			_, err = file.WriteString("tail_tur")
			must(t, err)
			w.until("tail_tur")
			_, err = file.WriteString("ns: 3\n")
			must(t, err)
			w.until("tail_turns: 3\n")
		}},
		{"the file disappears and comes back", func(t *testing.T, dir string) {
			path := filepath.Join(dir, "c.yaml")
			put(t, path, "one")
			w := watch(t, path)
			w.first("one")
			must(t, os.Remove(path))
			w.untilGone()
			put(t, path, "one")
			w.until("one")
		}},
		{"its directory disappears and comes back", func(t *testing.T, dir string) {
			at := filepath.Join(dir, "a", "b")
			path := filepath.Join(at, "c.yaml")
			must(t, os.MkdirAll(at, 0o700))
			put(t, path, "one")
			w := watch(t, path)
			w.first("one")
			must(t, os.RemoveAll(filepath.Join(dir, "a")))
			w.untilGone()
			must(t, os.MkdirAll(at, 0o700))
			put(t, path, "two")
			w.until("two")
		}},
		{"a file that was never there, in directories that were never there", func(t *testing.T, dir string) {
			path := filepath.Join(dir, "a", "b", "c.yaml")
			w := watch(t, path)
			w.untilGone()
			must(t, os.MkdirAll(filepath.Dir(path), 0o700))
			put(t, path, "one")
			w.until("one")
		}},
		{"a link that leads nowhere, in a circle, and home", func(t *testing.T, dir string) {
			path := filepath.Join(dir, "c.yaml")
			must(t, os.Symlink("nowhere", path))
			w := watch(t, path)
			w.untilGone()
			relink(t, path, "c.yaml")
			if r := w.next(); r.err == nil || errors.Is(r.err, fs.ErrNotExist) {
				t.Errorf("a circle was reported as %q, %v, want an error about links", r.data, r.err)
			}
			replace(t, path, "one")
			w.until("one")
		}},
		{"a directory in place of the file", func(t *testing.T, dir string) {
			path := filepath.Join(dir, "c.yaml")
			must(t, os.Mkdir(path, 0o700))
			w := watch(t, path)
			if r := w.next(); r.err == nil {
				t.Errorf("a directory was reported as %q, want an error", r.data)
			}
			must(t, os.Remove(path))
			w.untilGone()
			put(t, path, "one")
			w.until("one")
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir, err := filepath.EvalSymlinks(t.TempDir())
			must(t, err)
			tt.story(t, dir)
		})
	}
}

// Twenty edits, as fast as they can be made: the last one is in force.
func TestWatch_lastEditWins(t *testing.T) {
	t.Parallel()
	for name, edit := range map[string]func(t *testing.T, path, content string){"in place": put, "by rename": replace} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "c.yaml")
			put(t, path, "edit 0")
			w := watch(t, path)
			w.first("edit 0")
			for i := range 20 {
				edit(t, path, fmt.Sprint("edit ", i+1))
			}
			w.until("edit 20")
			// Nothing that is older comes after it.
			if rest := w.stop(); len(rest) != 0 {
				t.Errorf("reports after the last edit: %v, want none", rest)
			}
		})
	}
}

// stepped is a watch whose waits last until they are ended.
type stepped struct {
	*watched
	waiting, goOn chan struct{}
}

func watchStepped(t *testing.T, path string) stepped {
	t.Helper()
	s := stepped{waiting: make(chan struct{}), goOn: make(chan struct{})}
	s.watched = start(t, path, func(ctx context.Context, onChange func([]byte, error)) error {
		return config.WatchSettling(ctx, path, func(ctx context.Context) {
			select {
			case s.waiting <- struct{}{}:
				<-s.goOn
			case <-ctx.Done():
			}
		}, onChange)
	})
	return s
}

// Edits within one wait are one report.
func TestWatch_debounce(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "c.yaml")
	put(t, path, "edit 0")
	w := watchStepped(t, path)
	w.first("edit 0")
	replace(t, path, "edit 1")
	<-w.waiting
	for i := 2; i <= 20; i++ {
		replace(t, path, fmt.Sprint("edit ", i))
	}
	w.goOn <- struct{}{}
	if r := w.next(); r.data != "edit 20" {
		t.Errorf("report = %q, %v, want only the last edit", r.data, r.err)
	}
}

// An edit that changes nothing is noticed and not reported.
func TestWatch_sameContent(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "c.yaml")
	put(t, path, "one")
	w := watchStepped(t, path)
	w.first("one")
	replace(t, path, "one")
	<-w.waiting
	w.goOn <- struct{}{}
	// A second wait means that the file was read between the two. An edit that
	// comes before that reading makes no wait of its own, so there are several.
	for noticed := false; !noticed; {
		replace(t, path, "one")
		select {
		case <-w.waiting:
			noticed = true
		case <-time.After(time.Millisecond):
		}
	}
	replace(t, path, "two")
	w.goOn <- struct{}{}
	if r := w.next(); r.data != "two" {
		t.Errorf("report = %q, %v, want the one change", r.data, r.err)
	}
}

// What happens to other files in the directories on the way is not even read.
func TestWatch_otherFiles(t *testing.T) {
	t.Parallel()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	path := filepath.Join(dir, "c.yaml")
	events, errs, done := make(chan fsnotify.Event), make(chan error), make(chan struct{})
	go func() {
		defer close(done)
		config.WaitOn(context.Background(), &fsnotify.Watcher{Events: events, Errors: errs}, path)
	}()
	for _, other := range []string{"other", "c.yaml.new", "c.yaml~", "", "../c.yaml"} {
		select {
		case events <- fsnotify.Event{Name: filepath.Join(dir, other) + "x", Op: fsnotify.Create}:
		case <-done:
			t.Fatalf("the wait ended before %q, want it to end with the file", other)
		}
	}
	events <- fsnotify.Event{Name: path, Op: fsnotify.Chmod}
	<-done
}

// When signs may have been lost the file is read.
func TestWatch_lostSigns(t *testing.T) {
	t.Parallel()
	errs := make(chan error, 1)
	errs <- fsnotify.ErrEventOverflow
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	config.WaitOn(ctx, &fsnotify.Watcher{Errors: errs}, filepath.Join(t.TempDir(), "c.yaml"))
	if ctx.Err() != nil {
		t.Error("the wait went on, want it to end")
	}
}

// A volume that changes while the watch finds its way neither ends the watch
// nor hides the last version.
func TestWatch_swapStorm(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	data, path := filepath.Join(dir, "..data"), filepath.Join(dir, "c.yaml")
	version := func(n int) string {
		name := fmt.Sprint("..", n)
		must(t, os.Mkdir(filepath.Join(dir, name), 0o700))
		put(t, filepath.Join(dir, name, "c.yaml"), fmt.Sprint("version ", n))
		return name
	}
	last := version(0)
	must(t, os.Symlink(last, data))
	must(t, os.Symlink("..data/c.yaml", path))
	w := watchNow(t, path)
	w.first("version 0")
	const swaps = 300
	for n := 1; n <= swaps; n++ {
		next := version(n)
		relink(t, data, next)
		must(t, os.RemoveAll(filepath.Join(dir, last)))
		last = next
	}
	w.until(fmt.Sprint("version ", swaps))
}

func TestWatch_endedBefore(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	err := config.Watch(ctx, filepath.Join(t.TempDir(), "c.yaml"), time.Hour, func([]byte, error) {
		t.Error("a watch that had ended reported")
	})
	if err != nil {
		t.Errorf("Watch = %v, want nil", err)
	}
}

// The wait ends with the context, however long it is.
func TestWatch_endsWhileWaiting(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "c.yaml")
	put(t, path, "one")
	w := start(t, path, func(ctx context.Context, onChange func([]byte, error)) error {
		return config.Watch(ctx, path, 24*time.Hour, onChange)
	})
	w.first("one")
	replace(t, path, "two")
	if rest := w.stop(); len(rest) != 0 {
		t.Errorf("reports = %v, want none", rest)
	}
}
