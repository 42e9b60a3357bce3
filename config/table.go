package config

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// key is one setting: its name, what it may be, and where it lives.
type key struct {
	name string
	// want says in words what assign accepts.
	want string
	// limits is the same for the schema.
	limits map[string]any
	// value returns what the field holds.
	value func(*Settings) any
	// assign sets the field or says what is wrong with the value.
	assign func(*Settings, scalar) (problem string)
}

// table lists every key in the order of the fields. It is the one place where
// ranges are written: both decoders and the schema read it.
var table = []key{
	count("reserved_tokens_cap", 0, 1_000_000_000, func(s *Settings) *uint64 { return &s.ReservedTokensCap }),
	count("reserved_pct", 0, 100, func(s *Settings) *uint64 { return &s.ReservedPct }),
	count("tail_turns", 0, 10_000, func(s *Settings) *uint64 { return &s.TailTurns }),
	count("protect_recent_tokens", 0, 1_000_000_000, func(s *Settings) *uint64 { return &s.ProtectRecentTokens }),
	count("min_free_tokens", 0, 1_000_000_000, func(s *Settings) *uint64 { return &s.MinFreeTokens }),
	count("max_output_chars", 0, 1_000_000_000, func(s *Settings) *uint64 { return &s.MaxOutputChars }),
	count("lease_ttl_secs", 1, 86_400, func(s *Settings) *uint64 { return &s.LeaseTTLSecs }),
	flag("allow_fallback_limits", func(s *Settings) *bool { return &s.AllowFallbackLimits }),
	count("summarizer_timeout_ms", 1, 3_600_000, func(s *Settings) *uint64 { return &s.SummarizerTimeoutMS }),
	directory("lease_dir", func(s *Settings) *string { return &s.LeaseDir }),
	choice("estimator", []string{EstimatorAuto, EstimatorHeuristic, EstimatorFitted},
		func(s *Settings) *string { return &s.Estimator }),
	count("heuristic_image_tokens", 0, 100_000, func(s *Settings) *uint64 { return &s.HeuristicImageTokens }),
}

func lookup(name string) (key, bool) {
	i := slices.IndexFunc(table, func(k key) bool { return k.name == name })
	if i < 0 {
		return key{}, false
	}
	return table[i], true
}

// set assigns a value or returns what is wrong with it.
func (k key) set(s *Settings, v scalar) error {
	if problem := k.assign(s, v); problem != "" {
		return &FieldError{Key: k.name, Value: v.shown(), Problem: problem, Want: k.want}
	}
	return nil
}

// twice is the error for a key that has a value already.
func (k key) twice(v scalar) error {
	return &FieldError{Key: k.name, Value: v.shown(), Problem: "is its second value", Want: "one"}
}

// unknownField is the error for a key that is not in the table.
func unknownField(name string) error {
	names := make([]string, len(table))
	for i, k := range table {
		names[i] = k.name
	}
	name = strings.Trim(scalar{text, name}.shown(), `"`)
	return &FieldError{Key: name, Problem: "unknown field", Want: "one of " + strings.Join(names, ", ")}
}

func count(name string, low, high uint64, at func(*Settings) *uint64) key {
	return key{
		name:   name,
		want:   fmt.Sprintf("%d–%d", low, high),
		limits: map[string]any{"minimum": low, "maximum": high},
		value:  func(s *Settings) any { return *at(s) },
		assign: func(s *Settings, v scalar) string {
			if v.kind != number {
				return notInteger
			}
			n, problem := integer(v.text)
			if problem == "" && (n < low || n > high) {
				problem = outOfRange
			}
			if problem == "" {
				*at(s) = n
			}
			return problem
		},
	}
}

func flag(name string, at func(*Settings) *bool) key {
	return key{
		name:  name,
		want:  "true or false",
		value: func(s *Settings) any { return *at(s) },
		assign: func(s *Settings, v scalar) string {
			if v.kind != boolean {
				return "is not a boolean"
			}
			*at(s) = v.text == "true"
			return ""
		},
	}
}

func choice(name string, values []string, at func(*Settings) *string) key {
	return key{
		name:   name,
		want:   "one of " + strings.Join(values, ", "),
		limits: map[string]any{"enum": values},
		value:  func(s *Settings) any { return *at(s) },
		assign: func(s *Settings, v scalar) string {
			if v.kind != text {
				return "is not a string"
			}
			if !slices.Contains(values, v.text) {
				return "is unknown"
			}
			*at(s) = v.text
			return ""
		},
	}
}

func directory(name string, at func(*Settings) *string) key {
	return key{
		name: name,
		want: "an absolute path or one that begins with ~/",
		// Drive letters and shares are absolute on Windows; the schema is one for
		// all systems, and the decoder is strict about its own.
		limits: map[string]any{"pattern": `^(~$|~[/\\]|/|\\\\|[A-Za-z]:[/\\])`},
		value:  func(s *Settings) any { return *at(s) },
		assign: func(s *Settings, v scalar) string {
			if v.kind != text {
				return "is not a string"
			}
			if _, ok := underHome(v.text); !ok && !filepath.IsAbs(v.text) {
				return "is not absolute"
			}
			*at(s) = v.text
			return ""
		},
	}
}
