package agent

import "encoding/json"

// ModelInput names the model that a request is for. Limits in it keep the call
// standalone; without them the router is asked for the limits of ID.
type ModelInput struct {
	ID       string       `json:"id" jsonschema_description:"The id that the model goes by, for example claude-sonnet-4."`
	Provider *string      `json:"provider,omitempty" jsonschema_description:"Provider id, such as anthropic. Needed when more than one provider serves the model id."`
	Limits   *ModelLimits `json:"limits,omitempty" jsonschema_description:"Token limits of the model. When they are given, the router is not asked."`
}

// SchemaDescription describes the type in the schemas.
func (ModelInput) SchemaDescription() string {
	return "The model that a request is for: an id that the router resolves, or an id with limits of the caller's own."
}

// ModelLimits are the token limits of a model. Zero is a valid limit.
type ModelLimits struct {
	ContextWindow   uint64  `json:"context_window" jsonschema_description:"Tokens that input and output may take together."`
	MaxOutputTokens uint64  `json:"max_output_tokens" jsonschema_description:"Tokens that the model may write in one call."`
	InputLimit      *uint64 `json:"input_limit,omitempty" jsonschema_description:"Tokens that the input alone may take, where the provider sets such a limit."`
}

// SchemaDescription describes the type in the schemas.
func (ModelLimits) SchemaDescription() string {
	return "Token limits that a caller gives itself, so that nothing has to be looked up."
}

// Usage is what a provider billed for one answer: tokens, and dollars in
// CostUSD. Nil means that the provider did not say.
type Usage struct {
	CacheRead  *uint64  `json:"cache_read,omitempty" jsonschema_description:"Input tokens read from the provider's prompt cache."`
	CacheWrite *uint64  `json:"cache_write,omitempty" jsonschema_description:"Input tokens written to the provider's prompt cache."`
	CostUSD    *float64 `json:"cost_usd,omitempty" jsonschema_description:"Price of the answer in US dollars."`
	Input      *uint64  `json:"input,omitempty" jsonschema_description:"Input tokens billed."`
	Output     *uint64  `json:"output,omitempty" jsonschema_description:"Output tokens billed."`
	Reasoning  *uint64  `json:"reasoning,omitempty" jsonschema_description:"Output tokens spent on reasoning."`
}

// SchemaDescription describes the type in the schemas.
func (Usage) SchemaDescription() string {
	return "Tokens and cost of one answer, as the provider reported them."
}

// FunctionEntry is a function as it is offered to a model. It is the source of
// the schema AgentFunction; entries that arrive stay raw in [Function].
type FunctionEntry struct {
	Name          string          `json:"name" jsonschema_description:"The name under which the model calls the function."`
	Description   string          `json:"description" jsonschema_description:"What the model is told about the function."`
	Parameters    json.RawMessage `json:"parameters" jsonschema_default:"null" jsonschema_description:"What arguments the function takes, as a JSON Schema."`
	Label         *string         `json:"label,omitempty" jsonschema_description:"A name for people to read."`
	ExecutionMode *ExecutionMode  `json:"execution_mode,omitempty" jsonschema_description:"Whether calls of the function may overlap."`
}

// SchemaDescription describes the type in the schemas.
func (FunctionEntry) SchemaDescription() string {
	return "A function as it is offered to a model. Its name, description and parameters are part of every request and cost tokens."
}
