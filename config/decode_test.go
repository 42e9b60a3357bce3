package config_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"context-manager/config"
)

func TestDefault(t *testing.T) {
	t.Parallel()
	got := string(config.Default().Raw())
	want := `{"reserved_tokens_cap":20000,"reserved_pct":10,"tail_turns":2,"protect_recent_tokens":40000,` +
		`"min_free_tokens":20000,"max_output_chars":2000,"lease_ttl_secs":300,"allow_fallback_limits":true,` +
		`"summarizer_timeout_ms":320000,"lease_dir":"~/.iii/data/context-manager","estimator":"auto","heuristic_image_tokens":0}`
	if got != want {
		t.Errorf("Default() = %s, want %s", got, want)
	}
}

func TestDecode_defaults(t *testing.T) {
	t.Parallel()
	for _, stored := range []string{"", " \n", "null", " null ", "{}", "{ }\n"} {
		got, warnings, err := config.Decode([]byte(stored))
		if got != config.Default() || len(warnings) != 0 || err != nil {
			t.Errorf("Decode(%q) = %s, %v, %v, want the defaults", stored, got.Raw(), warnings, err)
		}
	}
}

func TestDecode_everyKey(t *testing.T) {
	t.Parallel()
	stored := `{"reserved_tokens_cap":1,"reserved_pct":2,"tail_turns":3,"protect_recent_tokens":4,"min_free_tokens":5,` +
		`"max_output_chars":6,"lease_ttl_secs":7,"allow_fallback_limits":false,"summarizer_timeout_ms":8,"lease_dir":"/ä<&>",` +
		`"estimator":"fitted","heuristic_image_tokens":9}`
	want := config.Settings{
		ReservedTokensCap: 1, ReservedPct: 2, TailTurns: 3, ProtectRecentTokens: 4, MinFreeTokens: 5, MaxOutputChars: 6,
		LeaseTTLSecs: 7, SummarizerTimeoutMS: 8, LeaseDir: "/ä<&>", Estimator: "fitted", HeuristicImageTokens: 9,
	}
	got, warnings, err := config.Decode([]byte(stored))
	if got != want || len(warnings) != 0 || err != nil {
		t.Errorf("Decode = %+v, %v, %v, want %+v", got, warnings, err, want)
	}
	if raw := string(got.Raw()); raw != stored {
		t.Errorf("Raw() = %s, want %s", raw, stored)
	}
	var keys []string
	for _, l := range config.Limits() {
		keys = append(keys, l.Key)
	}
	if diff := config.Diff(got, config.Default()); !slices.Equal(diff, keys) {
		t.Errorf("Diff = %q, want every key: %q", diff, keys)
	}
	if diff := config.Diff(got, want); len(diff) != 0 {
		t.Errorf("Diff of equals = %q, want none", diff)
	}
}

func TestDecode_integers(t *testing.T) {
	t.Parallel()
	for spelled, want := range map[string]uint64{
		"5": 5, "5.0": 5, "5.000": 5, "5e0": 5, "5e3": 5000, "5E+3": 5000, "0.5e1": 5, "50e-1": 5, "0.0005E4": 5, "1000000e-6": 1,
		"0": 0, "-0": 0, "-0.0e9": 0, "0e999999999999": 0, "0.1e1": 1, "100e-2": 1,
	} {
		got, _, err := config.Decode([]byte(`{"tail_turns":` + spelled + `}`))
		if got.TailTurns != want || err != nil {
			t.Errorf("%s = %d, %v, want %d", spelled, got.TailTurns, err, want)
		}
	}
}

func TestDecode_refused(t *testing.T) {
	t.Parallel()
	const turns = ", want 0–10000"
	tests := []struct{ stored, want string }{
		{`{"reserved_pct":101}`, `reserved_pct: 101 is out of range, want 0–100`},
		{`{"tail_turns":-1}`, `tail_turns: -1 is out of range` + turns},
		{`{"tail_turns":1.5}`, `tail_turns: 1.5 is not an integer` + turns},
		{`{"tail_turns":1e-1}`, `tail_turns: 1e-1 is not an integer` + turns},
		{`{"tail_turns":5.0000000000000000000001}`, `tail_turns: 5.0000000000000000000001 is not an integer` + turns},
		{`{"tail_turns":1e-999999999999}`, `tail_turns: 1e-999999999999 is not an integer` + turns},
		{`{"tail_turns":1e999999999999}`, `tail_turns: 1e999999999999 is out of range` + turns},
		{`{"tail_turns":18446744073709551616}`, `tail_turns: 18446744073709551616 is out of range` + turns},
		{`{"tail_turns":18446744073709551618e0}`, `tail_turns: 18446744073709551618e0 is out of range` + turns},
		{`{"tail_turns":"2"}`, `tail_turns: "2" is not an integer` + turns},
		{`{"tail_turns":null}`, `tail_turns: null is not an integer` + turns},
		{`{"tail_turns": [2] }`, `tail_turns: a list is not an integer` + turns},
		{`{"tail_turns":{}}`, `tail_turns: an object is not an integer` + turns},
		{`{"lease_ttl_secs":0}`, `lease_ttl_secs: 0 is out of range, want 1–86400`},
		{`{"lease_ttl_secs":86401}`, `lease_ttl_secs: 86401 is out of range, want 1–86400`},
		{`{"allow_fallback_limits":0}`, `allow_fallback_limits: 0 is not a boolean, want true or false`},
		{`{"allow_fallback_limits":"true"}`, `allow_fallback_limits: "true" is not a boolean, want true or false`},
		{`{"estimator":"exact"}`, `estimator: "exact" is unknown, want one of auto, heuristic, fitted`},
		{`{"estimator":1}`, `estimator: 1 is not a string, want one of auto, heuristic, fitted`},
		{`{"lease_dir":"data"}`, `lease_dir: "data" is not absolute, want an absolute path or one that begins with ~/`},
		{`{"lease_dir":""}`, `lease_dir: "" is not absolute, want an absolute path or one that begins with ~/`},
		{`{"lease_dir":"~bob/data"}`, `lease_dir: "~bob/data" is not absolute, want an absolute path or one that begins with ~/`},
		{`{"lease_dir":true}`, `lease_dir: true is not a string, want an absolute path or one that begins with ~/`},
		{`{"tail_turns":1,"tail_turns":2}`, `tail_turns: 2 is its second value, want one`},
		{`{"tail_turns":1,"reserved_pct":101,"estimator":0}`, `reserved_pct: 101 is out of range, want 0–100`},
		{`[]`, `settings: a list is not an object, want an object or null`},
		{`"x"`, `settings: "x" is not an object, want an object or null`},
		{` 7`, `settings: 7 is not an object, want an object or null`},
		{`{"lease_dir":"` + strings.Repeat("ä", 100) + `"}`,
			`lease_dir: "` + strings.Repeat("ä", 32) + `…" is not absolute, want an absolute path or one that begins with ~/`},
	}
	for _, tt := range tests {
		got, _, err := config.Decode([]byte(tt.stored))
		var field *config.FieldError
		if !errors.As(err, &field) || err.Error() != tt.want {
			t.Errorf("Decode(%.60s):\n got %v\nwant %s", tt.stored, err, tt.want)
		}
		if got != config.Default() {
			t.Errorf("Decode(%.60s) = %s, want the defaults beside the error", tt.stored, got.Raw())
		}
	}
}

func TestDecode_noJSON(t *testing.T) {
	t.Parallel()
	for _, stored := range []string{"{", "{}{}", "tail_turns: 2", `{"tail_turns":02}`, "{\"lease_dir\":\"/\xff\"}", strings.Repeat("[", 1<<20)} {
		got, _, err := config.Decode([]byte(stored))
		if got != config.Default() || err == nil || !strings.HasPrefix(err.Error(), "reading settings: ") {
			t.Errorf("Decode(%.30q) = %s, %v, want the defaults and an error", stored, got.Raw(), err)
		}
	}
}

func TestDecode_unknownKeys(t *testing.T) {
	t.Parallel()
	got, warnings, err := config.Decode([]byte(`{"tail_truns":3,"tail_turns":4,"Tail_turns":{"deep":[1]},"` + strings.Repeat("x", 1000) + `":1}`))
	want := []string{
		`unknown field "tail_truns" is ignored`, `unknown field "Tail_turns" is ignored`,
		`unknown field "` + strings.Repeat("x", 64) + `…" is ignored`,
	}
	if got.TailTurns != 4 || err != nil || !slices.Equal(warnings, want) {
		t.Errorf("Decode = tail_turns %d, %q, %v, want 4, %q", got.TailTurns, warnings, err, want)
	}
}

// The ends of every range are inside, their neighbours outside.
func TestDecode_ranges(t *testing.T) {
	t.Parallel()
	want := map[string][2]uint64{
		"reserved_tokens_cap": {0, 1e9}, "reserved_pct": {0, 100}, "tail_turns": {0, 10_000}, "protect_recent_tokens": {0, 1e9},
		"min_free_tokens": {0, 1e9}, "max_output_chars": {0, 1e9}, "lease_ttl_secs": {1, 86_400},
		"summarizer_timeout_ms": {1, 3_600_000}, "heuristic_image_tokens": {0, 100_000},
	}
	for _, l := range config.Limits() {
		if !l.Number {
			continue
		}
		ends, ok := want[l.Key]
		if !ok || l.Low != ends[0] || l.High != ends[1] {
			t.Errorf("%s: %d–%d, want %v", l.Key, l.Low, l.High, ends)
		}
		delete(want, l.Key)
		for n, inside := range map[int64]bool{
			int64(l.Low): true, int64(l.High): true, int64(l.Low) - 1: false, int64(l.High) + 1: false,
		} {
			_, _, err := config.Decode(fmt.Appendf(nil, `{%q:%d}`, l.Key, n))
			if (err == nil) != inside {
				t.Errorf("%s: %d: error %v, want inside %v", l.Key, n, err, inside)
			}
		}
	}
	if len(want) != 0 {
		t.Errorf("missing: %v", want)
	}
}

// Whatever is decoded lies in range and prints back as the same settings.
func FuzzDecode(f *testing.F) {
	for _, seed := range []string{
		"", "null", "{}", `{"tail_turns":5e3,"x":[{}]}`, `{"reserved_pct":-0.0e0}`, `{"tail_turns":1e999999999999}`,
		`{"lease_dir":"~/x\u0000","estimator":"fitted","allow_fallback_limits":false}`, `{"lease_dir":"/\ud800"}`, `[[[`, "{\"\xff\":1}",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, stored []byte) {
		s, _, err := config.Decode(stored)
		if err != nil && s != config.Default() {
			t.Errorf("an error %v came with %s, want the defaults", err, s.Raw())
		}
		if err == nil && len(bytes.TrimSpace(stored)) > 0 && !json.Valid(stored) {
			t.Errorf("Decode(%q) accepted what is no JSON", stored)
		}
		wantPrintsBack(t, s)
	})
}

func wantPrintsBack(t *testing.T, s config.Settings) {
	t.Helper()
	again, warnings, err := config.Decode(s.Raw())
	if again != s || len(warnings) != 0 || err != nil {
		t.Errorf("%s reads back as %s, %q, %v", s.Raw(), again.Raw(), warnings, err)
	}
}
