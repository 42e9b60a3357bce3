package functions

import "context-manager/internal/agent"

// CountTokensRequest is what context::count-tokens takes.
type CountTokensRequest struct {
	Model        agent.ModelInput    `json:"model" jsonschema_description:"The model whose tokenizer counts, where its encoding is public."`
	Messages     *agent.Messages     `json:"messages,omitempty" jsonschema_description:"The messages to count, oldest first. Absent or null is refused, although this schema lets it pass."`
	SystemPrompt *string             `json:"system_prompt,omitempty" jsonschema_default:"null" jsonschema_description:"A system prompt to count as well."`
	Tools        []agent.Function    `json:"tools,omitempty" jsonschema_default:"null" jsonschema_description:"Functions offered to the model, to count as well."`
	Options      *CountTokensOptions `json:"options,omitempty" jsonschema_default:"null" jsonschema_description:"Settings for this call alone."`
}

// CountTokensOptions are the settings of one context::count-tokens call. Nil
// takes the configured value.
type CountTokensOptions struct {
	Estimator            *EstimatorChoice `json:"estimator,omitempty" jsonschema_default:"null" jsonschema_description:"How tokens are counted in this call. The configured estimator when absent."`
	HeuristicImageTokens *uint64          `json:"heuristic_image_tokens,omitempty" jsonschema:"maximum=100000" jsonschema_default:"null" jsonschema_description:"Tokens that the heuristic charges for one image; 0 counts its base64 as text. The configured value when absent."`
}

// CountTokensResponse is what context::count-tokens answers.
type CountTokensResponse struct {
	Tokens      uint64        `json:"tokens" jsonschema_description:"Estimated tokens of messages, system prompt and tools together."`
	ByRole      *ByRoleTokens `json:"by_role,omitempty" jsonschema_description:"The messages' part of the tokens, by role. System prompt and tools are in none of them. Always present in answers."`
	Estimator   EstimatorName `json:"estimator" jsonschema_description:"The estimator that ran."`
	Calibration string        `json:"calibration,omitempty" jsonschema_description:"Name of the measured rates, when the fitted estimator ran."`
}

// ByRoleTokens are the estimated tokens of messages by their role.
type ByRoleTokens struct {
	User           uint64 `json:"user" jsonschema_description:"Tokens of user messages."`
	Assistant      uint64 `json:"assistant" jsonschema_description:"Tokens of assistant messages."`
	FunctionResult uint64 `json:"function_result" jsonschema_description:"Tokens of function_result messages."`
	Custom         uint64 `json:"custom" jsonschema_description:"Tokens of custom messages."`
}

// SchemaDescription describes the type in the schemas.
func (ByRoleTokens) SchemaDescription() string { return "Estimated tokens of messages, by role." }
