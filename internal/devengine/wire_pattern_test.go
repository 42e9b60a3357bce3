package devengine_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"strings"
	"testing"
)

var (
	wholeVar  = regexp.MustCompile(`^\$\{([\w.]+)\}$`)
	anyVar    = regexp.MustCompile(`\$\{([\w.]+)\}`)
	wildcard  = regexp.MustCompile(`^\$(any|uuid|string|number|object|array|bool)(?:\((\w[\w.]*)\))?$`)
	uuidShape = regexp.MustCompile(`^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)
)

// fill replaces ${name}; a string that is nothing else becomes the value.
func fill(v any, vars map[string]any) any {
	switch v := v.(type) {
	case string:
		if !strings.Contains(v, "${") {
			return v
		}
		if m := wholeVar.FindStringSubmatch(v); m != nil {
			if bound, ok := vars[m[1]]; ok {
				return bound
			}
		}
		return anyVar.ReplaceAllStringFunc(v, func(ref string) string {
			if bound, ok := vars[ref[2:len(ref)-1]]; ok {
				return fmt.Sprint(bound)
			}
			return ref
		})
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = fill(v[i], vars)
		}
		return out
	case map[string]any:
		if text, ok := v["$repeat"].(string); ok {
			return strings.Repeat(text, int(v["times"].(float64)))
		}
		out := make(map[string]any, len(v))
		for k, x := range v {
			out[fill(k, vars).(string)] = fill(x, vars)
		}
		return out
	}
	return v
}

// mismatch is empty when got matches want, else it says where and why. Bound
// names go into found.
func mismatch(want, got any, found map[string]any, at string) string {
	switch want := want.(type) {
	case string:
		if m := wildcard.FindStringSubmatch(want); m != nil {
			if !isKind(m[1], got) {
				return fmt.Sprintf("%s: wanted %s, got %s", at, want, short(got))
			}
			if m[2] != "" {
				found[m[2]] = got
			}
			return ""
		}
	case []any:
		list, ok := got.([]any)
		if !ok || len(list) != len(want) {
			return fmt.Sprintf("%s: wanted %d elements, got %s", at, len(want), short(got))
		}
		for i := range want {
			if m := mismatch(want[i], list[i], found, fmt.Sprintf("%s[%d]", at, i)); m != "" {
				return m
			}
		}
		return ""
	case map[string]any:
		if pattern, ok := want["$match"].(string); ok {
			if text, ok := got.(string); !ok || !matches(pattern, text) {
				return fmt.Sprintf("%s: wanted /%s/, got %s", at, pattern, short(got))
			}
			return ""
		}
		if some, ok := want["$has"].([]any); ok {
			return lacks(some, want["$hasNot"], got, found, at)
		}
		return mismatchObject(want, got, found, at)
	}
	if !reflect.DeepEqual(want, got) {
		return fmt.Sprintf("%s: wanted %s, got %s", at, short(want), short(got))
	}
	return ""
}

func mismatchObject(want map[string]any, got any, found map[string]any, at string) string {
	object, ok := got.(map[string]any)
	if !ok {
		return fmt.Sprintf("%s: wanted an object, got %s", at, short(got))
	}
	for k, w := range want {
		v, has := object[k]
		switch {
		case k == "$more":
		case w == "$absent":
			if has {
				return fmt.Sprintf("%s.%s: wanted no such key, got %s", at, k, short(v))
			}
		case !has:
			return fmt.Sprintf("%s.%s: missing", at, k)
		default:
			if m := mismatch(w, v, found, at+"."+k); m != "" {
				return m
			}
		}
	}
	if want["$more"] == true {
		return ""
	}
	for k, v := range object {
		if _, ok := want[k]; !ok {
			return fmt.Sprintf("%s.%s: unexpected key, value %s", at, k, short(v))
		}
	}
	return ""
}

// lacks checks $has and $hasNot.
func lacks(some []any, none, got any, found map[string]any, at string) string {
	list, ok := got.([]any)
	if !ok {
		return fmt.Sprintf("%s: wanted an array, got %s", at, short(got))
	}
	has := func(w any, found map[string]any) bool {
		for _, g := range list {
			if mismatch(w, g, found, "") == "" {
				return true
			}
		}
		return false
	}
	for _, w := range some {
		if !has(w, found) {
			return fmt.Sprintf("%s: no element matches %s", at, short(w))
		}
	}
	unwanted, _ := none.([]any)
	for _, w := range unwanted {
		if has(w, map[string]any{}) {
			return fmt.Sprintf("%s: an element matches %s", at, short(w))
		}
	}
	return ""
}

func isKind(kind string, v any) bool {
	switch kind {
	case "uuid":
		text, ok := v.(string)
		return ok && uuidShape.MatchString(text)
	case "string":
		_, ok := v.(string)
		return ok
	case "number":
		_, ok := v.(float64)
		return ok
	case "bool":
		_, ok := v.(bool)
		return ok
	case "object":
		_, ok := v.(map[string]any)
		return ok
	case "array":
		_, ok := v.([]any)
		return ok
	}
	return true
}

// matches is the cases' regular expressions, which are JavaScript's. Of what
// Go lacks they use conditions at the start, (?=…), each matched for itself.
func matches(pattern, text string) bool {
	rest := strings.TrimPrefix(pattern, "^")
	for strings.HasPrefix(rest, "(?=") {
		condition, more, _ := strings.Cut(rest[3:], ")")
		if !regexp.MustCompile("^" + condition).MatchString(text) {
			return false
		}
		rest = more
	}
	if strings.HasPrefix(pattern, "^") {
		rest = "^" + rest
	}
	return regexp.MustCompile(rest).MatchString(text)
}

// compact is v as JSON without escapes for HTML.
func compact(v any) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic(err)
	}
	return bytes.TrimSpace(b.Bytes())
}

func latin1(text string) []byte {
	var b []byte
	for _, r := range text {
		b = append(b, byte(r))
	}
	return b
}

func short(v any) string {
	text, ok := v.(string)
	if !ok {
		text = string(compact(v))
	}
	if len(text) > 300 {
		return text[:300] + "…"
	}
	return text
}

func TestPatterns(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, want, got string
		ok              bool
	}{
		{"equal objects match", `{"a":1}`, `{"a":1}`, true},
		{"an extra key does not match", `{"a":1}`, `{"a":1,"b":2}`, false},
		{"more allows it", `{"a":1,"$more":true}`, `{"a":1,"b":2}`, true},
		{"absent forbids a key", `{"a":"$absent","$more":true}`, `{"a":null}`, false},
		{"a missing key does not match", `{"a":"$any"}`, `{}`, false},
		{"lists have one length", `[1]`, `[1,2]`, false},
		{"has looks for some", `{"$has":[{"a":1}]}`, `[{"a":2},{"a":1}]`, true},
		{"has misses", `{"$has":[{"a":1}]}`, `[{"a":2}]`, false},
		{"hasNot forbids", `{"$has":[],"$hasNot":[2]}`, `[1,2]`, false},
		{"match is a search", `{"$match":"b"}`, `"abc"`, true},
		{"both conditions hold", `{"$match":"^(?=.*k=v)(?=.*id\\.x=t).*$"}`, `"id.x=t,k=v"`, true},
		{"one condition fails", `{"$match":"^(?=.*k=v)(?=.*id\\.x=t).*$"}`, `"k=v"`, false},
		{"uuid wants lower case", `"$uuid"`, `"11111111-2222-4333-8444-55555555555A"`, false},
		{"number is no string", `"$number"`, `"1"`, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var want, got any
			if err := json.Unmarshal([]byte(c.want), &want); err != nil {
				t.Fatal(err)
			}
			if err := json.Unmarshal([]byte(c.got), &got); err != nil {
				t.Fatal(err)
			}
			if why := mismatch(want, got, map[string]any{}, ""); (why == "") != c.ok {
				t.Errorf("got %q, want a match: %v", why, c.ok)
			}
		})
	}
}
