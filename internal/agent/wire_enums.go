package agent

// The enums below are strings on the wire. In stored messages an unknown
// stop_reason or error_kind is kept as it is, so that one newer message does not
// make a whole history unusable; an unknown thinking level or execution mode in
// a request is refused.

// StopReason says why an assistant message ended.
type StopReason string

// The published stop reasons.
const (
	StopEnd          StopReason = "end"           // the model was done
	StopLength       StopReason = "length"        // the output limit was reached
	StopFunctionCall StopReason = "function_call" // the model waits for results
	StopAborted      StopReason = "aborted"       // the caller cancelled
	StopError        StopReason = "error"         // the call failed, see ErrorKind
)

// SchemaEnum lists the published values, in published order.
func (StopReason) SchemaEnum() []string {
	return []string{"end", "length", "function_call", "aborted", "error"}
}

// SchemaDescription describes the enum in the schemas.
func (StopReason) SchemaDescription() string { return "Why an assistant message ended." }

// ErrorKind is the coarse class of a failed assistant message.
type ErrorKind string

// The published error kinds.
const (
	ErrorAuthExpired     ErrorKind = "auth_expired"     // new credentials are needed
	ErrorRateLimited     ErrorKind = "rate_limited"     // try again later
	ErrorContextOverflow ErrorKind = "context_overflow" // the request did not fit the model
	ErrorTransient       ErrorKind = "transient"        // the same request may work
	ErrorPermanent       ErrorKind = "permanent"        // the same request will fail again
)

// SchemaEnum lists the published values, in published order.
func (ErrorKind) SchemaEnum() []string {
	return []string{"auth_expired", "rate_limited", "context_overflow", "transient", "permanent"}
}

// SchemaDescription describes the enum in the schemas.
func (ErrorKind) SchemaDescription() string { return "What kind of failure ended the answer." }

// ThinkingLevel is a tier of reasoning effort. What it costs in tokens is the
// model's own affair and asked from the router.
type ThinkingLevel string

// The published thinking levels, least effort first.
const (
	ThinkingMinimal ThinkingLevel = "minimal"
	ThinkingLow     ThinkingLevel = "low"
	ThinkingMedium  ThinkingLevel = "medium"
	ThinkingHigh    ThinkingLevel = "high"
	ThinkingXHigh   ThinkingLevel = "xhigh"
)

// SchemaEnum lists the published values, in published order.
func (ThinkingLevel) SchemaEnum() []string {
	return []string{"minimal", "low", "medium", "high", "xhigh"}
}

// SchemaDescription describes the enum in the schemas.
func (ThinkingLevel) SchemaDescription() string {
	return "How much a model reasons before it answers; each model has a token budget of its own for a level."
}

// ExecutionMode says whether calls of one function may overlap.
type ExecutionMode string

// The published execution modes.
const (
	ExecutionParallel   ExecutionMode = "parallel"
	ExecutionSequential ExecutionMode = "sequential"
)

// SchemaEnum lists the published values, in published order.
func (ExecutionMode) SchemaEnum() []string { return []string{"parallel", "sequential"} }

// SchemaDescription describes the enum in the schemas.
func (ExecutionMode) SchemaDescription() string {
	return "Whether calls of the function may run beside each other or one after the other."
}
