package config

import (
	"fmt"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// parseYAML parses a file of one document. A panic of the parser becomes an
// error: the file is an input.
func parseYAML(data []byte) (file *ast.File, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("parsing YAML: %v", r)
		}
	}()
	tokens := lexer.Tokenize(string(data))
	if second := secondDocument(tokens); second != nil {
		return nil, &yaml.SyntaxError{Message: "it begins a second document", Token: second}
	}
	// Duplicates are found later, with the error that JSON has for them.
	return parser.Parse(tokens, 0, parser.AllowDuplicateMapKey())
}

// secondDocument returns the first token of what a file holds beyond its first
// document, or nil. Marks without content begin nothing. The tokens are looked
// at because the parser drops what follows an empty document.
func secondDocument(tokens token.Tokens) *token.Token {
	begun, ended, directive := false, false, 0
	for _, t := range tokens {
		switch t.Type {
		case token.CommentType:
		case token.DirectiveType:
			directive = t.Position.Line // the rest of the line belongs to it
		case token.DocumentHeaderType:
			begun, ended = true, begun
		case token.DocumentEndType:
			begun, ended = true, true
		default:
			if t.Position.Line == directive {
				continue
			}
			if ended {
				return t
			}
			begun = true
		}
	}
	return nil
}
