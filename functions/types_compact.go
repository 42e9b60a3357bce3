package functions

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"context-manager/internal/agent"
)

// CompactRequest is what context::compact takes.
type CompactRequest struct {
	Model    agent.ModelInput `json:"model" jsonschema_description:"The model that writes the summary and whose budget decides how much is sent to it at a time."`
	Messages *agent.Messages  `json:"messages,omitempty" jsonschema_description:"The whole history, oldest message first. Absent or null is refused, although this schema lets it pass."`
	Options  *CompactOptions  `json:"options,omitempty" jsonschema_description:"Settings for this call alone."`
}

// CompactOptions are the settings of one context::compact call. Nil takes the
// configured value.
type CompactOptions struct {
	LeaseKey             *string          `json:"lease_key,omitempty" jsonschema_default:"null" jsonschema_description:"Only one compaction runs per key; a session id is a good one. A hash of the messages when absent."`
	PreserveRecentTokens *uint64          `json:"preserve_recent_tokens,omitempty" jsonschema_default:"null" jsonschema_description:"Tokens that the kept tail may take. A quarter of the budget, from 2000 to 8000, when absent."`
	PreviousSummary      *string          `json:"previous_summary,omitempty" jsonschema_default:"null" jsonschema_description:"The summary that an earlier call returned. It is brought up to date instead of written anew, so summaries do not grow without end. Blank counts as absent."`
	TailTurns            *uint            `json:"tail_turns,omitempty" jsonschema_default:"null" jsonschema_description:"How many of the newest turns stay word for word. 2 unless configured otherwise."`
	Instructions         *string          `json:"instructions,omitempty" jsonschema_default:"null" jsonschema_description:"What this one summary should pay attention to. Trimmed, blank counts as absent, cut at 2000 characters; the structure of the summary stays the same."`
	Estimator            *EstimatorChoice `json:"estimator,omitempty" jsonschema_default:"null" jsonschema_description:"How tokens are counted in this call. The configured estimator when absent."`
	HeuristicImageTokens *uint64          `json:"heuristic_image_tokens,omitempty" jsonschema:"maximum=100000" jsonschema_default:"null" jsonschema_description:"Tokens that the heuristic charges for one image; 0 counts its base64 as text. The configured value when absent."`
}

// CompactResponse is what context::compact answers: one outcome, told apart by
// status on the wire.
type CompactResponse struct {
	// Outcome is never nil in an answer.
	Outcome CompactOutcome
}

// MarshalJSON writes the outcome with its status first. The zero value is an
// error, because no status fits it.
func (r CompactResponse) MarshalJSON() ([]byte, error) {
	if r.Outcome == nil {
		return nil, errors.New("writing a compact response: it has no outcome")
	}
	var buf bytes.Buffer
	fmt.Fprintf(&buf, `{"status":%q`, r.Outcome.Status())
	start := buf.Len()
	e := json.NewEncoder(&buf)
	e.SetEscapeHTML(false)
	if err := e.Encode(r.Outcome); err != nil {
		return nil, fmt.Errorf("writing a compact response: %w", err)
	}
	out := bytes.TrimSuffix(buf.Bytes(), []byte("\n"))
	if len(out) == start+len("{}") {
		return append(out[:start], '}'), nil
	}
	out[start] = ',' // in place of the outcome's own brace
	return out, nil
}

// CompactOutcome is one of [CompactOK], [CompactBusy], [CompactEmpty] and
// [CompactOverflow].
type CompactOutcome interface {
	// Status is the outcome's name on the wire.
	Status() CompactStatus

	compactOutcome()
}

// CompactStatus names an outcome of context::compact.
type CompactStatus string

// The published outcomes.
const (
	StatusOK       CompactStatus = "ok"
	StatusBusy     CompactStatus = "busy"
	StatusEmpty    CompactStatus = "empty"
	StatusOverflow CompactStatus = "overflow"
)

// CompactOK carries a new summary.
type CompactOK struct {
	Summary          string        `json:"summary" jsonschema_description:"The summary of everything before the tail."`
	TailStartIndex   *uint         `json:"tail_start_index" jsonschema_description:"Position in the request of the first message that stays as it is. Null when the summary covers everything."`
	TokensBefore     uint64        `json:"tokens_before" jsonschema_description:"Estimated tokens of the messages that the summary replaces."`
	TokensAfter      uint64        `json:"tokens_after" jsonschema_description:"Estimated tokens of the summary and the tail together."`
	UsedPriorSummary bool          `json:"used_prior_summary" jsonschema_description:"Whether an earlier summary was brought up to date."`
	Estimator        EstimatorName `json:"estimator,omitempty" jsonschema_description:"The estimator that ran. Always present in answers."`
	Calibration      string        `json:"calibration,omitempty" jsonschema_description:"Name of the measured rates, when the fitted estimator ran."`
}

// CompactBusy says that another compaction has the key, or that nobody can say
// whether one has. Asking again later may work.
type CompactBusy struct {
	Reason SkipReason `json:"reason,omitempty" jsonschema_description:"Whether another compaction has the key, or the lease store cannot be used."`
}

// CompactEmpty says that there was nothing to summarise, or that the summariser
// found nothing to say.
type CompactEmpty struct {
	Reason SkipReason `json:"reason,omitempty" jsonschema_description:"Whether there was nothing to summarise or the summary was blank."`
}

// CompactOverflow says that no usable summary could be made.
type CompactOverflow struct {
	Reason SkipReason `json:"reason,omitempty" jsonschema_description:"Why there is no summary."`
}

// Status implements [CompactOutcome].
func (CompactOK) Status() CompactStatus { return StatusOK }

// Status implements [CompactOutcome].
func (CompactBusy) Status() CompactStatus { return StatusBusy }

// Status implements [CompactOutcome].
func (CompactEmpty) Status() CompactStatus { return StatusEmpty }

// Status implements [CompactOutcome].
func (CompactOverflow) Status() CompactStatus { return StatusOverflow }

func (CompactOK) compactOutcome()       {}
func (CompactBusy) compactOutcome()     {}
func (CompactEmpty) compactOutcome()    {}
func (CompactOverflow) compactOutcome() {}

// SchemaDescription describes the outcome in the schemas.
func (CompactOK) SchemaDescription() string {
	return "There is a new summary. Store it, with the tail's index translated to message ids of your own."
}

// SchemaDescription describes the outcome in the schemas.
func (CompactBusy) SchemaDescription() string {
	return "Another compaction of this history is running. Ask again later."
}

// SchemaDescription describes the outcome in the schemas.
func (CompactEmpty) SchemaDescription() string { return "There was nothing to summarise." }

// SchemaDescription describes the outcome in the schemas.
func (CompactOverflow) SchemaDescription() string {
	return "No summary could be made: the summariser could not be reached, failed, or gave something unusable."
}
