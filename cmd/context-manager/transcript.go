package main

import (
	_ "embed"
	"encoding/json"
	"fmt"

	"context-manager/internal/agent"
)

// The recorded session of a coding agent at work on this repository, and how it
// goes on in text alone. go run ./internal/transcript records both anew.
var (
	//go:embed transcript.json
	transcriptText []byte
	//go:embed transcript-later.json
	transcriptLaterText []byte
)

// transcript is a history with what the page tells about its function calls.
type transcript struct {
	messages agent.Messages
	calls    map[string]madeCall // by call id
}

// madeCall is one function call of a transcript.
type madeCall struct {
	function string
	about    string // the argument that tells most
}

// readTranscript decodes and joins arrays of messages.
func readTranscript(texts ...[]byte) (transcript, error) {
	t := transcript{calls: map[string]madeCall{}}
	for _, text := range texts {
		list, err := agent.DecodeMessages(text)
		if err != nil {
			return t, fmt.Errorf("reading the bundled transcript: %w", err)
		}
		t.messages = append(t.messages, list...)
	}
	for i := range t.messages {
		blocks := t.messages[i].Blocks()
		for k := range blocks {
			if b := &blocks[k]; b.Type() == agent.BlockFunctionCall {
				t.calls[string(b.CallID())] = madeCall{string(b.FunctionID()), about(b.Arguments())}
			}
		}
	}
	return t, nil
}

// about picks the argument by which a person knows a call.
func about(arguments []byte) string {
	var a struct{ Command, Pattern, Path string }
	if json.Unmarshal(arguments, &a) != nil {
		return ""
	}
	return first(a.Command, a.Pattern, a.Path)
}

// turns counts the messages of the user.
func (t transcript) turns() (n int) {
	for i := range t.messages {
		if t.messages[i].Role() == agent.RoleUser {
			n++
		}
	}
	return n
}
