package functions

import (
	"context"

	"context-manager/internal/summary"
	"context-manager/internal/window"
)

// Compact answers context::compact: it summarises whenever there is a head,
// however well the history would fit.
func (s *Service) Compact(ctx context.Context, req *CompactRequest) (*CompactResponse, error) {
	list, err := required(req.Messages)
	if err != nil {
		return nil, err
	}
	if len(list) == 0 {
		return outcome(SkipNothingToCompact), nil
	}
	set, o := s.settings(), or(req.Options, CompactOptions{})
	est, err := estimator(set, req.Model.ID, o.Estimator, o.HeuristicImageTokens)
	if err != nil {
		return nil, err
	}
	model, err := s.resolve(ctx, set, &req.Model)
	if err != nil {
		return nil, err
	}
	v := window.NewView(list, est, nil)
	pairing := window.Pair(v)
	c := &compaction{
		svc:          s,
		set:          set,
		model:        &req.Model,
		est:          est,
		usable:       model.usable(set, nil, nil),
		view:         v,
		pairing:      &pairing,
		instructions: deref(o.Instructions),
		maxOutput:    set.MaxOutputChars,
		lease:        leaseKey(o.LeaseKey, list),
	}
	if p := deref(o.PreviousSummary); !summary.Blank(p) {
		c.previous = p
	}
	c.cut = func() (window.Tail, SkipReason) {
		budget := or(o.PreserveRecentTokens, window.TailBudget(c.usable))
		t := window.SelectTail(v, &pairing, budget, uint64(or(o.TailTurns, uint(set.TailTurns))))
		if !t.Whole && t.Start == 0 {
			return t, SkipNothingToCompact
		}
		return t, ""
	}
	out, reason := c.run(ctx)
	if ctx.Err() != nil {
		return nil, givenUp()
	}
	if reason != "" {
		return outcome(reason), nil
	}
	ok := CompactOK{
		Summary:          out.summary,
		TokensBefore:     out.headTokens,
		TokensAfter:      est.Text([]byte(out.summary)),
		UsedPriorSummary: c.previous != "",
		Estimator:        EstimatorName(est.Name()),
		Calibration:      est.Calibration(),
	}
	if !out.tail.Whole {
		index := uint(out.tail.Start)
		ok.TailStartIndex = &index
		ok.TokensAfter = window.Add(ok.TokensAfter, v.Sum(out.tail.Start, v.Len()))
	}
	return &CompactResponse{Outcome: ok}, nil
}

// outcome is the published status for a reason.
func outcome(reason SkipReason) *CompactResponse {
	switch reason {
	case SkipLeaseBusy, SkipLeaseUnavailable:
		return &CompactResponse{Outcome: CompactBusy{Reason: reason}}
	case SkipNothingToCompact, SkipEmpty:
		return &CompactResponse{Outcome: CompactEmpty{Reason: reason}}
	}
	return &CompactResponse{Outcome: CompactOverflow{Reason: reason}}
}
