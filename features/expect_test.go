package features_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"strconv"
	"strings"

	"github.com/cucumber/godog"
	"github.com/google/go-cmp/cmp"
)

// An expectation is the second cell of a row. It is one of
//
//	a JSON value                    equal, whatever the order of keys
//	absent                          there is no such member
//	<= N, < N, >= N, > N            a number
//	N items                         the length of an array
//	N bytes, N characters           the length of a string
//	contains "…", lacks "…"         a part of a string
//	starts with "…", ends with "…"
//
// checkAll checks the rows of a table against a value.
func checkAll(value any, table *godog.Table) error {
	var all []error
	for _, row := range table.Rows {
		if len(row.Cells) != 2 {
			return errors.New("want rows of a path and an expectation")
		}
		path, want := row.Cells[0].Value, row.Cells[1].Value
		if err := check(value, path, want); err != nil {
			all = append(all, err)
		}
	}
	return errors.Join(all...)
}

func check(root any, path, want string) error {
	got, found, err := lookupPath(root, path)
	if err != nil {
		return err
	}
	if want == "absent" {
		if found {
			return fmt.Errorf("%s: got %s, want it absent", path, shown(got))
		}
		return nil
	}
	if !found {
		return fmt.Errorf("%s: got nothing, want %s", path, want)
	}
	ok, err := meets(got, want)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if !ok {
		return fmt.Errorf("%s: got %s, want %s", path, shown(got), want)
	}
	return nil
}

func meets(got any, want string) (bool, error) {
	words := strings.Fields(want)
	switch {
	case len(words) == 2 && (words[1] == "items" || words[1] == "bytes" || words[1] == "characters"):
		n, err := strconv.Atoi(words[0])
		return err == nil && length(got, words[1]) == n, err
	case len(words) == 2 && strings.ContainsAny(words[0], "<>"):
		return compare(got, words[0], words[1])
	}
	for _, verb := range []string{"contains", "lacks", "starts with", "ends with"} {
		literal, ok := strings.CutPrefix(want, verb+" ")
		if !ok {
			continue
		}
		var part string
		if err := json.Unmarshal([]byte(literal), &part); err != nil {
			return false, fmt.Errorf("reading %s: %w", literal, err)
		}
		text, ok := got.(string)
		switch verb {
		case "contains":
			return ok && strings.Contains(text, part), nil
		case "lacks":
			return ok && !strings.Contains(text, part), nil
		case "starts with":
			return ok && strings.HasPrefix(text, part), nil
		}
		return ok && strings.HasSuffix(text, part), nil
	}
	value, err := decode([]byte(want))
	if err != nil {
		return false, fmt.Errorf("%q is no expectation: %w", want, err)
	}
	return equal(got, value), nil
}

func length(v any, unit string) int {
	switch v := v.(type) {
	case []any:
		if unit == "items" {
			return len(v)
		}
	case string:
		switch unit {
		case "bytes":
			return len(v)
		case "characters":
			return len([]rune(v))
		}
	}
	return -1
}

func compare(got any, operator, bound string) (bool, error) {
	number, ok := got.(json.Number)
	if !ok {
		return false, nil
	}
	a, okA := new(big.Rat).SetString(number.String())
	b, okB := new(big.Rat).SetString(bound)
	if !okA || !okB {
		return false, fmt.Errorf("comparing %s with %s: not numbers", number, bound)
	}
	switch c := a.Cmp(b); operator {
	case "<":
		return c < 0, nil
	case "<=":
		return c <= 0, nil
	case ">":
		return c > 0, nil
	case ">=":
		return c >= 0, nil
	}
	return false, fmt.Errorf("there is no operator %s", operator)
}

// lookupPath follows members and indices: a.b[2].c, [0].d.
func lookupPath(v any, path string) (any, bool, error) {
	rest := path
	for rest != "" {
		if strings.HasPrefix(rest, "[") {
			end := strings.Index(rest, "]")
			i, err := strconv.Atoi(rest[1:max(end, 1)])
			if err != nil {
				return nil, false, fmt.Errorf("reading path %s: %w", path, err)
			}
			list, ok := v.([]any)
			if !ok || i >= len(list) {
				return nil, false, nil
			}
			v, rest = list[i], strings.TrimPrefix(rest[end+1:], ".")
			continue
		}
		end := strings.IndexAny(rest, ".[")
		if end < 0 {
			end = len(rest)
		}
		members, ok := v.(map[string]any)
		if !ok {
			return nil, false, nil
		}
		if v, ok = members[rest[:end]]; !ok {
			return nil, false, nil
		}
		rest = strings.TrimPrefix(rest[end:], ".")
	}
	return v, true, nil
}

// decode reads JSON and keeps numbers as they are spelled.
func decode(raw []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, fmt.Errorf("reading JSON: %w", err)
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, errors.New("reading JSON: something follows the value")
	}
	return v, nil
}

// equal compares parsed JSON, numbers by value: an engine may spell them anew.
func equal(a, b any) bool {
	return cmp.Equal(a, b, cmp.Comparer(func(x, y json.Number) bool {
		if x == y {
			return true
		}
		a, okA := new(big.Rat).SetString(x.String())
		b, okB := new(big.Rat).SetString(y.String())
		return okA && okB && a.Cmp(b) == 0
	}))
}

// shown prints a value, shortened.
func shown(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	if len(text) > 300 {
		return string(text[:200]) + "…" + string(text[len(text)-100:])
	}
	return string(text)
}
