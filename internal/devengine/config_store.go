package devengine

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Events of the configuration worker. The last one is never sent: entries are
// not removed while the engine runs.
const (
	changeRegistered = "configuration:registered"
	changeUpdated    = "configuration:updated"
	changeDeleted    = "configuration:deleted"
)

// entry is one configuration. It is replaced, never changed.
type entry struct {
	id, name, description string
	value                 []byte // as it was given, with its ${VAR}; "null" when there is none
	metadata              []byte // nil when absent
	schema                []byte // nil until registered in this life of the engine

	// compiled is the schema, or why it is none; nil both when schema is nil.
	compiled *jsonschema.Schema
	broken   error
}

// configStore is the configuration worker's data.
type configStore struct {
	// fixed at creation
	dir    string
	getenv func(string) (string, bool)
	log    *slog.Logger

	mu      sync.Mutex // held over writing a file: the order of values is the order of files
	entries map[string]*entry
}

func newConfigStore(dir string, getenv func(string) (string, bool), log *slog.Logger) *configStore {
	return &configStore{dir: dir, getenv: getenv, log: log, entries: map[string]*entry{}}
}

// load begins a life of the engine: values come from the directory, or from
// before when there is none; schemas are forgotten. A file that cannot be read
// is left out with a warning.
func (s *configStore) load() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.dir == "" {
		for id, old := range s.entries {
			s.entries[id] = &entry{id: old.id, name: old.name, description: old.description, value: old.value, metadata: old.metadata}
		}
		return nil
	}
	if err := os.MkdirAll(s.dir, 0o755); err != nil {
		return fmt.Errorf("making the configuration directory: %w", err)
	}
	files, err := filepath.Glob(filepath.Join(escapeGlob(s.dir), "*.yaml"))
	if err != nil {
		return fmt.Errorf("listing the configuration directory: %w", err)
	}
	s.entries = map[string]*entry{}
	for _, path := range files {
		id := strings.TrimSuffix(filepath.Base(path), ".yaml")
		if !idPattern.MatchString(id) {
			continue
		}
		text, err := os.ReadFile(path)
		if err == nil {
			var e *entry
			if e, err = readEntry(id, text); err == nil {
				s.entries[id] = e
				continue
			}
		}
		s.log.Warn("configuration file left out", "file", path, "error", err)
	}
	return nil
}

// escapeGlob makes a directory name stand for itself in a pattern.
func escapeGlob(dir string) string {
	return regexp.MustCompile(`[*?\[\\]`).ReplaceAllStringFunc(dir, func(c string) string {
		if c == `\` && filepath.Separator == '\\' {
			return c
		}
		return `\` + c
	})
}

var idPattern = regexp.MustCompile(`^[a-z0-9_-]{1,64}$`)

// get returns an entry, nil when there is none.
func (s *configStore) get(id string) *entry {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.entries[id]
}

// all lists the entries by id.
func (s *configStore) all() []*entry {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := make([]*entry, 0, len(s.entries))
	for _, e := range s.entries {
		list = append(list, e)
	}
	slices.SortFunc(list, func(a, b *entry) int { return strings.Compare(a.id, b.id) })
	return list
}

// change replaces an entry by what make returns for the present one, which is
// nil for a new id. Nothing changes when make or the writing of the file fails.
func (s *configStore) change(id string, make func(old *entry) (*entry, *fault)) (old, now *entry, bad *fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	old = s.entries[id]
	if now, bad = make(old); bad != nil {
		return nil, nil, bad
	}
	if s.dir != "" {
		if err := writeEntry(filepath.Join(s.dir, id+".yaml"), now); err != nil {
			return nil, nil, &fault{code: "ADAPTER_ERROR", message: err.Error()}
		}
	}
	s.entries[id] = now
	return old, now, nil
}

// writeEntry replaces a file in one step.
func writeEntry(path string, e *entry) error {
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*.tmp")
	if err != nil {
		return fmt.Errorf("writing a configuration: %w", err)
	}
	_, err = f.Write(e.yaml())
	if closing := f.Close(); err == nil {
		err = closing
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name())
		return fmt.Errorf("writing a configuration: %w", err)
	}
	return nil
}
