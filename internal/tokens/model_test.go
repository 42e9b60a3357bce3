package tokens_test

import (
	"testing"

	"context-manager/internal/tokens"
	"context-manager/internal/tokens/bpe"
)

func TestEncodingForModel(t *testing.T) {
	t.Parallel()
	for want, ids := range map[bpe.Encoding][]string{
		bpe.O200kBase: {
			"gpt-5", "gpt-5-mini", "gpt-5-nano-2025-08-07", "gpt-5.1", "gpt-5.2-codex", "gpt-5-chat-latest",
			"gpt-4.5-preview", "gpt-4.1", "gpt-4.1-mini-2025-04-14", "gpt-4.1-nano",
			"gpt-4o", "gpt-4o-mini", "gpt-4o-2024-08-06", "chatgpt-4o-latest",
			"o1", "o1-preview", "o1-pro", "o3", "o3-mini-2025-01-31", "o3-deep-research", "o4-mini", "o4-mini-deep-research",
			"ft:gpt-4o:org::id", "ft:gpt-4o-mini-2024-07-18:my-org:suffix:abc123", "ft:gpt-4.1-mini-2025-04-14:org::id",
			"openai/gpt-4o", "openrouter::openai/gpt-4o", "openrouter/openai/gpt-5-mini", "azure/gpt-4o", "litellm/azure/o3",
			"my-gateway::gpt-4o", "openai::ft:gpt-4o:org::id", "azure/ft:gpt-4o:org::id", "openrouter::openai/gpt-4o:extended",
			"GPT-4o", "OpenAI/GPT-4.1", "github/gpt-4o@2024-08-06",
		},
		bpe.O200kHarmony: {
			"gpt-oss-120b", "gpt-oss:20b", "openai/gpt-oss-20b:free", "groq/openai/gpt-oss-120b", "openai.gpt-oss-120b-1:0",
			"fireworks::accounts/fireworks/models/gpt-oss-20b", "us.openai.gpt-oss-20b-1:0",
		},
		bpe.CL100kBase: {
			"gpt-4", "gpt-4-0613", "gpt-4-32k", "gpt-4-turbo", "gpt-4-vision-preview", "gpt-4-1106-preview",
			"gpt-3.5", "gpt-3.5-turbo", "gpt-3.5-turbo-16k", "gpt-3.5-turbo-instruct", "gpt-35-turbo", "gpt-35-turbo-16k",
			"text-embedding-ada-002", "text-embedding-3-small", "text-embedding-3-large", "davinci-002", "babbage-002",
			"ft:gpt-3.5-turbo-0125:org::id", "ft:babbage-002:org", "azure/gpt-35-turbo",
		},
		bpe.P50kBase: {"text-davinci-003", "text-davinci-002", "code-davinci-002", "code-cushman-001", "davinci-codex", "text-davinci-edit-001"},
		bpe.R50kBase: {"text-davinci-001", "davinci", "curie", "ada", "text-similarity-ada-001", "code-search-ada-code-001", "gpt2", "gpt-2"},
		"": {
			"", "gpt", "gpt-", "gpt-4.2", "gpt-4.10", "gpt-4oo", "gpt-40", "gpt-6", "gpt-50", "gpt-4all", "gpt4", "o2", "o1x", "o4", "o5-mini", "o11",
			"claude-sonnet-4", "anthropic/claude-3-5-haiku", "gemini-2.5-pro", "deepseek-chat", "llama-3", "mistral-large", "grok-4", "qwen3",
			"someone/gpt-4o", "openai/someone/gpt-4o", "openrouter::someone/gpt-4o", "my-gpt-4o", "not-gpt-4", "gpt-4o/", "/gpt-4o", "::", "ft:", "ft:claude:org::id",
			"text-davinci-004", "text-embedding-3-small-x", "adamant", "davinci-003", "acme.openai.gpt-oss-20b", "gpt-j-6b", "gpt-neo",
		},
	} {
		for _, id := range ids {
			got, ok := tokens.EncodingForModel(id)
			if got != want || ok != (want != "") {
				t.Errorf("%q: got %q, %v, want %q", id, got, ok, want)
			}
		}
	}
}

func TestForChoosesTheEstimator(t *testing.T) {
	t.Parallel()
	const none = ""
	tests := []struct {
		name, model       string
		choice            tokens.Choice
		want, calibration string
	}{
		{"auto takes the tokenizer where there is one", "gpt-4o", tokens.Auto, "tokenizer", none},
		{"the zero choice is auto", "gpt-4o", "", "tokenizer", none},
		{"auto takes the heuristic elsewhere", "claude-sonnet-4", tokens.Auto, "heuristic", none},
		{"auto takes the heuristic for an unknown name", "m-1", tokens.Auto, "heuristic", none},
		{"the heuristic can be asked for", "gpt-4o", tokens.ByHeuristic, "heuristic", none},
		{"fitted is for Claude", "claude-sonnet-4", tokens.ByFitted, "heuristic", "claude-1"},
		{"fitted is for Claude through a router", "openrouter::anthropic/claude-opus-4.1", tokens.ByFitted, "heuristic", "claude-1"},
		{"fitted is for Claude on Bedrock", "us.anthropic.claude-3-7-sonnet-20250219-v1:0", tokens.ByFitted, "heuristic", "claude-1"},
		{"fitted is for Claude on Vertex", "vertex_ai/claude-3-5-sonnet@20240620", tokens.ByFitted, "heuristic", "claude-1"},
		{"fitted is auto for a public encoding", "o3", tokens.ByFitted, "tokenizer", none},
		{"fitted is auto for an unknown name", "claudette", tokens.ByFitted, "heuristic", none},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			e := tokens.For(tt.model, tt.choice, tokens.Options{})
			if e.Name() != tt.want || e.Calibration() != tt.calibration {
				t.Errorf("got %q, %q, want %q, %q", e.Name(), e.Calibration(), tt.want, tt.calibration)
			}
		})
	}
}
