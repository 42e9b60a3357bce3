package config

import (
	"bytes"
	"encoding/json"
	"fmt"
	"sync"

	"context-manager/internal/schema"
)

// Schema is the draft-07 document that the configuration entry is registered
// with. It is open: the entry's value may be from a newer version, and the
// engine refuses to hand out a value that its schema does not allow. Each
// property has a description, its default and its range, and the top level an
// example of all defaults.
func Schema() json.RawMessage { return bytes.Clone(document()) }

var document = sync.OnceValue(func() json.RawMessage {
	doc, err := makeSchema()
	if err != nil {
		panic(err) // no input reaches this: the types are ours
	}
	return doc
})

func makeSchema() (json.RawMessage, error) {
	plain, err := schema.Of[Settings](schema.Options{})
	if err != nil {
		return nil, err
	}
	var doc map[string]any
	if err := json.Unmarshal(plain, &doc); err != nil {
		return nil, err
	}
	shipped := Default()
	doc["title"] = "context-manager"
	doc["description"] = "Settings of context-manager. Every key may be left out; changes take effect with the next call."
	doc["example"] = shipped
	delete(doc, "required") // every key has a default
	properties, _ := doc["properties"].(map[string]any)
	for _, k := range table {
		property, ok := properties[k.name].(map[string]any)
		if !ok {
			return nil, fmt.Errorf("setting %s is no field", k.name)
		}
		property["default"] = k.value(&shipped)
		for name, limit := range k.limits {
			property[name] = limit
		}
	}
	var buf bytes.Buffer
	e := json.NewEncoder(&buf)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	if err := e.Encode(doc); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(buf.Bytes(), []byte("\n")), nil
}
