package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"strings"

	"context-manager/functions"
)

// functionDocument is one function as schema prints it.
type functionDocument struct {
	Name           string             `json:"name"`
	Description    string             `json:"description"`
	Metadata       functions.Metadata `json:"metadata"`
	RequestSchema  json.RawMessage    `json:"request_schema"`
	ResponseSchema json.RawMessage    `json:"response_schema"`
}

func runSchema(_ context.Context, p process) error {
	rest, stop, err := parse(p, func(*flag.FlagSet) {})
	if stop || err != nil {
		return err
	}
	if len(rest) > 1 {
		return badUsage("schema takes at most one function")
	}
	doc := struct {
		Functions []functionDocument `json:"functions"`
		Triggers  []struct{}         `json:"triggers"`
	}{Functions: []functionDocument{}, Triggers: []struct{}{}}
	for i := range functions.Specs {
		s := &functions.Specs[i]
		if len(rest) == 1 && s.ID != functionID(rest[0]) {
			continue
		}
		doc.Functions = append(doc.Functions, functionDocument{
			Name: s.ID, Description: s.Description, Metadata: s.Metadata,
			RequestSchema: s.RequestSchema(), ResponseSchema: s.ResponseSchema(),
		})
	}
	if len(doc.Functions) == 0 {
		return unknownFunction(rest[0])
	}
	var buf bytes.Buffer
	e := json.NewEncoder(&buf)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(doc); err != nil {
		return err
	}
	_, err = p.stdout.Write(buf.Bytes())
	return err
}

// functionID completes a short name: assemble stands for context::assemble.
func functionID(name string) string {
	if strings.Contains(name, "::") {
		return name
	}
	return "context::" + name
}

func unknownFunction(name string) error {
	ids := make([]string, len(functions.Specs))
	for i := range functions.Specs {
		ids[i] = functions.Specs[i].ID
	}
	return badUsage("unknown function %q, want one of %s", name, strings.Join(ids, ", "))
}
