package config

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"time"

	"github.com/fsnotify/fsnotify"
)

// Watch tells what a settings file holds, now and after each change, until ctx
// ends; then it returns nil. It returns an error when watching is impossible,
// or becomes so; calling it again is safe.
//
// onChange is called on the goroutine of Watch, first with what the file holds
// when watching begins, which nobody needs to have changed, and then whenever
// that differs from what it was told last. Its arguments are those of ReadSeed:
// a file that is gone is an error that is fs.ErrNotExist, once, and its return
// is a change. It must not modify data.
//
// A change is noticed however it is made: a write in place, a rename over the
// file, another target for the file's symbolic link or for one of any directory
// on the way to it, a directory moved away or made again. debounce is how long
// Watch waits after the first sign of a change before it reads, so that a burst
// of edits is few readings; a file that is read half-written is told as it is
// and told again when it is whole. What was written last is always told in the
// end.
func Watch(ctx context.Context, path string, debounce time.Duration, onChange func(data []byte, err error)) error {
	return watch(ctx, path, func(ctx context.Context) {
		settled := time.NewTimer(debounce)
		defer settled.Stop()
		select {
		case <-settled.C:
		case <-ctx.Done():
		}
	}, onChange)
}

// watch is Watch with its wait passed in.
func watch(ctx context.Context, path string, settle func(context.Context), onChange func([]byte, error)) error {
	var told *Reading
	for {
		// Armed first and read then: a change after the reading leaves a sign, and
		// one before it is read. So nothing is lost while no watcher stands, and
		// signs themselves may be lost, doubled or late.
		w, err := arm(ctx, path)
		if w == nil {
			return err
		}
		data, err := ReadSeed(path)
		if now := (Reading{data, err}); told == nil || !now.Equal(*told) {
			told = &now
			onChange(data, err)
		}
		w.wait(ctx)
		if err := w.Close(); err != nil {
			return fmt.Errorf("ending a watch: %w", err)
		}
		settle(ctx)
		if ctx.Err() != nil {
			return nil
		}
	}
}

// Reading is what one look at a settings file gave.
type Reading struct {
	Data []byte
	Err  error
}

// Equal reports whether two looks gave the same: the same bytes, or errors that
// say the same.
func (r Reading) Equal(o Reading) bool {
	if r.Err != nil || o.Err != nil {
		return r.Err != nil && o.Err != nil && r.Err.Error() == o.Err.Error()
	}
	return bytes.Equal(r.Data, o.Data)
}

// watcher waits for the first sign that a route changes.
type watcher struct {
	*fsnotify.Watcher
	route []step
}

// arm watches every directory on the route to path. The route is read again
// when the watches stand, in case it changed before they did. Without an error
// the watcher is nil only when ctx has ended.
func arm(ctx context.Context, path string) (*watcher, error) {
	for ctx.Err() == nil {
		steps, err := route(path)
		if err != nil {
			return nil, fmt.Errorf("watching %s: %w", path, err)
		}
		notify, err := fsnotify.NewWatcher()
		if err != nil {
			return nil, fmt.Errorf("watching %s: %w", path, err)
		}
		w := &watcher{notify, steps}
		err = w.add()
		again, _ := route(path)
		still := slices.Equal(steps, again) && !errors.Is(err, fs.ErrNotExist)
		if still && err == nil {
			return w, nil
		}
		if err := errors.Join(err, w.Close()); still {
			return nil, fmt.Errorf("watching %s: %w", path, err)
		}
	}
	return nil, nil
}

// add watches from the root down, so that a directory which is replaced
// meanwhile is either watched itself or seen to be replaced. Directories that
// may be passed but not listed cannot be watched, and are rarely replaced; only
// the last, where the file is or should be, must be watched.
func (w *watcher) add() error {
	var failed error
	for _, s := range w.route {
		failed = w.Add(s.dir)
	}
	if failed == nil && len(w.route) > 0 {
		// A file that is mounted by itself is written where the directory's watch
		// does not see it. There may be no file.
		_ = w.Add(w.route[len(w.route)-1].path())
	}
	return failed
}

// wait returns when a name of the route changes, when signs may have been lost,
// and when ctx ends.
func (w *watcher) wait(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case event, ok := <-w.Events:
			if !ok || slices.ContainsFunc(w.route, func(s step) bool { return s.path() == filepath.Clean(event.Name) }) {
				return
			}
		case <-w.Errors:
			return
		}
	}
}
