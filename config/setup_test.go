package config_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"testing"
	"time"

	"context-manager/config"
)

// report is one call of onChange.
type report struct {
	data string
	err  error
}

// watched is a running Watch.
type watched struct {
	t       *testing.T
	reports chan report
	stop    func() []report // ends the watch and returns the reports not yet taken
}

// start watches path. Reports wait in a channel until they are taken.
func start(t *testing.T, path string, watch func(context.Context, func([]byte, error)) error) *watched {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	w := &watched{t: t, reports: make(chan report, 1000)}
	done := make(chan error, 1)
	go func() {
		done <- watch(ctx, func(data []byte, err error) { w.reports <- report{string(data), err} })
		close(w.reports)
	}()
	stopped := false
	w.stop = func() (rest []report) {
		cancel()
		for r := range w.reports {
			rest = append(rest, r)
		}
		if !stopped {
			stopped = true
			if err := <-done; err != nil {
				t.Errorf("Watch(%s) = %v, want nil", path, err)
			}
		}
		return rest
	}
	t.Cleanup(func() { w.stop() })
	return w
}

func watch(t *testing.T, path string) *watched {
	t.Helper()
	return start(t, path, func(ctx context.Context, onChange func([]byte, error)) error {
		return config.Watch(ctx, path, time.Millisecond, onChange)
	})
}

// watchNow watches without a wait before a reading.
func watchNow(t *testing.T, path string) *watched {
	t.Helper()
	return start(t, path, func(ctx context.Context, onChange func([]byte, error)) error {
		return config.Watch(ctx, path, 0, onChange)
	})
}

// next takes one report.
func (w *watched) next() report {
	w.t.Helper()
	select {
	case r, ok := <-w.reports:
		if !ok {
			w.t.Fatal("the watch has ended")
		}
		return r
	case <-time.After(2 * time.Minute): // only a broken watch comes here
		w.t.Fatal("no report")
		return report{}
	}
}

// first takes the report about what is there when watching begins.
func (w *watched) first(want string) {
	w.t.Helper()
	if r := w.next(); r.err != nil || r.data != want {
		w.t.Fatalf("first report = %q, %v, want %q", r.data, r.err, want)
	}
}

// until takes reports up to one with the data that is wanted. Halves and gaps
// may come before.
func (w *watched) until(want string) {
	w.t.Helper()
	for {
		if r := w.next(); r.err == nil && r.data == want {
			return
		}
	}
}

// untilGone takes reports up to one that there is no file.
func (w *watched) untilGone() {
	w.t.Helper()
	for {
		if r := w.next(); errors.Is(r.err, fs.ErrNotExist) {
			return
		}
	}
}

// must fails the test when a step of a story fails.
func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func put(t *testing.T, path, content string) {
	t.Helper()
	must(t, os.WriteFile(path, []byte(content), 0o600))
}

// replace writes beside the file and renames over it, as careful editors do.
func replace(t *testing.T, path, content string) {
	t.Helper()
	put(t, path+".new", content)
	must(t, os.Rename(path+".new", path))
}

// relink gives a symbolic link another target in one step.
func relink(t *testing.T, link, target string) {
	t.Helper()
	must(t, os.Symlink(target, link+".new"))
	must(t, os.Rename(link+".new", link))
}
