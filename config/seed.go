package config

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"
)

// maxSeed is the longest settings file that is read, in bytes. A dozen keys
// with long comments fit; the YAML parser is quadratic in nesting and would
// take most of a minute for four times as much of nothing but brackets.
const maxSeed = 16 << 10

var errTooLong = fmt.Errorf("the file is longer than %d bytes", maxSeed)

// ReadSeed reads a settings file for DecodeSeed. It must be a regular file of
// at most 16 KiB; symbolic links are followed.
func ReadSeed(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() { // opening a pipe would wait for a writer
		return nil, &FileError{File: path, Err: errors.New("it is not a regular file")}
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, maxSeed+1))
	if err != nil {
		return nil, err
	}
	if len(data) > maxSeed {
		return nil, &FileError{File: path, Err: errTooLong}
	}
	return data, nil
}

// DecodeSeed reads a settings file in YAML, in which ${VAR} and ${VAR:default}
// stand for what getenv finds; nil finds nothing. A variable that is not set
// and has no default is empty, with a warning; a ${ that does not end on its
// line is text. given holds the keys that the file sets with their values as
// JSON. Unknown keys, duplicates and values out of range are refused with a
// *FileError, and then the settings are the defaults and given is nil.
//
// Variables are expanded inside values after the file was parsed, so that no
// value can add a key or end a line: in a plain value the result is read as
// YAML, in a quoted one it is text.
func DecodeSeed(path string, data []byte, getenv func(string) (string, bool)) (
	s Settings, given map[string]json.RawMessage, warnings []string, err error) {
	d := seedDecoder{path: path, getenv: getenv}
	s, given, err = d.decode(data)
	if err != nil {
		return Default(), nil, d.warnings, err
	}
	return s, given, d.warnings, nil
}

type seedDecoder struct {
	path     string
	getenv   func(string) (string, bool)
	holes    holes
	warnings []string
}

func (d *seedDecoder) decode(data []byte) (Settings, map[string]json.RawMessage, error) {
	s, given := Default(), map[string]json.RawMessage{}
	if len(data) > maxSeed {
		return s, nil, &FileError{File: d.path, Err: errTooLong}
	}
	if !utf8.Valid(data) {
		return s, nil, &FileError{File: d.path, Line: badLine(data), Err: errors.New("invalid UTF-8")}
	}
	pairs, err := d.parse(data)
	if err != nil {
		return s, nil, err
	}
	for _, pair := range pairs {
		line := pair.Key.GetToken().Position.Line
		name := d.holes.restore(pair.Key.GetToken().Value)
		k, known := lookup(name)
		if !known {
			return s, nil, &FileError{File: d.path, Line: line, Err: unknownField(name)}
		}
		v := d.scalar(pair.Value, line, name)
		if _, twice := given[name]; twice {
			return s, nil, &FileError{File: d.path, Line: line, Err: k.twice(v)}
		}
		if err := k.set(&s, v); err != nil {
			return s, nil, &FileError{File: d.path, Line: line, Err: err}
		}
		given[name] = encode(k.value(&s))
	}
	return s, given, nil
}

// parse returns the pairs of the mapping that the file is. A file without
// content is an empty mapping.
func (d *seedDecoder) parse(data []byte) ([]*ast.MappingValueNode, error) {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	data = bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n")) // the parser counts a comment's CRLF twice
	data, d.holes = dig(data)
	file, err := parseYAML(data)
	if err != nil {
		place := &FileError{File: d.path, Err: err}
		if syntax := (*yaml.SyntaxError)(nil); errors.As(err, &syntax) {
			// Only the sentence: the excerpt around it would show our marks.
			place.Err = errors.New(d.holes.restore(syntax.Message))
			if syntax.Token != nil && syntax.Token.Position != nil {
				place.Line = syntax.Token.Position.Line
			}
		}
		return nil, place
	}
	var root ast.Node
	for _, document := range file.Docs {
		switch document.Body.(type) {
		case nil, *ast.DirectiveNode, *ast.CommentGroupNode:
			continue
		}
		root = document.Body
	}
	switch root := root.(type) {
	case nil, *ast.NullNode:
		return nil, nil
	case *ast.MappingNode:
		return root.Values, nil
	case *ast.MappingValueNode:
		return []*ast.MappingValueNode{root}, nil
	default:
		return nil, &FileError{File: d.path, Line: lineOf(root), Err: &FieldError{
			Value: d.scalar(root, lineOf(root), "the file").shown(), Problem: "is not a mapping", Want: "key: value lines"}}
	}
}

// scalar reads the value of a key and expands variables in it.
func (d *seedDecoder) scalar(n ast.Node, line int, name string) scalar {
	expand := func(s string) string {
		return d.holes.fill(s, func(h hole) string {
			if d.getenv != nil {
				if v, ok := d.getenv(h.name); ok {
					return v
				}
			}
			if !h.hasDefault {
				d.warnings = append(d.warnings, fmt.Sprintf(
					"%s:%d: %s: environment variable %s is not set and counts as empty", d.path, line, name, h.name))
			}
			return h.fallback
		})
	}
	switch n := n.(type) {
	case nil:
		return scalar{null, "null"}
	case *ast.MappingNode, *ast.MappingValueNode:
		return scalar{other, "a mapping"}
	case *ast.SequenceNode:
		return scalar{other, "a list"}
	case *ast.AliasNode, *ast.AnchorNode, *ast.TagNode:
		return scalar{other, "an alias, anchor or tag"}
	case *ast.LiteralNode:
		return scalar{text, expand(n.Value.GetToken().Value)}
	}
	t := n.GetToken()
	if t.Type == token.SingleQuoteType || t.Type == token.DoubleQuoteType {
		return scalar{text, expand(t.Value)}
	}
	return plain(strings.TrimSpace(expand(t.Value)))
}

func lineOf(n ast.Node) int {
	if t := n.GetToken(); t != nil && t.Position != nil {
		return t.Position.Line
	}
	return 0
}

// badLine is the line of the first byte that is no UTF-8.
func badLine(data []byte) int {
	line := 1
	for len(data) > 0 {
		r, size := utf8.DecodeRune(data)
		if r == utf8.RuneError && size == 1 {
			break
		}
		if r == '\n' {
			line++
		}
		data = data[size:]
	}
	return line
}
