package functions

// EstimatorName says which estimator produced a count.
type EstimatorName string

// The published estimator names. A fitted count is a heuristic one with a
// calibration named beside it.
const (
	EstimatorTokenizer EstimatorName = "tokenizer"
	EstimatorHeuristic EstimatorName = "heuristic"
)

// SchemaEnum lists the published values, in published order.
func (EstimatorName) SchemaEnum() []string { return []string{"tokenizer", "heuristic"} }

// SchemaDescription describes the enum in the schemas.
func (EstimatorName) SchemaDescription() string { return "The estimator that produced a count." }

// EstimatorChoice is a request's wish for an estimator. Empty is ChooseAuto.
type EstimatorChoice string

// The estimators that can be asked for.
const (
	ChooseAuto      EstimatorChoice = "auto"      // tokenizer where the model has one, else heuristic
	ChooseHeuristic EstimatorChoice = "heuristic" // bytes/4, for every model
	ChooseFitted    EstimatorChoice = "fitted"    // bytes by kind of content, at measured rates
)

// SchemaEnum lists the values.
func (EstimatorChoice) SchemaEnum() []string { return []string{"auto", "heuristic", "fitted"} }

// SchemaDescription describes the enum in the schemas.
func (EstimatorChoice) SchemaDescription() string {
	return "auto takes the model's own tokenizer where its encoding is public and the heuristic elsewhere; heuristic is a quarter of the bytes; fitted uses rates measured per kind of content."
}

// ModelResolved says where the model limits of an answer came from.
type ModelResolved string

// The published sources of limits.
const (
	ResolvedInline   ModelResolved = "inline"
	ResolvedRouter   ModelResolved = "router"
	ResolvedFallback ModelResolved = "fallback"
)

// SchemaEnum lists the published values, in published order.
func (ModelResolved) SchemaEnum() []string { return []string{"inline", "router", "fallback"} }

// SchemaDescription describes the enum in the schemas.
func (ModelResolved) SchemaDescription() string {
	return "Where the model's limits came from: the request, the router, or a conservative guess because neither knew."
}

// SkipReason says why no summary was written. Which ones are worth a retry is
// the caller's judgement; lease_busy and unavailable pass by themselves.
type SkipReason string

// The reasons.
const (
	SkipDisabled         SkipReason = "disabled"           // allow_compaction is false
	SkipNothingToCompact SkipReason = "nothing_to_compact" // the tail takes the whole history
	SkipLeaseBusy        SkipReason = "lease_busy"         // another compaction of the key is running
	SkipLeaseUnavailable SkipReason = "lease_unavailable"  // the lease store cannot be used
	SkipUnavailable      SkipReason = "unavailable"        // no summariser can be reached
	SkipFailed           SkipReason = "failed"             // the summariser reported an error
	SkipEmpty            SkipReason = "empty"              // the summary was blank
	SkipRejected         SkipReason = "rejected"           // the summary was cut, aborted or saved nothing
	SkipFloor            SkipReason = "floor"              // no summary could have made it fit
	SkipTooManyChunks    SkipReason = "too_many_chunks"    // the head needs more summariser calls than allowed
)

// SchemaEnum lists the values.
func (SkipReason) SchemaEnum() []string {
	return []string{
		"disabled", "nothing_to_compact", "lease_busy", "lease_unavailable", "unavailable",
		"failed", "empty", "rejected", "floor", "too_many_chunks",
	}
}

// SchemaDescription describes the enum in the schemas.
func (SkipReason) SchemaDescription() string { return "Why no summary was written." }

// WarningCode names an oddity in a history that is passed through unchanged.
type WarningCode string

// The warnings.
const (
	WarnOrphanResult    WarningCode = "orphan_result"    // a result without an earlier call
	WarnDuplicateResult WarningCode = "duplicate_result" // a second answer to one call
)

// SchemaEnum lists the values.
func (WarningCode) SchemaEnum() []string { return []string{"orphan_result", "duplicate_result"} }

// SchemaDescription describes the enum in the schemas.
func (WarningCode) SchemaDescription() string {
	return "What is odd: a result that answers no earlier call, or a second answer to one call."
}
