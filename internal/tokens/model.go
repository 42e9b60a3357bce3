package tokens

import (
	"strings"

	"context-manager/internal/tokens/bpe"
)

// EncodingForModel returns the encoding of a model whose encoding is public.
// It takes a model's id as providers and routers write it: a dated or fine-
// tuned version (gpt-4o-2024-08-06, ft:gpt-4o:org::id), with the names of
// routers in front (openrouter::openai/gpt-4o, azure/gpt-4o), in any case. It
// never guesses: ok is false for a name it does not know.
func EncodingForModel(id string) (e bpe.Encoding, ok bool) {
	return encodingOf(plainModel(id))
}

// encodingOf is EncodingForModel for a bare name.
func encodingOf(name string) (bpe.Encoding, bool) {
	for _, f := range families {
		if f.matches(name) {
			return f.encoding, true
		}
	}
	return "", false
}

// plainModel returns the bare name of a model, or "" when there is something
// in front of it that is no known router.
func plainModel(id string) string {
	name := strings.ToLower(id)
	// A provider of the router's, under whatever name it was given there.
	if provider, rest, ok := strings.Cut(name, "::"); ok && !strings.ContainsAny(provider, "/:") {
		name = rest
	}
	for !strings.HasPrefix(name, "ft:") {
		first, rest, ok := strings.Cut(name, "/")
		if !ok {
			break
		}
		if !routers[first] {
			return ""
		}
		name = rest
	}
	if tuned, ok := strings.CutPrefix(name, "ft:"); ok {
		name, _, _ = strings.Cut(tuned, ":")
	}
	// Amazon Bedrock: us.anthropic.claude-…, openai.gpt-oss-….
	for _, vendor := range []string{"openai.", "anthropic."} {
		if region, rest, ok := strings.Cut(name, vendor); ok && regions[region] {
			name = rest
		}
	}
	return name
}

// routers are the names that may stand before a slash.
var routers = setOf(`openai anthropic azure azure-openai azure_openai azure_ai openrouter litellm litellm_proxy
	github github_copilot github-copilot vercel vercel_ai_gateway cloudflare portkey helicone requesty
	bedrock vertex vertex_ai groq together together_ai fireworks fireworks_ai deepinfra cerebras novita
	nebius sambanova databricks ollama ollama_chat lmstudio lm_studio vllm hosted_vllm huggingface
	text-completion-openai accounts models`)

// regions may stand before a vendor's name on Bedrock.
var regions = map[string]bool{"": true, "us.": true, "us-gov.": true, "eu.": true, "apac.": true, "jp.": true, "global.": true}

func setOf(words string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(words) {
		set[w] = true
	}
	return set
}

// A family is a model and the versions of it: name alone, or followed by one
// of the bytes in more. With more empty, name alone.
type family struct {
	name     string
	more     string
	encoding bpe.Encoding
}

func (f family) matches(name string) bool {
	rest, ok := strings.CutPrefix(name, f.name)
	return ok && (rest == "" || strings.IndexByte(f.more, rest[0]) >= 0)
}

// versioned begins what may follow a family's name: a date or variant, a tag
// of a router (:free), a version (@2024).
const versioned = "-:@"

var families = []family{
	{"gpt-5", versioned + ".", bpe.O200kBase},
	{"gpt-4.5", versioned, bpe.O200kBase},
	{"gpt-4.1", versioned, bpe.O200kBase},
	{"gpt-4o", versioned, bpe.O200kBase},
	{"chatgpt-4o", versioned, bpe.O200kBase},
	{"o1", versioned, bpe.O200kBase},
	{"o3", versioned, bpe.O200kBase},
	{"o4-mini", versioned, bpe.O200kBase},
	{"gpt-oss", versioned, bpe.O200kHarmony},
	{"gpt-4", versioned, bpe.CL100kBase},
	{"gpt-3.5", versioned, bpe.CL100kBase},
	{"gpt-35-turbo", versioned, bpe.CL100kBase}, // as Azure spells it
	{"davinci-002", versioned, bpe.CL100kBase},
	{"babbage-002", versioned, bpe.CL100kBase},
	{"text-embedding-ada-002", "", bpe.CL100kBase},
	{"text-embedding-3-small", "", bpe.CL100kBase},
	{"text-embedding-3-large", "", bpe.CL100kBase},
	{"text-davinci-003", "", bpe.P50kBase},
	{"text-davinci-002", "", bpe.P50kBase},
	{"text-davinci-edit-001", "", bpe.P50kBase},
	{"code-davinci-edit-001", "", bpe.P50kBase},
	{"code-davinci-002", "", bpe.P50kBase},
	{"code-davinci-001", "", bpe.P50kBase},
	{"code-cushman-002", "", bpe.P50kBase},
	{"code-cushman-001", "", bpe.P50kBase},
	{"davinci-codex", "", bpe.P50kBase},
	{"cushman-codex", "", bpe.P50kBase},
	{"text-davinci-001", "", bpe.R50kBase},
	{"text-curie-001", "", bpe.R50kBase},
	{"text-babbage-001", "", bpe.R50kBase},
	{"text-ada-001", "", bpe.R50kBase},
	{"davinci", "", bpe.R50kBase},
	{"curie", "", bpe.R50kBase},
	{"babbage", "", bpe.R50kBase},
	{"ada", "", bpe.R50kBase},
	{"text-similarity-davinci-001", "", bpe.R50kBase},
	{"text-similarity-curie-001", "", bpe.R50kBase},
	{"text-similarity-babbage-001", "", bpe.R50kBase},
	{"text-similarity-ada-001", "", bpe.R50kBase},
	{"text-search-davinci-doc-001", "", bpe.R50kBase},
	{"text-search-curie-doc-001", "", bpe.R50kBase},
	{"text-search-babbage-doc-001", "", bpe.R50kBase},
	{"text-search-ada-doc-001", "", bpe.R50kBase},
	{"code-search-babbage-code-001", "", bpe.R50kBase},
	{"code-search-ada-code-001", "", bpe.R50kBase},
	{"gpt2", "", bpe.R50kBase}, // the same ranks and pattern
	{"gpt-2", "", bpe.R50kBase},
}

// isClaude reports whether a bare name is that of one of Anthropic's models.
func isClaude(name string) bool {
	return name == "claude" || strings.HasPrefix(name, "claude-")
}
