package devengine

import (
	"bytes"
	"encoding/json"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// placeholder is ${NAME} or ${NAME:default}.
var placeholder = regexp.MustCompile(`\$\{([^}:]+)(?::([^}]*))?\}`)

// versionDefault is a default that stands for the version of the engine.
const versionDefault = "__III_ENGINE_VERSION__"

// expand decodes a stored value and fills in its placeholders. Variables that
// are neither set nor have a default stay as they are and are listed.
func (s *configStore) expand(value []byte) (expanded any, unset []string) {
	expanded, err := jsonschema.UnmarshalJSON(bytes.NewReader(value))
	if err != nil {
		return nil, nil // stored values are canonical JSON
	}
	return s.expandValue(expanded, &unset), unset
}

func (s *configStore) expandValue(v any, unset *[]string) any {
	switch v := v.(type) {
	case string:
		return s.expandText(v, unset)
	case []any:
		for i := range v {
			v[i] = s.expandValue(v[i], unset)
		}
	case map[string]any:
		names := make([]string, 0, len(v))
		for name := range v {
			names = append(names, name)
		}
		slices.Sort(names) // so that what is unset is listed in the order of the text
		for _, name := range names {
			v[name] = s.expandValue(v[name], unset)
		}
	}
	return v
}

// expandText fills one string. A string that is a single placeholder takes the
// type its text has in YAML.
func (s *configStore) expandText(text string, unset *[]string) any {
	missing := false
	out := placeholder.ReplaceAllStringFunc(text, func(ref string) string {
		m := placeholder.FindStringSubmatchIndex(ref)
		name := ref[m[2]:m[3]]
		if v, ok := s.getenv(name); ok {
			return v
		}
		if m[4] < 0 {
			missing = true
			if !slices.Contains(*unset, name) {
				*unset = append(*unset, name)
			}
			return ref
		}
		if d := ref[m[4]:m[5]]; d != versionDefault {
			return d
		}
		return Version
	})
	trimmed := strings.TrimSpace(text)
	if m := placeholder.FindStringIndex(trimmed); missing || m == nil || m[0] != 0 || m[1] != len(trimmed) {
		return out
	}
	if strings.TrimSpace(out) == "" {
		return ""
	}
	if v, ok := yamlScalar(strings.TrimSpace(out)); ok {
		return v
	}
	return out
}

// yamlScalar reads a plain YAML 1.2 scalar; ok is false when it is a string.
// Digits with a leading zero, on, off, yes and no are strings.
func yamlScalar(text string) (v any, ok bool) {
	switch text {
	case "", "~", "null", "Null", "NULL":
		return nil, true
	case "true", "True", "TRUE":
		return true, true
	case "false", "False", "FALSE":
		return false, true
	}
	if n, ok := yamlInteger(text); ok {
		return n, true
	}
	return yamlFloat(text)
}

var (
	yamlDecimal  = regexp.MustCompile(`^(?:0|[1-9][0-9]*)$`)
	yamlBased    = regexp.MustCompile(`^0(?:x[0-9a-fA-F]+|o[0-7]+|b[01]+)$`)
	yamlDecimals = regexp.MustCompile(`^(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?$`)
	yamlZeros    = regexp.MustCompile(`^0[0-9]+$`)
)

func yamlInteger(text string) (json.Number, bool) {
	sign, digits := "", text
	if digits != "" && (digits[0] == '-' || digits[0] == '+') {
		sign, digits = strings.TrimPrefix(digits[:1], "+"), digits[1:]
	}
	switch {
	case yamlDecimal.MatchString(digits):
		if !fits([]byte(digits), sign == "-") {
			return "", false
		}
		return json.Number(sign + digits), true
	case yamlBased.MatchString(digits):
		n, err := strconv.ParseUint(digits, 0, 64)
		if err != nil || sign == "-" && n > 1<<63 {
			return "", false
		}
		return json.Number(sign + strconv.FormatUint(n, 10)), true
	}
	return "", false
}

func yamlFloat(text string) (v any, ok bool) {
	digits := text
	if digits[0] == '-' || digits[0] == '+' {
		digits = digits[1:]
	}
	switch digits {
	case ".inf", ".Inf", ".INF", ".nan", ".NaN", ".NAN":
		return nil, true // JSON has no such numbers
	}
	if !yamlDecimals.MatchString(digits) || yamlZeros.MatchString(digits) {
		return nil, false
	}
	f, err := strconv.ParseFloat(strings.TrimPrefix(text, "+"), 64)
	if err != nil || math.IsInf(f, 0) {
		return nil, false
	}
	return json.Number(appendFloat(nil, f)), true
}
