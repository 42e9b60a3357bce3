package worker

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"slices"
	"sync"
	"time"

	"context-manager/config"
)

// seedFile is the settings file. At boot it fills an empty entry; afterwards
// its edits, and only those, are forwarded.
type seedFile struct {
	path string
	log  *slog.Logger

	settings config.Settings // as read at boot; the shipped ones without a file
	told     config.Reading  // what the log and the entry know of; not shared

	mu sync.Mutex
	// known are the keys of the file that the entry has been told of, seen those
	// of the file now.
	known, seen map[string]json.RawMessage
	stale       bool // seen may differ from known
}

// load reads the file at boot. A bad file is an error in the log, and the worker
// goes on without it.
func (f *seedFile) load() {
	f.settings = config.Default()
	if f.path == "" {
		return
	}
	data, err := config.ReadSeed(f.path)
	f.told = config.Reading{Data: data, Err: err}
	if err != nil {
		f.log.Error("the settings file cannot be read; going on without it", "file", f.path, "error", err)
		return
	}
	settings, given, ok := f.decode(data)
	if ok {
		f.settings, f.known, f.seen = settings, given, given
	}
}

func (f *seedFile) decode(data []byte) (config.Settings, map[string]json.RawMessage, bool) {
	settings, given, warnings, err := config.DecodeSeed(f.path, data, os.LookupEnv)
	for _, w := range warnings {
		f.log.Warn(w, "file", f.path)
	}
	if err != nil {
		f.log.Error("the settings file is bad and is not used", "error", err)
		return config.Default(), nil, false
	}
	return settings, given, true
}

// compare warns, once, of keys in the file that are stored differently: the
// stored value wins.
func (f *seedFile) compare(inForce *config.Settings) {
	var differ []string
	for _, key := range config.Diff(*inForce, f.settings) {
		if _, given := f.known[key]; given {
			differ = append(differ, key)
		}
	}
	if len(differ) > 0 {
		f.log.Warn("the stored configuration wins over the settings file", "file", f.path, "differing", differ)
	}
}

// settleTime is how long a burst of edits may go on before the file is read.
const settleTime = 100 * time.Millisecond

// watchAgain is how long to wait after watching became impossible.
const watchAgain = 30 * time.Second

// watch tells of edits until ctx ends.
func (f *seedFile) watch(ctx context.Context, changed func()) {
	for {
		err := config.Watch(ctx, f.path, settleTime, func(data []byte, err error) { f.read(data, err, changed) })
		if err == nil || ctx.Err() != nil {
			return
		}
		f.log.Error("edits of the settings file are not noticed for now", "file", f.path, "error", err)
		t := time.NewTimer(watchAgain)
		select {
		case <-ctx.Done():
			t.Stop()
			return
		case <-t.C:
		}
	}
}

func (f *seedFile) read(data []byte, err error, changed func()) {
	now := config.Reading{Data: data, Err: err}
	if now.Equal(f.told) {
		return // a watch begins with what is there, which boot has read
	}
	f.told = now
	switch {
	case errors.Is(err, fs.ErrNotExist):
		f.log.Warn("the settings file is gone; its last settings stay in force", "file", f.path)
		return
	case err != nil:
		f.log.Error("the settings file cannot be read; its last settings stay in force", "file", f.path, "error", err)
		return
	case len(bytes.TrimSpace(data)) == 0:
		// Most likely half-written. Who means "nothing" writes {}.
		f.log.Warn("the settings file is empty; its last settings stay in force", "file", f.path)
		return
	}
	if _, given, ok := f.decode(data); ok {
		f.mu.Lock()
		f.seen, f.stale = given, true
		f.mu.Unlock()
		changed()
	}
}

// waiting reports whether there are edits that the entry has not been told of.
func (f *seedFile) waiting() bool {
	_, ok := f.pending()
	return ok
}

// edits are changes of the file that the entry has not been told of.
type edits struct {
	set     map[string]json.RawMessage
	removed []string
	file    map[string]json.RawMessage // the file they lead to
}

// pending returns the edits since the last settled ones.
func (f *seedFile) pending() (edits, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.stale {
		return edits{}, false
	}
	e := edits{set: map[string]json.RawMessage{}, file: f.seen}
	for key, value := range f.seen {
		if old, ok := f.known[key]; !ok || string(old) != string(value) {
			e.set[key] = value
		}
	}
	for key := range f.known {
		if _, ok := f.seen[key]; !ok {
			e.removed = append(e.removed, key)
		}
	}
	if len(e.set)+len(e.removed) == 0 {
		f.stale = false
		return edits{}, false
	}
	return e, true
}

// settle notes that the entry has been told.
func (f *seedFile) settle(e edits) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.known = e.file
	f.stale = !maps.EqualFunc(f.known, f.seen, func(a, b json.RawMessage) bool { return string(a) == string(b) })
}

// on applies the edits to a stored value and leaves its other keys alone, those
// of newer versions too. A key that left the file goes back to its default.
func (e edits) on(stored json.RawMessage) (json.RawMessage, error) {
	value := map[string]json.RawMessage{}
	if !null(stored) {
		if err := json.Unmarshal(stored, &value); err != nil {
			value = map[string]json.RawMessage{} // a value that is no object holds nothing to keep
		}
	}
	maps.Copy(value, e.set)
	for _, key := range e.removed {
		delete(value, key)
	}
	return json.Marshal(value)
}

func (e edits) keys() []string {
	return slices.Sorted(func(yield func(string) bool) {
		for key := range e.set {
			if !yield(key) {
				return
			}
		}
		for _, key := range e.removed {
			if !yield(key) {
				return
			}
		}
	})
}
