package config_test

import (
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"context-manager/config"
)

// environment is what ${…} finds in the tests.
func environment(name string) (string, bool) {
	v, ok := map[string]string{
		"TURNS": "7", "DIR": "/srv/leases", "EMPTY": "", "EVIL": "1\nreserved_pct: 99 # ${DIR}", "SPACED": " 8 ", "FLAG": "false",
	}[name]
	return v, ok
}

func TestDecodeSeed(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, yaml string
		given      string // JSON of the keys that are set
		warnings   []string
	}{
		{"a file with comments and several kinds", "# ours\ntail_turns: 3 # few\n\nallow_fallback_limits: false\nlease_dir: /a b\nestimator: 'heuristic'\n",
			`{"tail_turns":3,"allow_fallback_limits":false,"lease_dir":"/a b","estimator":"heuristic"}`, nil},
		{"an empty file sets nothing", "", `{}`, nil},
		{"a file of comments sets nothing", "# tail_turns: ${NONE}\n", `{}`, nil},
		{"null sets nothing", "null\n", `{}`, nil},
		{"a value equal to the default is set all the same", "tail_turns: 2\n", `{"tail_turns":2}`, nil},
		{"JSON is YAML", `{"tail_turns": 5.0, "reserved_pct": 1e1}`, `{"tail_turns":5,"reserved_pct":10}`, nil},
		{"integers in any spelling", "tail_turns: 5e3\nreserved_pct: 0x1F\nmin_free_tokens: 0o17\nmax_output_chars: +5\nlease_ttl_secs: 017\n",
			`{"tail_turns":5000,"reserved_pct":31,"min_free_tokens":15,"max_output_chars":5,"lease_ttl_secs":17}`, nil},
		{"a byte order mark and Windows line ends", "\ufefftail_turns: 3\r\nreserved_pct: 4\r\n", `{"tail_turns":3,"reserved_pct":4}`, nil},
		{"marks around nothing", "---\n# a\n---\n...\n", `{}`, nil},
		{"a mark behind", "--- # a\ntail_turns: 3\n---\n", `{"tail_turns":3}`, nil},
		{"a directive and document marks", "%YAML 1.2\n---\ntail_turns: 3\n...\n", `{"tail_turns":3}`, nil},
		{"a home directory stays as it is written", "lease_dir: ~/x\n", `{"lease_dir":"~/x"}`, nil},
		{"a variable in a plain value may be a number", "tail_turns: ${TURNS}\nallow_fallback_limits: ${FLAG}\n",
			`{"tail_turns":7,"allow_fallback_limits":false}`, nil},
		{"a variable inside a text", "lease_dir: ${DIR}/x/${TURNS}\n", `{"lease_dir":"/srv/leases/x/7"}`, nil},
		{"a variable inside quotes", "lease_dir: \"${DIR}\\tx\"\n", `{"lease_dir":"/srv/leases\tx"}`, nil},
		{"spaces around a plain number do not count", "tail_turns: ${SPACED}\nreserved_pct: ${X: 9}\n", `{"tail_turns":8,"reserved_pct":9}`, nil},
		{"a default", "tail_turns: ${X:4}\nlease_dir: ${X:/a: b #c}\n", `{"tail_turns":4,"lease_dir":"/a: b #c"}`, nil},
		{"a default inside braces", "{tail_turns: ${X:4}, lease_dir: ${DIR}}\n", `{"tail_turns":4,"lease_dir":"/srv/leases"}`, nil},
		{"a default is for what is not set, not for what is empty", "lease_dir: /x${EMPTY:y}\n", `{"lease_dir":"/x"}`, nil},
		{"an empty default is a default", "lease_dir: /x${X:}\n", `{"lease_dir":"/x"}`, nil},
		{"an undefined variable is empty, with a warning", "lease_dir: /x${NONE}/${NONE2}\n", `{"lease_dir":"/x/"}`, []string{
			"c.yaml:1: lease_dir: environment variable NONE is not set and counts as empty",
			"c.yaml:1: lease_dir: environment variable NONE2 is not set and counts as empty"}},
		{"an unterminated ${ is text", "lease_dir: /x${DIR\ntail_turns: 3 # }\n", `{"lease_dir":"/x${DIR","tail_turns":3}`, nil},
		{"an empty ${} is text", "lease_dir: /x${}y${:z}\n", `{"lease_dir":"/x${}y${:z}"}`, nil},
		{"what a variable holds is not expanded again, and is no YAML", "lease_dir: /${EVIL}\n",
			`{"lease_dir":"/1\nreserved_pct: 99 # ${DIR}"}`, nil},
		{"marks of our own are no words of the file", "lease_dir: /holehole0xholex${DIR}hole\n", `{"lease_dir":"/holehole0xholex/srv/leaseshole"}`, nil},
		{"a literal block", "lease_dir: |-\n  /a${DIR}\ntail_turns: 3\n", `{"lease_dir":"/a/srv/leases","tail_turns":3}`, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, given, warnings, err := config.DecodeSeed("c.yaml", []byte(tt.yaml), environment)
			if err != nil {
				t.Fatalf("DecodeSeed: %v", err)
			}
			if !slices.Equal(warnings, tt.warnings) {
				t.Errorf("warnings = %q, want %q", warnings, tt.warnings)
			}
			var want map[string]json.RawMessage
			must(t, json.Unmarshal([]byte(tt.given), &want))
			if !maps.EqualFunc(given, want, func(a, b json.RawMessage) bool { return string(a) == string(b) }) {
				t.Errorf("given = %s, want %s", printed(given), tt.given)
			}
			settings, _, err := config.Decode([]byte(tt.given))
			if got != settings || err != nil {
				t.Errorf("settings = %s, want %s", got.Raw(), settings.Raw())
			}
		})
	}
}

func printed(v any) string {
	data, _ := json.Marshal(v)
	return string(data)
}

func TestDecodeSeed_refused(t *testing.T) {
	t.Parallel()
	const unknown = "unknown field, want one of reserved_tokens_cap, reserved_pct, tail_turns, protect_recent_tokens, min_free_tokens, " +
		"max_output_chars, lease_ttl_secs, allow_fallback_limits, summarizer_timeout_ms, lease_dir, estimator, heuristic_image_tokens"
	tests := []struct{ name, yaml, want string }{
		{"an unknown key", "tail_turns: 2\n\ntail_truns: 3\n", "c.yaml:3: tail_truns: " + unknown},
		{"a key is not expanded", "${TURNS}: 3\n", "c.yaml:1: ${TURNS}: " + unknown},
		{"a merge key", "<<: {tail_turns: 3}\n", "c.yaml:1: <<: " + unknown},
		{"a complex key", "? tail_turns\n: 3\n", "c.yaml:1: ?: " + unknown},
		{"out of range", "# a\nlease_dir: |-\n  /x\nreserved_pct: 101\n", "c.yaml:4: reserved_pct: 101 is out of range, want 0–100"},
		{"out of range by a variable", "reserved_pct: ${TURNS}${TURNS}${TURNS}\n", "c.yaml:1: reserved_pct: 777 is out of range, want 0–100"},
		{"a variable that would set another key", "tail_turns: ${EVIL}\n",
			`c.yaml:1: tail_turns: "1\nreserved_pct: 99 # ${DIR}" is not an integer, want 0–10000`},
		{"a quoted number", "tail_turns: \"3\"\n", `c.yaml:1: tail_turns: "3" is not an integer, want 0–10000`},
		{"a variable in quotes is text", "tail_turns: \"${TURNS}\"\n", `c.yaml:1: tail_turns: "7" is not an integer, want 0–10000`},
		{"a number with underscores", "tail_turns: 1_000\n", `c.yaml:1: tail_turns: "1_000" is not an integer, want 0–10000`},
		{"two signs", "tail_turns: -+5\n", `c.yaml:1: tail_turns: "-+5" is not an integer, want 0–10000`},
		{"not a number", "tail_turns: .nan\n", `c.yaml:1: tail_turns: ".nan" is not an integer, want 0–10000`},
		{"no value", "reserved_pct: 3\ntail_turns:\n", "c.yaml:2: tail_turns: null is not an integer, want 0–10000"},
		{"an undefined variable alone", "tail_turns: ${NONE}\n", "c.yaml:1: tail_turns: null is not an integer, want 0–10000"},
		{"a bare tilde is null", "lease_dir: ~\n", "c.yaml:1: lease_dir: null is not a string, want an absolute path or one that begins with ~/"},
		{"yes is no boolean", "allow_fallback_limits: yes\n", `c.yaml:1: allow_fallback_limits: "yes" is not a boolean, want true or false`},
		{"a list", "tail_turns: [1]\n", "c.yaml:1: tail_turns: a list is not an integer, want 0–10000"},
		{"a mapping", "tail_turns:\n  a: 1\n", "c.yaml:1: tail_turns: a mapping is not an integer, want 0–10000"},
		{"an anchor", "tail_turns: &a 5\n", "c.yaml:1: tail_turns: an alias, anchor or tag is not an integer, want 0–10000"},
		{"a tag", "tail_turns: !!int 5\n", "c.yaml:1: tail_turns: an alias, anchor or tag is not an integer, want 0–10000"},
		{"a key set twice", "tail_turns: 1\nreserved_pct: 1\ntail_turns: 2\n", "c.yaml:3: tail_turns: 2 is its second value, want one"},
		{"a list of everything", "- tail_turns\n", "c.yaml:1: settings: a list is not a mapping, want key: value lines"},
		{"a text", "\n\njust words\n", `c.yaml:3: settings: "just words" is not a mapping, want key: value lines`},
		{"two documents", "tail_turns: 1\n---\ntail_turns: 2\n", "c.yaml:3: it begins a second document"},
		{"a second document after an empty one", "---\n---\nreserved_pct: 20\n", "c.yaml:3: it begins a second document"},
		{"a third document after an empty one", "tail_turns: 1\n---\n# x\n---\ntail_truns: 4\n", "c.yaml:5: it begins a second document"},
		{"a second document without a mark", "tail_turns: 1\n...\ntail_turns: 2\n", "c.yaml:3: it begins a second document"},
		{"comments that end as on Windows", "# a\r\n\r\nreserved_pct: 3 # b\r\n# c\r\ntail_turns: x\r\n", `c.yaml:5: tail_turns: "x" is not an integer, want 0–10000`},
		{"a bracket that stays open", "tail_turns: 1\nreserved_pct: [${TURNS}\n", "c.yaml:2: sequence end token ']' not found"},
		{"invalid UTF-8", "tail_turns: 1\nlease_dir: /\xff\n", "c.yaml:2: invalid UTF-8"},
		{"a long file", strings.Repeat("#", 16<<10+1), "c.yaml: the file is longer than 16384 bytes"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, given, _, err := config.DecodeSeed("c.yaml", []byte(tt.yaml), environment)
			var place *config.FileError
			if !errors.As(err, &place) || err.Error() != tt.want {
				t.Errorf("DecodeSeed:\n got %v\nwant %s", err, tt.want)
			}
			if got != config.Default() || given != nil {
				t.Errorf("DecodeSeed = %s, %v, want the defaults and nothing given", got.Raw(), given)
			}
		})
	}
}

func TestDecodeSeed_warnsBesideAnError(t *testing.T) {
	t.Parallel()
	_, _, warnings, err := config.DecodeSeed("c.yaml", []byte("tail_turns: ${NONE}\n"), nil)
	if err == nil || len(warnings) != 1 || !strings.Contains(warnings[0], "NONE") {
		t.Errorf("DecodeSeed = %q, %v, want an error and a warning that explains it", warnings, err)
	}
}

func TestReadSeed(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "c.yaml")
	if _, err := config.ReadSeed(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("ReadSeed of no file = %v, want fs.ErrNotExist", err)
	}
	put(t, path, "tail_turns: 3\n")
	must(t, os.Symlink(path, path+".link"))
	if got, err := config.ReadSeed(path + ".link"); string(got) != "tail_turns: 3\n" || err != nil {
		t.Errorf("ReadSeed = %q, %v, want the file behind the link", got, err)
	}
	put(t, path, strings.Repeat("#", 16<<10))
	if got, err := config.ReadSeed(path); len(got) != 16<<10 || err != nil {
		t.Errorf("ReadSeed = %d bytes, %v, want 16 KiB", len(got), err)
	}
	put(t, path, strings.Repeat("#", 16<<10+1))
	var place *config.FileError
	if _, err := config.ReadSeed(path); !errors.As(err, &place) {
		t.Errorf("ReadSeed of a long file = %v, want a *FileError", err)
	}
	for _, odd := range []string{dir, os.DevNull} {
		if _, err := config.ReadSeed(odd); !errors.As(err, &place) {
			t.Errorf("ReadSeed of %s = %v, want a *FileError", odd, err)
		}
	}
}

// What is given, and only that, differs from the defaults, lies in range, and
// prints back as the same settings.
func FuzzDecodeSeed(f *testing.F) {
	for _, seed := range []string{
		"", "tail_turns: 3\n", "tail_turns: ${TURNS}\nlease_dir: \"${DIR:x}\"", "{a: [}", "? a\n: b\n", "a: &a [*a]\n", "%YAML 1.2\n---\n---\n",
		"lease_dir: |\n /x${DIR}\n", "lease_dir: >-\n  /x\n\n  y\n", "\ufeffestimator: fitted\r\n", "!!map {tail_turns: 0o7}", "<<: {}", "- - -", "hole0x: ${X}",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 2048 {
			return // the parser is quadratic in nesting, which the size limit bounds
		}
		s, given, _, err := config.DecodeSeed("c.yaml", data, environment)
		if err != nil {
			var place *config.FileError
			if s != config.Default() || given != nil || !errors.As(err, &place) || !strings.HasPrefix(err.Error(), "c.yaml:") {
				t.Errorf("DecodeSeed = %s, %v, %v, want the defaults and a *FileError", s.Raw(), given, err)
			}
			return
		}
		wantPrintsBack(t, s)
		again, warnings, err := config.Decode([]byte(printed(given)))
		if again != s || len(warnings) != 0 || err != nil {
			t.Errorf("given %s makes %s, %q, %v, want %s", printed(given), again.Raw(), warnings, err, s.Raw())
		}
	})
}

// The worst nesting that fits is refused or read before anybody loses patience.
// No time is asserted: with a limit four times as high this would be felt.
func TestDecodeSeed_nesting(t *testing.T) {
	t.Parallel()
	for _, unit := range []string{"[", "{a: ", "- "} {
		deadline := time.AfterFunc(time.Minute, func() { panic("the YAML parser does not end") })
		if _, _, _, err := config.DecodeSeed("c.yaml", []byte(strings.Repeat(unit, 16<<10/len(unit))), nil); err == nil {
			t.Errorf("nesting of %q was accepted, want an error", unit)
		}
		deadline.Stop()
	}
}
