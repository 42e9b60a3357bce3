package schema

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Skeleton reduces a document of schemas to what a contract test compares:
// names, types, enums, defaults, required members, formats and bounds. Prose
// goes: the description, $comment and examples of every schema, and the
// description of whatever else the document lists. Three kinds of document are
// understood: a schema; a list of functions whose members request_schema and
// response_schema are schemas; an endpoint with an inputSchema beside worked
// examples, whose values are kept. A member that happens to be called
// description stays. The output is deterministic and has no final newline.
func Skeleton(document []byte) (json.RawMessage, error) {
	v, err := parse(document)
	if err != nil {
		return nil, fmt.Errorf("making a skeleton: %w", err)
	}
	root, ok := v.(object)
	if !ok {
		return nil, fmt.Errorf("making a skeleton: the document is no object")
	}
	if _, ok := root["$schema"]; ok {
		return encode(stripSchema(root))
	}
	return encode(stripDocument(root))
}

// stripDocument walks what is around the schemas.
func stripDocument(v any) any {
	switch v := v.(type) {
	case object:
		out := make(object, len(v))
		for key, inner := range v {
			_, prose := inner.(string)
			switch {
			case key == "description" && prose:
			case strings.HasSuffix(key, "_schema"), strings.HasSuffix(key, "Schema"):
				out[key] = stripSchema(inner)
			case strings.HasSuffix(key, "Example"):
				out[key] = inner
			default:
				out[key] = stripDocument(inner)
			}
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, inner := range v {
			out[i] = stripDocument(inner)
		}
		return out
	}
	return v
}

// stripSchema walks a schema by the meaning of its keywords, so that members
// and values are never taken for keywords.
func stripSchema(v any) any {
	schema, ok := v.(object)
	if !ok { // true, false, or no schema at all
		return v
	}
	out := make(object, len(schema))
	for key, inner := range schema {
		switch key {
		case "description", "$comment", "examples":
		case "properties", "patternProperties", "definitions", "$defs":
			out[key] = stripNamed(inner)
		case "allOf", "anyOf", "oneOf":
			out[key] = stripList(inner)
		case "items":
			if _, tuple := inner.([]any); tuple {
				out[key] = stripList(inner)
				break
			}
			out[key] = stripSchema(inner)
		case "additionalProperties", "propertyNames", "additionalItems", "contains", "not", "if", "then", "else":
			out[key] = stripSchema(inner)
		default:
			out[key] = inner
		}
	}
	return out
}

func stripNamed(v any) any {
	named, ok := v.(object)
	if !ok {
		return v
	}
	out := make(object, len(named))
	for name, inner := range named {
		out[name] = stripSchema(inner)
	}
	return out
}

func stripList(v any) any {
	list, ok := v.([]any)
	if !ok {
		return v
	}
	out := make([]any, len(list))
	for i, inner := range list {
		out[i] = stripSchema(inner)
	}
	return out
}
