package functions

import (
	"context"
	"errors"
	"time"

	"context-manager/internal/window"
)

// ModelResolver looks up what a model can take.
type ModelResolver interface {
	// Resolve returns the model's budget. A nil Budget means that the router
	// does not know the model; an error means that it could not be asked.
	Resolve(ctx context.Context, provider, id string) (*ModelBudget, error)
}

// ModelBudget is what a router says about a model.
type ModelBudget struct {
	// Limits has the output that a call would really ask for as MaxOutput.
	Limits window.Limits
	// Thinking is what each declared thinking level takes, in tokens.
	Thinking map[string]uint64
}

// Summarizer writes one summary.
type Summarizer interface {
	// Summarize returns the text of the summary; it may be blank. It returns
	// ErrSummarizerUnavailable, wrapped or not, when nobody is there to write
	// one, a *SummaryRejected for a text that must not be used, and any other
	// error when writing it failed. When ctx ends because of ErrSummaryLate, a
	// text that was answered before may still be returned; when it ends for
	// another reason the text is not used.
	Summarize(ctx context.Context, p SummaryPrompt) (string, error)
}

// SummaryPrompt is one call of the summariser.
type SummaryPrompt struct {
	Model, Provider string
	System, User    string
	// Timestamp is the time of the user message, in milliseconds.
	Timestamp int64
}

// ErrSummarizerUnavailable says that nobody is there to write summaries.
var ErrSummarizerUnavailable = errors.New("summariser unavailable")

// ErrSummaryLate is why the context of a Summarizer ends when the time for
// answers is over.
var ErrSummaryLate = errors.New("the summariser took longer than summarizer_timeout_ms")

// SummaryRejected says that a summary came but is not whole.
type SummaryRejected struct{ StopReason string }

// Error says why.
func (e *SummaryRejected) Error() string { return "summary is not whole: " + e.StopReason }

// Leases keep two compactions of one conversation apart.
type Leases interface {
	// Acquire takes the lease of a key. It returns ErrLeaseHeld, wrapped or
	// not, when someone else has it, and any other error when the store cannot
	// be used.
	Acquire(ctx context.Context, key string, ttl time.Duration) (Lease, error)
}

// Lease is a lease that is held.
type Lease interface {
	// Renew makes it last another TTL. It returns ErrLeaseLost, wrapped or not,
	// when it is lost; after any other error it may be tried again.
	Renew(ctx context.Context) error
	// Check returns an error when it is lost, or when nobody can tell.
	Check(ctx context.Context) error
	// Release gives it back.
	Release() error
}

// ErrLeaseHeld says that someone else holds the lease.
var ErrLeaseHeld = errors.New("lease is held")

// ErrLeaseLost says that someone else has the lease by now.
var ErrLeaseLost = errors.New("lease is lost")

// Clock tells the time and makes timers.
type Clock interface {
	Now() time.Time
	// After works like time.After; stop releases the timer.
	After(d time.Duration) (c <-chan time.Time, stop func())
}

// SystemClock is the machine's clock.
type SystemClock struct{}

// Now returns the current time.
func (SystemClock) Now() time.Time { return time.Now() }

// After works like time.After.
func (SystemClock) After(d time.Duration) (<-chan time.Time, func()) {
	t := time.NewTimer(d)
	return t.C, func() { t.Stop() }
}

var _ Clock = SystemClock{}
