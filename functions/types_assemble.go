package functions

import "context-manager/internal/agent"

// AssembleRequest is what context::assemble takes.
type AssembleRequest struct {
	Model        agent.ModelInput `json:"model" jsonschema_description:"The model whose budget the context has to fit."`
	Messages     *agent.Messages  `json:"messages,omitempty" jsonschema_description:"The whole history, oldest message first. Absent or null is refused, although this schema lets it pass."`
	SystemPrompt *string          `json:"system_prompt,omitempty" jsonschema_default:"null" jsonschema_description:"The system prompt to start from. A summary of earlier turns is appended to it."`
	Tools        []agent.Function `json:"tools,omitempty" jsonschema_default:"null" jsonschema_description:"The functions offered to the model. They are counted, never returned."`
	Options      *AssembleOptions `json:"options,omitempty" jsonschema_description:"Settings for this call alone."`
}

// AssembleOptions are the settings of one context::assemble call. Nil takes the
// configured value.
type AssembleOptions struct {
	AllowCompaction       *bool                `json:"allow_compaction,omitempty" jsonschema_default:"null" jsonschema_description:"Whether a summary may replace the oldest messages when pruning does not free enough. True when absent."`
	AllowPrune            *bool                `json:"allow_prune,omitempty" jsonschema_default:"null" jsonschema_description:"Whether old function outputs may be replaced by placeholders when the context is too large. True when absent."`
	LeaseKey              *string              `json:"lease_key,omitempty" jsonschema_default:"null" jsonschema_description:"Only one compaction runs per key; a session id is a good one. A hash of the messages when absent."`
	PreviousSummary       *string              `json:"previous_summary,omitempty" jsonschema_default:"null" jsonschema_description:"The summary that an earlier call returned. It is appended to the system prompt, and a new compaction brings it up to date. Blank counts as absent."`
	ProtectedFunctions    []string             `json:"protected_functions,omitempty" jsonschema_default:"null" jsonschema_description:"Ids of functions whose outputs pruning leaves alone. The last-resort reduction of oversized outputs may still touch them."`
	RequestOverheadTokens *uint64              `json:"request_overhead_tokens,omitempty" jsonschema_default:"null" jsonschema_description:"Tokens that the final provider request needs beyond prompt, messages and tools. 0 when absent."`
	ReservedTokens        *uint64              `json:"reserved_tokens,omitempty" jsonschema_default:"null" jsonschema_description:"Tokens to keep free. When absent, a configured share of the context window up to a cap: 10 percent, at most 20000."`
	TailTurns             *uint                `json:"tail_turns,omitempty" jsonschema_default:"null" jsonschema_description:"How many of the newest turns a compaction tries to keep word for word. 2 unless configured otherwise."`
	ThinkingLevel         *agent.ThinkingLevel `json:"thinking_level,omitempty" jsonschema_default:"null" jsonschema_description:"Keep room for the reasoning that the model does at this level."`
	Estimator             *EstimatorChoice     `json:"estimator,omitempty" jsonschema_default:"null" jsonschema_description:"How tokens are counted in this call. The configured estimator when absent."`
	HeuristicImageTokens  *uint64              `json:"heuristic_image_tokens,omitempty" jsonschema:"maximum=100000" jsonschema_default:"null" jsonschema_description:"Tokens that the heuristic charges for one image; 0 counts its base64 as text. The configured value when absent."`
}

// AssembleResponse is what context::assemble answers.
type AssembleResponse struct {
	SystemPrompt             string         `json:"system_prompt" jsonschema_description:"The system prompt to send, with the summary of earlier turns when there is one."`
	Messages                 agent.Messages `json:"messages" jsonschema_description:"The messages to send, in the order of the request."`
	TokenCount               uint64         `json:"token_count" jsonschema_description:"Estimated tokens of system prompt, messages, tools and overhead together; never above usable."`
	Usable                   uint64         `json:"usable" jsonschema_description:"The budget in tokens that the context had to fit."`
	EffectiveMaxOutputTokens uint64         `json:"effective_max_output_tokens" jsonschema_description:"Output tokens set aside for the answer. With limits from the router this is the limit of this request, which can be below the model's ceiling."`
	ModelResolved            ModelResolved  `json:"model_resolved" jsonschema_description:"Where the model's limits came from."`
	Applied                  Applied        `json:"applied" jsonschema_description:"What was done to make the context fit."`
	Breakdown                *Breakdown     `json:"breakdown,omitempty" jsonschema_description:"What token_count is made of. Always present in answers."`
}

// Applied tells what an assemble call did to the history.
type Applied struct {
	InitialTokenCount    uint64             `json:"initial_token_count" jsonschema_description:"Estimated tokens of the request before anything was done, with system prompt, tools and overhead."`
	Pruned               bool               `json:"pruned" jsonschema_description:"Whether function outputs were replaced by placeholders."`
	PrunedTokens         uint64             `json:"pruned_tokens" jsonschema_description:"Estimated tokens that pruning freed."`
	Compacted            bool               `json:"compacted" jsonschema_description:"Whether a summary replaced the oldest messages."`
	Summary              *string            `json:"summary,omitempty" jsonschema_description:"The new summary, when compacted. Store it and send it as options.previous_summary from now on."`
	TailStartIndex       *uint              `json:"tail_start_index,omitempty" jsonschema_description:"Position in the request of the first message that stays as it is, when compacted. Null when the summary covers everything."`
	TokensBefore         *uint64            `json:"tokens_before,omitempty" jsonschema_description:"Estimated tokens of the messages that the summary replaces, when compacted."`
	SummarizedHeadTokens *uint64            `json:"summarized_head_tokens,omitempty" jsonschema_description:"The same number as tokens_before, under a name that cannot be taken for the size of the whole request."`
	Warnings             []Warning          `json:"warnings,omitempty" jsonschema_description:"Oddities of the history that were passed through as they are. Absent when there are none."`
	CompactionSkipped    *CompactionSkipped `json:"compaction_skipped,omitempty" jsonschema_description:"Present when a compaction was wanted and did not take place."`
}

// SchemaDescription describes the type in the schemas.
func (Applied) SchemaDescription() string { return "What one call did to make the context fit." }

// Warning points at one odd message of the request.
type Warning struct {
	Code    WarningCode `json:"code" jsonschema_description:"The kind of oddity."`
	Message string      `json:"message" jsonschema_description:"The oddity in a sentence, for people."`
	Index   uint        `json:"index" jsonschema_description:"Index of the message in the request."`
}

// SchemaDescription describes the type in the schemas.
func (Warning) SchemaDescription() string {
	return "Something odd about one message, which was passed through all the same."
}

// CompactionSkipped tells why an assemble call wrote no summary.
type CompactionSkipped struct {
	Reason SkipReason `json:"reason" jsonschema_description:"Why there is no summary."`
}

// SchemaDescription describes the type in the schemas.
func (CompactionSkipped) SchemaDescription() string {
	return "A compaction that was wanted and did not take place."
}

// Breakdown splits a token count into its parts; with the caller's overhead they
// add up to the whole.
type Breakdown struct {
	SystemPromptTokens uint64        `json:"system_prompt_tokens" jsonschema_description:"Estimated tokens of the returned system prompt."`
	ToolsTokens        uint64        `json:"tools_tokens" jsonschema_description:"Estimated tokens of the tools."`
	ByRole             ByRoleTokens  `json:"by_role" jsonschema_description:"Estimated tokens of the returned messages by role."`
	Estimator          EstimatorName `json:"estimator" jsonschema_description:"The estimator that ran."`
	Calibration        string        `json:"calibration,omitempty" jsonschema_description:"Name of the measured rates, when the fitted estimator ran."`
}

// SchemaDescription describes the type in the schemas.
func (Breakdown) SchemaDescription() string { return "What a token count is made of." }
