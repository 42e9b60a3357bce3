package main

import (
	"encoding/json"
	"fmt"

	"context-manager/internal/agent"
)

// The model of the demo is made up; its limits are small enough for the recorded
// session to overflow.
const (
	demoModel  = "demo-32k"
	demoWindow = 32_000
	demoOutput = 4_000
)

const demoSystemPrompt = "You are a coding agent at work in /repo, a Go module. Look before you answer, change no more than " +
	"you were asked to, and show the command that proves what you claim."

const demoTools = `[
{"name":"shell::run","description":"Run a line of shell and return what it prints.","parameters":{"type":"object","properties":{"command":{"type":"string"},"cwd":{"type":"string"}},"required":["command"]}},
{"name":"coder::read","description":"Return a file.","parameters":{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}},
{"name":"coder::search","description":"Search for an extended regular expression below a path.","parameters":{"type":"object","properties":{"pattern":{"type":"string"},"path":{"type":"string"}},"required":["pattern"]}},
{"name":"coder::edit","description":"Replace the one occurrence of a text in a file.","parameters":{"type":"object","properties":{"path":{"type":"string"},"old":{"type":"string"},"new":{"type":"string"}},"required":["path","old","new"]}},
{"name":"coder::create","description":"Write a new file.","parameters":{"type":"object","properties":{"path":{"type":"string"},"content":{"type":"string"}},"required":["path","content"]}}]`

// demoRequest is what a harness would send: the whole session, each time.
func demoRequest(t transcript) []byte {
	var b []byte
	b = fmt.Appendf(b, `{"model":{"id":"%s","limits":{"context_window":%d,"max_output_tokens":%d}},`, demoModel, demoWindow, demoOutput)
	b = append(append(b, `"system_prompt":`...), agent.AppendString(nil, demoSystemPrompt)...)
	b = append(append(b, `,"tools":`...), demoTools...)
	b = append(b, `,"messages":`...)
	return append(t.messages.AppendJSON(b), '}')
}

// byRole are tokens of messages by role.
type byRole struct {
	User           uint64 `json:"user"`
	Assistant      uint64 `json:"assistant"`
	FunctionResult uint64 `json:"function_result"`
}

// assembled is what context::assemble answers, as far as the page tells it.
type assembled struct {
	SystemPrompt string          `json:"system_prompt"`
	Raw          json.RawMessage `json:"messages"`
	TokenCount   uint64          `json:"token_count"`
	Usable       uint64          `json:"usable"`
	Applied      struct {
		InitialTokenCount uint64  `json:"initial_token_count"`
		PrunedTokens      uint64  `json:"pruned_tokens"`
		Compacted         bool    `json:"compacted"`
		Summary           string  `json:"summary"`
		TailStartIndex    int     `json:"tail_start_index"`
		HeadTokens        *uint64 `json:"summarized_head_tokens"`
		Warnings          []struct {
			Code string `json:"code"`
		} `json:"warnings"`
		CompactionSkipped *struct {
			Reason string `json:"reason"`
		} `json:"compaction_skipped"`
	} `json:"applied"`
	Breakdown struct {
		SystemPromptTokens uint64 `json:"system_prompt_tokens"`
		ToolsTokens        uint64 `json:"tools_tokens"`
		ByRole             byRole `json:"by_role"`
	} `json:"breakdown"`

	messages agent.Messages
}

func decodeAssembled(answer []byte) (*assembled, error) {
	a := &assembled{}
	err := json.Unmarshal(answer, a)
	if err == nil {
		a.messages, err = agent.DecodeMessages(a.Raw)
	}
	if err != nil {
		return nil, fmt.Errorf("reading the answer of context::assemble: %w", err)
	}
	return a, nil
}
