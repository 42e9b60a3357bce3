// Package contract holds our work against the published 1.1.0 contract, whose
// skeleton is goldens/contract-1.1.0.json: it compares schemas, makes instances
// that the contract allows, and validates answers. Only tests import it.
package contract

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
)

// Function is one published function.
type Function struct {
	// Name is the function's id, such as context::assemble.
	Name string `json:"name"`
	// Metadata is what the function is registered with.
	Metadata map[string]bool `json:"metadata"`
	// RequestSchema and ResponseSchema are draft-07 documents without prose.
	RequestSchema  json.RawMessage `json:"request_schema"`
	ResponseSchema json.RawMessage `json:"response_schema"`
}

// Published reads the published functions, in the order of the contract.
var Published = sync.OnceValues(func() ([]Function, error) {
	root, err := Root()
	if err != nil {
		return nil, err
	}
	text, err := os.ReadFile(filepath.Join(root, "goldens", "contract-1.1.0.json"))
	if err != nil {
		return nil, fmt.Errorf("reading the contract: %w", err)
	}
	var document struct {
		Functions []Function `json:"functions"`
	}
	if err := json.Unmarshal(text, &document); err != nil {
		return nil, fmt.Errorf("reading the contract: %w", err)
	}
	if len(document.Functions) == 0 {
		return nil, errors.New("reading the contract: it lists no functions")
	}
	return document.Functions, nil
})

// Lookup finds one published function. It fails when the contract cannot be
// read or does not have the function.
func Lookup(name string) (Function, error) {
	functions, err := Published()
	if err != nil {
		return Function{}, err
	}
	for _, f := range functions {
		if f.Name == name {
			return f, nil
		}
	}
	return Function{}, fmt.Errorf("the contract has no function %s", name)
}

// Root finds the directory of go.mod above the working directory. Paths of
// source files would not do: they are gone in a build with -trimpath.
func Root() (string, error) {
	start, err := os.Getwd()
	if err != nil {
		return "", fmt.Errorf("looking for go.mod: %w", err)
	}
	for dir := start; ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		if dir == filepath.Dir(dir) {
			return "", fmt.Errorf("looking for go.mod: not found above %s", start)
		}
	}
}
