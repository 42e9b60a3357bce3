package functions

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"time"

	"context-manager/config"
	"context-manager/internal/agent"
	"context-manager/internal/summary"
	"context-manager/internal/tokens"
	"context-manager/internal/window"
)

// compaction is what context::assemble and context::compact share: take the
// lease, choose the tail, have the head summarised, check the summary, give
// the lease back. Nothing is committed unless all of it succeeds.
type compaction struct {
	svc          *Service
	set          *config.Settings
	model        *agent.ModelInput
	est          tokens.Estimator
	usable       uint64
	view         *window.View
	pairing      *window.Pairing
	previous     string
	instructions string
	maxOutput    uint64
	lease        string

	// cut chooses the tail, or says why there is nothing to summarise.
	cut func() (window.Tail, SkipReason)
	// accept refuses a summary that does not help; nil accepts all.
	accept func(text string, t window.Tail) bool
}

// compacted is a compaction that succeeded.
type compacted struct {
	summary    string
	tail       window.Tail
	headTokens uint64
}

// run carries the compaction out; a reason means that there is no summary.
func (c *compaction) run(ctx context.Context) (compacted, SkipReason) {
	ttl := time.Duration(c.set.LeaseTTLSecs) * time.Second
	held, reason := c.acquire(ctx, ttl)
	if reason != "" {
		return compacted{}, reason
	}
	defer func() {
		if err := held.Release(); err != nil {
			c.svc.log.WarnContext(ctx, "releasing a lease", "error", err)
		}
	}()
	t, reason := c.cut()
	if reason != "" {
		return compacted{}, reason
	}
	end := t.Start
	if t.Whole {
		end = c.view.Len()
	}
	out := compacted{tail: t, headTokens: c.view.Sum(0, end)}
	text, reason := c.summarize(ctx, held, ttl, end)
	if reason != "" {
		return compacted{}, reason
	}
	before := window.Add(out.headTokens, c.est.Text([]byte(c.previous)))
	if c.est.Text([]byte(text)) >= before || c.accept != nil && !c.accept(text, t) {
		c.svc.log.WarnContext(ctx, "summariser rejected: the summary saves nothing",
			"summary_tokens", c.est.Text([]byte(text)), "replaced_tokens", before)
		return compacted{}, SkipRejected
	}
	check, done := context.WithTimeout(ctx, storePatience)
	defer done()
	if err := held.Check(check); err != nil {
		c.svc.log.WarnContext(ctx, "lease lost before the summary was used", "error", err)
		return compacted{}, leaseReason(err)
	}
	out.summary = text
	return out, ""
}

func (c *compaction) acquire(ctx context.Context, ttl time.Duration) (Lease, SkipReason) {
	if c.svc.leases == nil {
		c.svc.log.WarnContext(ctx, "lease store unavailable", "error", "no store is open")
		return nil, SkipLeaseUnavailable
	}
	acquire, done := context.WithTimeout(ctx, storePatience)
	defer done()
	held, err := c.svc.leases.Acquire(acquire, c.lease, ttl)
	switch {
	case errors.Is(err, ErrLeaseHeld):
		return nil, SkipLeaseBusy
	case err != nil:
		c.svc.log.WarnContext(ctx, "lease store unavailable", "error", err)
		return nil, SkipLeaseUnavailable
	}
	return held, ""
}

// summarize has the messages before end summarised, in as many calls as the
// model's window asks for.
func (c *compaction) summarize(ctx context.Context, held Lease, ttl time.Duration, end int) (string, SkipReason) {
	if c.svc.summarizer == nil {
		c.svc.log.WarnContext(ctx, "summariser unavailable", "error", "none is connected")
		return "", SkipUnavailable
	}
	body := summary.Render(c.view.Messages()[:end], summary.RenderOptions{MaxOutput: c.maxOutput})
	plan, reason := c.plan(body)
	if reason != "" {
		return "", reason
	}
	ctx, done := c.keep(ctx, held, ttl)
	text, err := plan.run(ctx)
	lost := done()
	switch rejected := (*SummaryRejected)(nil); {
	case lost != nil:
		c.svc.log.WarnContext(ctx, "lease lost while the summary was written", "error", lost)
		return "", leaseReason(lost)
	case errors.Is(err, errTooManyChunks):
		return "", SkipTooManyChunks
	case errors.Is(err, errBlank):
		c.svc.log.WarnContext(ctx, "summariser returned an empty summary")
		return "", SkipEmpty
	case errors.As(err, &rejected):
		c.svc.log.WarnContext(ctx, "summariser rejected", "error", err)
		return "", SkipRejected
	case errors.Is(err, ErrSummarizerUnavailable):
		c.svc.log.WarnContext(ctx, "summariser unavailable", "error", err)
		return "", SkipUnavailable
	case err != nil:
		c.svc.log.WarnContext(ctx, "summariser failed", "error", err)
		return "", SkipFailed
	}
	return text, ""
}

var (
	errBlank         = errors.New("the summary is blank")
	errTooManyChunks = errors.New("the head needs more summariser calls than allowed")
	errCallerGone    = errors.New("the call was given up")
)

// storePatience bounds one wait for the lease store. Its locks are held for
// milliseconds; a process that was stopped while holding one must not hold up
// everybody for ever.
const storePatience = 5 * time.Second

// leaseReason tells a lease that someone else has from one nobody can vouch for.
func leaseReason(err error) SkipReason {
	if errors.Is(err, ErrLeaseLost) {
		return SkipLeaseBusy
	}
	return SkipLeaseUnavailable
}

// leaseKey is the caller's key, or the hash of the whole history.
func leaseKey(own *string, list agent.Messages) string {
	if own != nil {
		return *own
	}
	h := sha256.New()
	var buf []byte
	for i := range list {
		buf = append(list[i].AppendCanonical(buf[:0]), 0)
		h.Write(buf)
	}
	return hex.EncodeToString(h.Sum(nil))
}
