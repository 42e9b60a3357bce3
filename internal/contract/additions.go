package contract

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
)

// Additions lists the members of our schema that the published one does not
// have, sorted: Name.member in a definition, $.member at the root, and
// Name/tag=value.member in a variant. Definitions of our own are not looked
// into; the member that refers to one is listed.
func Additions(published, ours []byte) ([]string, error) {
	var p, o object
	if err := json.Unmarshal(published, &p); err != nil {
		return nil, fmt.Errorf("reading the published schema: %w", err)
	}
	if err := json.Unmarshal(ours, &o); err != nil {
		return nil, fmt.Errorf("reading our schema: %w", err)
	}
	var added []string
	var visit func(path string, published, ours object)
	visit = func(path string, published, ours object) {
		known, _ := published["properties"].(object)
		mine, _ := ours["properties"].(object)
		for name := range maps.Keys(mine) {
			if _, ok := known[name]; !ok {
				added = append(added, path+"."+name)
			}
		}
		for _, variant := range list(published["oneOf"]) {
			tag := tagOf(variant)
			for _, v := range list(ours["oneOf"]) {
				if tagOf(v) == tag {
					visit(path+"/"+tag, variant.(object), v.(object))
				}
			}
		}
	}
	visit("$", p, o)
	known, _ := p["definitions"].(object)
	mine, _ := o["definitions"].(object)
	for name, def := range known {
		theirs, _ := def.(object)
		same, _ := mine[name].(object)
		visit(name, theirs, same)
	}
	slices.Sort(added)
	return added, nil
}
