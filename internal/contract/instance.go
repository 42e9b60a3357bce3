package contract

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
)

// Instances makes requests that the published schema of one function allows:
// optional members present, null or absent, every variant and enum value,
// integers up to the ends of their format and in every spelling JSON has for
// them, members the contract does not know, keys in any order. Only messages is
// never absent or null, which the functions refuse.
//
// The same seed gives the same instances. Not for use by several goroutines.
type Instances struct {
	root object
	rng  *rand.Rand
}

// maxDepth bounds how deep references are followed; beyond it lists are empty
// and optional members absent. Two results inside each other fit well below it.
const maxDepth = 14

// NewInstances prepares the generator for one published function.
func NewInstances(name string, seed uint64) (*Instances, error) {
	f, err := Lookup(name)
	if err != nil {
		return nil, err
	}
	g := &Instances{rng: rand.New(rand.NewPCG(seed, uint64(len(name))))}
	if err := json.Unmarshal(f.RequestSchema, &g.root); err != nil {
		return nil, fmt.Errorf("reading the request schema of %s: %w", name, err)
	}
	return g, nil
}

// Next makes one instance.
func (g *Instances) Next() []byte {
	return g.schema(nil, g.root, 0)
}

// one is true once in n times.
func (g *Instances) one(n int) bool { return g.rng.IntN(n) == 0 }

// schema appends a value that v allows.
func (g *Instances) schema(dst []byte, v any, depth int) []byte {
	s, _ := v.(object)
	if name, ok := s["$ref"].(string); ok {
		definitions, _ := g.root["definitions"].(object)
		return g.schema(dst, definitions[strings.TrimPrefix(name, "#/definitions/")], depth+1)
	}
	if all := list(s["allOf"]); len(all) > 0 {
		return g.schema(dst, all[0], depth)
	}
	for _, keyword := range []string{"oneOf", "anyOf"} {
		if choice := list(s[keyword]); len(choice) > 0 {
			return g.schema(dst, choice[g.rng.IntN(len(choice))], depth)
		}
	}
	if values := list(s["enum"]); len(values) > 0 {
		return g.value(dst, values[g.rng.IntN(len(values))])
	}
	types := list(s["type"])
	if len(types) == 0 {
		return g.any(dst)
	}
	kind := types[0]
	if len(types) > 1 && g.one(4) {
		kind = types[1+g.rng.IntN(len(types)-1)]
	}
	switch kind {
	case "object":
		return g.object(dst, s, depth)
	case "array":
		return g.array(dst, s, depth)
	case "string":
		return g.string(dst)
	case "integer":
		return g.integer(dst, s)
	case "number":
		return append(dst, numbers[g.rng.IntN(len(numbers))]...)
	case "boolean":
		return strconv.AppendBool(dst, g.one(2))
	}
	return append(dst, "null"...)
}

func (g *Instances) array(dst []byte, s object, depth int) []byte {
	n := g.rng.IntN(4)
	if depth > maxDepth {
		n = 0
	}
	dst = append(dst, '[')
	for i := range n {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = g.space(g.schema(g.space(dst), s["items"], depth+1))
	}
	return append(dst, ']')
}

func (g *Instances) object(dst []byte, s object, depth int) []byte {
	properties, _ := s["properties"].(object)
	required := list(s["required"])
	var names []string
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		must := slices.Contains(required, any(name)) || name == "messages" && depth == 0
		if must || depth <= maxDepth && g.one(2) {
			names = append(names, name)
		}
	}
	for g.one(4) {
		names = append(names, "x_"+strconv.Itoa(len(names)))
	}
	g.rng.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	dst = append(dst, '{')
	for i, name := range names {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = g.key(g.space(dst), name)
		dst = g.space(append(g.space(dst), ':'))
		switch p, known := properties[name]; {
		case !known:
			dst = g.any(dst)
		case name == "messages" && depth == 0:
			dst = g.array(dst, p.(object), depth)
		default:
			dst = g.schema(dst, p, depth+1)
		}
		dst = g.space(dst)
	}
	return append(dst, '}')
}
