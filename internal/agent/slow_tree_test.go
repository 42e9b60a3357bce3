package agent_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/big"
	"slices"
	"strings"
	"unicode/utf8"

	"context-manager/internal/agent"
)

// The slow half of the comparison: encoding/json reads a tree, and everything
// else is done with that tree, as plainly as possible. It shares no code with
// the package under test.

// object keeps its members in their order, duplicates included. The other
// nodes are []any, string, json.Number, bool and nil.
type object []field

type field struct {
	key   string
	value any
}

func (o object) get(key string) (any, bool) {
	for _, f := range o {
		if f.key == key {
			return f.value, true
		}
	}
	return nil, false
}

// last is what a map would hold for the key.
func (o object) last(key string) any {
	var v any
	for _, f := range o {
		if f.key == key {
			v = f.value
		}
	}
	return v
}

// twice reports whether one of the keys, or any key when none are given,
// stands twice.
func (o object) twice(keys ...string) bool {
	seen := map[string]bool{}
	for _, f := range o {
		if len(keys) > 0 && !slices.Contains(keys, f.key) {
			continue
		}
		if seen[f.key] {
			return true
		}
		seen[f.key] = true
	}
	return false
}

// slowText reports whether data is a JSON text that is acceptable wherever the
// contract allows any value, depth levels below the root.
func slowText(data []byte, depth int) bool {
	return json.Valid(data) && utf8.Valid(data) && depth+deepest(data) <= agent.MaxDepth && !loneSurrogate(data)
}

// deepest counts the levels of a valid text.
func deepest(data []byte) int {
	depth, most, quoted := 0, 0, false
	for i := 0; i < len(data); i++ {
		switch c := data[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '[' || c == '{':
			depth++
			most = max(most, depth)
		case c == ']' || c == '}':
			depth--
		}
	}
	return most
}

// loneSurrogate reads a valid text and looks for \u escapes of one half of a
// surrogate pair without the other.
func loneSurrogate(data []byte) bool {
	unit := func(i int) int {
		if i+6 > len(data) || data[i] != '\\' || data[i+1] != 'u' {
			return -1
		}
		var n int
		fmt.Sscanf(string(data[i+2:i+6]), "%x", &n)
		return n
	}
	for i := 0; i < len(data); i++ {
		if data[i] != '\\' {
			continue
		}
		switch u := unit(i); {
		case u >= 0xd800 && u < 0xdc00:
			if v := unit(i + 6); v < 0xdc00 || v > 0xdfff {
				return true
			}
			i += 11
		case u >= 0xdc00 && u < 0xe000:
			return true
		default:
			i++
		}
	}
	return false
}

// slowParse reads a valid text.
func slowParse(data []byte) any {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	v, err := slowValue(d)
	if err != nil {
		panic(fmt.Sprintf("parsing %q: %v", data, err))
	}
	if _, err := d.Token(); err != io.EOF {
		panic(fmt.Sprintf("parsing %q: text goes on", data))
	}
	return v
}

func slowValue(d *json.Decoder) (any, error) {
	t, err := d.Token()
	if err != nil {
		return nil, err
	}
	switch t {
	case json.Delim('['):
		list := []any{}
		for d.More() {
			v, err := slowValue(d)
			if err != nil {
				return nil, err
			}
			list = append(list, v)
		}
		_, err := d.Token()
		return list, err
	case json.Delim('{'):
		o := object{}
		for d.More() {
			k, err := d.Token()
			if err != nil {
				return nil, err
			}
			v, err := slowValue(d)
			if err != nil {
				return nil, err
			}
			o = append(o, field{k.(string), v})
		}
		_, err := d.Token()
		return o, err
	}
	return t, nil
}

// slowCompact prints a tree without spaces, keys sorted, strings with as few
// escapes as JSON allows, numbers as they are spelled.
func slowCompact(v any) string {
	switch v := v.(type) {
	case object:
		sorted := slices.Clone(v)
		slices.SortStableFunc(sorted, func(a, b field) int { return strings.Compare(a.key, b.key) })
		return slowObject(sorted)
	case []any:
		parts := make([]string, len(v))
		for i := range v {
			parts[i] = slowCompact(v[i])
		}
		return "[" + strings.Join(parts, ",") + "]"
	case string:
		return slowString(v)
	case json.Number:
		return v.String()
	case printed:
		return string(v)
	case bool:
		return fmt.Sprint(v)
	}
	return "null"
}

// slowObject prints members whose values are trees, in the order given.
func slowObject(members object) string {
	parts := make([]string, len(members))
	for i, f := range members {
		parts[i] = slowString(f.key) + ":" + slowCompact(f.value)
	}
	return "{" + strings.Join(parts, ",") + "}"
}

// printed is JSON that is finished already.
type printed string

func slowString(s string) string {
	if !strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r == '"' || r == '\\' }) {
		return `"` + s + `"`
	}
	var b strings.Builder
	b.Grow(len(s) + 16)
	b.WriteByte('"')
	for _, r := range s {
		short := strings.IndexRune("\"\\\b\f\n\r\t", r)
		switch {
		case short >= 0:
			b.WriteString([]string{`\"`, `\\`, `\b`, `\f`, `\n`, `\r`, `\t`}[short])
		case r < ' ':
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// slowInteger reads a whole number in any spelling; ok is false for a fraction.
// Exponents beyond any range of the contract are cut, since a big.Rat would
// build them.
func slowInteger(n json.Number) (v *big.Int, ok bool) {
	s := strings.ToLower(n.String())
	mantissa, exp, _ := strings.Cut(s, "e")
	if strings.Trim(mantissa, "-0.") == "" {
		return new(big.Int), true
	}
	if len(strings.TrimLeft(exp, "+-0")) > 4 {
		if strings.HasPrefix(exp, "-") {
			return nil, false
		}
		s = mantissa + "e9999"
	}
	r, ok := new(big.Rat).SetString(s)
	if !ok || !r.IsInt() {
		return nil, false
	}
	return r.Num(), true
}
