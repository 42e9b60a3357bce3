package tokens

import "context-manager/internal/agent"

// Estimator says what the parts of a request cost, in tokens. Counts are of
// the text as it is given: they are neither additive nor monotone, so what is
// returned to a caller is counted as returned.
type Estimator interface {
	// Name is the estimator's name on the wire.
	Name() string
	// Calibration names the measured rates behind a fitted estimate, or is "".
	Calibration() string
	// Message is the cost of a message, framing included.
	Message(m *agent.Message) uint64
	// ResultText is the cost of the texts of a function result message.
	ResultText(m *agent.Message) uint64
	// Text is the cost of a bare text, such as a summary.
	Text(s []byte) uint64
	// SystemPrompt is the cost of a system prompt; an empty one is free.
	SystemPrompt(s string) uint64
	// Tool is the cost of a function offered to the model.
	Tool(t *agent.Function) uint64
}

// Choice is which estimator a caller wants.
type Choice string

// The choices. The zero value is Auto.
const (
	// Auto takes the tokenizer where the model's encoding is public, else the
	// heuristic.
	Auto Choice = "auto"
	// ByHeuristic counts bytes/4 for every model.
	ByHeuristic Choice = "heuristic"
	// ByFitted counts bytes at measured rates for models those were measured on;
	// for others it is Auto.
	ByFitted Choice = "fitted"
)

// Options steer For.
type Options struct {
	// ImageTokens is the flat cost of an image for models without a public
	// encoding; 0 counts the base64 text like any other.
	ImageTokens uint64
	// Cache remembers the counts of a tokenizer. Nil is one cache of
	// CacheBytes that the whole process shares.
	Cache *Cache
}
