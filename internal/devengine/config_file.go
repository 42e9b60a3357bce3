package devengine

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// yaml is an entry as its file has it: everything but the schema. Strings are
// always quoted, so that what is read again is what was written.
func (e *entry) yaml() []byte {
	var b strings.Builder
	b.WriteString("id: " + yamlText(e.id) + "\nname: " + yamlText(e.name) + "\ndescription: " + yamlText(e.description) + "\nvalue:")
	writeYAML(&b, decoded(e.value), "")
	if e.metadata != nil {
		b.WriteString("metadata:")
		writeYAML(&b, decoded(e.metadata), "")
	}
	return []byte(b.String())
}

// decoded is a canonical text as values.
func decoded(text []byte) any {
	v, _ := jsonschema.UnmarshalJSON(strings.NewReader(string(text)))
	return v
}

// writeYAML writes a value behind the colon or dash of its parent.
func writeYAML(b *strings.Builder, v any, indent string) {
	switch v := v.(type) {
	case map[string]any:
		if len(v) == 0 {
			b.WriteString(" {}\n")
			return
		}
		b.WriteByte('\n')
		for _, name := range slices.Sorted(maps.Keys(v)) {
			b.WriteString(indent + "  " + yamlKey(name) + ":")
			writeYAML(b, v[name], indent+"  ")
		}
	case []any:
		if len(v) == 0 {
			b.WriteString(" []\n")
			return
		}
		b.WriteByte('\n')
		for _, item := range v {
			b.WriteString(indent + "  -")
			writeYAML(b, item, indent+"  ")
		}
	case string:
		b.WriteString(" " + yamlText(v) + "\n")
	case json.Number:
		b.WriteString(" " + v.String() + "\n")
	default:
		fmt.Fprintf(b, " %s\n", map[any]string{nil: "null", true: "true", false: "false"}[v])
	}
}

var plainKey = regexp.MustCompile(`^[a-z][a-z0-9_]+$`)

// yamlKey leaves names as they are where no reader of YAML could take them for
// anything else.
func yamlKey(name string) string {
	switch name {
	case "null", "true", "false", "yes", "no", "on", "off":
		return yamlText(name)
	}
	if plainKey.MatchString(name) {
		return name
	}
	return yamlText(name)
}

// yamlText is a double-quoted string. What YAML does not print is escaped.
func yamlText(text string) string {
	b := []byte{'"'}
	for _, r := range text {
		if r < 0x10000 && r >= 0x7f && !unicode.IsPrint(r) {
			b = fmt.Appendf(b, `\u%04x`, r)
		} else {
			b = appendRune(b, r)
		}
	}
	return string(append(b, '"'))
}

// readEntry reads the file of an entry. The name of the file is the id.
func readEntry(id string, text []byte) (*entry, error) {
	file, err := parser.ParseBytes(text, 0)
	if err != nil {
		return nil, errors.New(oneLine(err.Error()))
	}
	if len(file.Docs) != 1 || file.Docs[0].Body == nil {
		return nil, errors.New("wants one document")
	}
	v, err := yamlValue(file.Docs[0].Body, 1)
	if err != nil {
		return nil, err
	}
	root, ok := v.(map[string]any)
	if !ok {
		return nil, errors.New("wants a mapping")
	}
	e := &entry{id: id, value: marshal(root["value"])}
	e.name, _ = root["name"].(string)
	e.description, _ = root["description"].(string)
	if m := root["metadata"]; m != nil {
		e.metadata = marshal(m)
	}
	return e, nil
}

// yamlValue is a node as JSON has it. Plain scalars are read by yamlScalar, so
// a file and an expanded placeholder mean the same. Anchors and tags are
// refused.
func yamlValue(n ast.Node, depth int) (any, error) {
	if depth > maxDepth {
		return nil, errDepth
	}
	switch n := n.(type) {
	case *ast.MappingNode:
		m := map[string]any{}
		for _, v := range n.Values {
			if err := yamlMember(m, v, depth); err != nil {
				return nil, err
			}
		}
		return m, nil
	case *ast.MappingValueNode:
		m := map[string]any{}
		return m, yamlMember(m, n, depth)
	case *ast.SequenceNode:
		list := make([]any, 0, len(n.Values))
		for _, item := range n.Values {
			v, err := yamlValue(item, depth+1)
			if err != nil {
				return nil, err
			}
			list = append(list, v)
		}
		return list, nil
	case *ast.LiteralNode:
		return n.Value.Value, nil
	case *ast.StringNode:
		if n.Token.Type == token.SingleQuoteType || n.Token.Type == token.DoubleQuoteType {
			return n.Value, nil
		}
		return plainScalar(n.Value), nil
	case *ast.NullNode:
		return nil, nil
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.InfinityNode, *ast.NanNode:
		return plainScalar(n.GetToken().Value), nil
	case nil:
		return nil, nil
	default:
		return nil, fmt.Errorf("line %d: %s is not supported", n.GetToken().Position.Line, n.Type())
	}
}

func yamlMember(m map[string]any, n *ast.MappingValueNode, depth int) error {
	v, err := yamlValue(n.Value, depth+1)
	if err != nil {
		return err
	}
	name := n.Key.GetToken().Value
	if s, ok := n.Key.(*ast.StringNode); ok {
		name = s.Value
	}
	m[name] = v
	return nil
}

func plainScalar(text string) any {
	if v, ok := yamlScalar(text); ok {
		return v
	}
	return text
}
