package contract

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// object is a schema as parsed JSON.
type object = map[string]any

// Diff compares our schema with the published one and lists what differs, by
// path. Types, enums, defaults, formats, bounds and required members of every
// published path must be equal; ours may have more optional members, and may
// spell the same thing differently (a reference, an allOf of one, prose). The
// published definitions must exist under their names.
func Diff(published, ours []byte) ([]string, error) {
	d := differ{seen: map[string]bool{}}
	if err := json.Unmarshal(published, &d.published); err != nil {
		return nil, fmt.Errorf("reading the published schema: %w", err)
	}
	if err := json.Unmarshal(ours, &d.ours); err != nil {
		return nil, fmt.Errorf("reading our schema: %w", err)
	}
	d.value("$", "$schema", d.published["$schema"], d.ours["$schema"])
	d.value("$", "title", d.published["title"], d.ours["title"])
	d.definitions()
	d.schema("$", d.published, d.ours)
	return d.found, nil
}

type differ struct {
	published, ours object
	seen            map[string]bool // pairs of references already followed
	found           []string
}

func (d *differ) add(path, format string, args ...any) {
	d.found = append(d.found, path+": "+fmt.Sprintf(format, args...))
}

// value compares one keyword; absent is nil and tells apart from null by has.
func (d *differ) value(path, keyword string, published, ours any) {
	if p, o := spell(published), spell(ours); p != o {
		d.add(path, "%s is %s, published as %s", keyword, o, p)
	}
}

func (d *differ) definitions() {
	published, _ := d.published["definitions"].(object)
	ours, _ := d.ours["definitions"].(object)
	for _, name := range slices.Sorted(maps.Keys(published)) {
		if _, ok := ours[name]; !ok {
			d.add("$", "definition %s is missing", name)
		}
	}
}

// absent stands for a keyword that is not there, as null is a value.
type absent struct{}

// compared are the keywords that must be equal; the first three are sets.
var compared = []string{
	"type", "enum", "required",
	"default", "format", "const", "pattern", "minimum", "maximum", "minLength", "maxLength",
	"minItems", "maxItems", "additionalProperties", "allOf", "anyOf", "not",
}

// schema compares two schemas and what is inside them.
func (d *differ) schema(path string, published, ours any) {
	p, pRef := plain(d.published, published)
	o, oRef := plain(d.ours, ours)
	if pRef != "" && oRef != "" {
		pair := pRef + "|" + oRef + "|" + spell(p["type"]) + spell(o["type"])
		if d.seen[pair] {
			d.keywords(path, p, o) // a default belongs to the place, not to the type
			return
		}
		d.seen[pair] = true
	}
	d.keywords(path, p, o)
	d.properties(path, p, o)
	if items, ok := p["items"]; ok {
		d.schema(path+"[]", items, o["items"])
	}
	d.variants(path, p, o)
}

func (d *differ) keywords(path string, p, o object) {
	for i, keyword := range compared {
		pv, ov := get(p, keyword), get(o, keyword)
		if i < 3 {
			pv, ov = sorted(pv), sorted(ov)
		}
		d.value(path, keyword, pv, ov)
	}
}

func (d *differ) properties(path string, p, o object) {
	published, _ := p["properties"].(object)
	ours, _ := o["properties"].(object)
	for _, name := range slices.Sorted(maps.Keys(published)) {
		mine, ok := ours[name]
		if !ok {
			d.add(path+"."+name, "missing")
			continue
		}
		d.schema(path+"."+name, published[name], mine)
	}
}

// variants pairs the choices of a oneOf by the value of their tag.
func (d *differ) variants(path string, p, o object) {
	published, _ := p["oneOf"].([]any)
	ours, _ := o["oneOf"].([]any)
	if len(published) != len(ours) {
		d.add(path, "%d variants, published with %d", len(ours), len(published))
	}
	for _, variant := range published {
		tag := tagOf(variant)
		i := slices.IndexFunc(ours, func(v any) bool { return tagOf(v) == tag })
		if i < 0 {
			d.add(path, "variant %s is missing", tag)
			continue
		}
		d.schema(path+"("+tag+")", variant, ours[i])
	}
}

// plain resolves what is only spelling: references, an allOf of one, an anyOf of
// one and null. It gives a flat copy and the last reference followed.
func plain(root object, v any) (flat object, ref string) {
	schema, ok := v.(object)
	if !ok {
		if v == true {
			return object{}, ""
		}
		return object{"const": v}, "" // false or no schema: equal to nothing else
	}
	flat = object{}
	inherit := func(inner any, nullable bool) {
		base, innerRef := plain(root, inner)
		maps.Copy(flat, base)
		ref = innerRef
		if nullable {
			flat["type"] = append(list(flat["type"]), "null")
		}
	}
	if name, ok := schema["$ref"].(string); ok {
		definitions, _ := root["definitions"].(object)
		inherit(definitions[strings.TrimPrefix(name, "#/definitions/")], false)
		ref = name
	}
	all, choice := list(schema["allOf"]), list(schema["anyOf"])
	one := len(all) == 1
	nullable := len(choice) == 2 && spell(choice[1]) == `{"type":"null"}`
	if one {
		inherit(all[0], false)
	}
	if nullable {
		inherit(choice[0], true)
	}
	for keyword, value := range schema {
		resolved := keyword == "$ref" || keyword == "definitions" ||
			keyword == "allOf" && one || keyword == "anyOf" && nullable
		if !resolved {
			flat[keyword] = value
		}
	}
	return flat, ref
}

func get(o object, keyword string) any {
	if v, ok := o[keyword]; ok {
		return v
	}
	return absent{}
}

// list gives a list as it is, and one value as a list of one.
func list(v any) []any {
	switch v := v.(type) {
	case nil:
		return nil
	case []any:
		return slices.Clone(v)
	}
	return []any{v}
}

// sorted makes a set comparable; a missing one stays missing.
func sorted(v any) any {
	if v == (any)(absent{}) {
		return v
	}
	set := list(v)
	slices.SortFunc(set, func(a, b any) int { return strings.Compare(spell(a), spell(b)) })
	return set
}

// spell prints a value for comparison and for people.
func spell(v any) string {
	if v == (any)(absent{}) {
		return "absent"
	}
	text, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// tagOf names a variant by its one-value members, such as role=user.
func tagOf(v any) string {
	schema, _ := v.(object)
	properties, _ := schema["properties"].(object)
	var tags []string
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		property, _ := properties[name].(object)
		if values := list(property["enum"]); len(values) == 1 {
			tags = append(tags, fmt.Sprintf("%s=%v", name, values[0]))
		}
	}
	return strings.Join(tags, ",")
}
