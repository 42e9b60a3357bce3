package contract

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
)

// Undescribed lists the members of a schema, at any depth, that have no
// description.
func Undescribed(schema []byte) ([]string, error) {
	var root object
	if err := json.Unmarshal(schema, &root); err != nil {
		return nil, fmt.Errorf("reading a schema: %w", err)
	}
	var missing []string
	var walk func(path string, v any)
	walk = func(path string, v any) {
		s, _ := v.(object)
		properties, _ := s["properties"].(object)
		for _, name := range slices.Sorted(maps.Keys(properties)) {
			p, _ := properties[name].(object)
			if text, _ := p["description"].(string); text == "" {
				missing = append(missing, path+"."+name)
			}
			walk(path+"."+name, p)
		}
		if items, ok := s["items"]; ok {
			walk(path+"[]", items)
		}
		for _, keyword := range []string{"oneOf", "anyOf", "allOf"} {
			for i, inner := range list(s[keyword]) {
				walk(fmt.Sprintf("%s/%s/%d", path, keyword, i), inner)
			}
		}
		definitions, _ := s["definitions"].(object)
		for _, name := range slices.Sorted(maps.Keys(definitions)) {
			walk(name, definitions[name])
		}
	}
	walk("$", root)
	return missing, nil
}
