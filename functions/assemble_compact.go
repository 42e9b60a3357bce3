package functions

import (
	"context"

	"context-manager/internal/window"
)

// compact replaces the oldest messages by a summary, or notes why it did not.
func (a *assembly) compact(ctx context.Context) {
	if !or(a.opt.AllowCompaction, true) {
		a.skip(SkipDisabled)
		return
	}
	c := &compaction{
		svc:       a.svc,
		set:       a.set,
		model:     &a.req.Model,
		est:       a.est,
		usable:    a.usable,
		view:      a.view,
		pairing:   &a.pairing,
		previous:  a.previous(),
		maxOutput: a.set.MaxOutputChars,
		lease:     leaseKey(a.opt.LeaseKey, a.list),
	}
	c.cut = func() (window.Tail, SkipReason) { return a.tail(c.pairing) }
	c.accept = a.fits
	out, reason := c.run(ctx)
	if reason != "" {
		a.skip(reason)
		return
	}
	index := uint(a.view.Origin(out.tail.Start))
	a.applied.Compacted = true
	a.applied.Summary = &out.summary
	a.applied.TailStartIndex = &index
	a.applied.TokensBefore = &out.headTokens
	a.applied.SummarizedHeadTokens = &out.headTokens
	a.system = joinPrompt(deref(a.req.SystemPrompt), out.summary)
	a.view = a.view.From(out.tail.Start)
}

func (a *assembly) skip(reason SkipReason) {
	a.applied.CompactionSkipped = &CompactionSkipped{Reason: reason}
}

// tail chooses the tail to keep. A summary that could not make the context fit
// is not worth paying for, so the floor is looked at first: what is left when
// every result of the tail is as small as it gets. The tail is the largest
// legal one, not above the preferred, that leaves room for the summary too; or
// else the largest whose floor fits at all.
func (a *assembly) tail(p *window.Pairing) (window.Tail, SkipReason) {
	turns := uint64(or(a.opt.TailTurns, uint(a.set.TailTurns)))
	if turns == 0 {
		// Without a tail the answer would have no message.
		return window.Tail{Whole: true}, SkipNothingToCompact
	}
	t := window.SelectTail(a.view, p, window.TailBudget(a.usable), turns)
	if t.Start == 0 {
		// It is all one turn, or, without a user, the rest of one that was cut.
		if a.fits(a.previous(), window.Tail{}) { // references do
			return t, SkipNothingToCompact
		}
		t = window.SelectWithin(a.view, p, window.TailBudget(a.usable))
	}
	fixed, none := a.fixed(joinPrompt(deref(a.req.SystemPrompt), "")), SkipNothingToCompact
	room := min(a.usable/8, 1000)
	floors := make([]uint64, a.view.Len()+1)
	for i := a.view.Len() - 1; i >= t.Start; i-- {
		floors[i] = window.Add(floors[i+1], a.view.Floor(i))
	}
	bare := -1
	for i := t.Start; i < a.view.Len(); i++ {
		if !a.view.Legal(p, i) {
			continue
		}
		none = SkipFloor
		floor := window.Add(fixed, floors[i])
		if window.Add(floor, room) <= a.usable {
			return window.Tail{Start: i}, ""
		}
		if bare < 0 && floor <= a.usable {
			bare = i
		}
	}
	if bare < 0 {
		return t, none
	}
	return window.Tail{Start: bare}, ""
}

// fits reports whether a summary and the tail fit once the tail's results are
// as small as they get.
func (a *assembly) fits(text string, t window.Tail) bool {
	need := a.fixed(joinPrompt(deref(a.req.SystemPrompt), text))
	for i := t.Start; i < a.view.Len(); i++ {
		need = window.Add(need, a.view.Floor(i))
	}
	return need <= a.usable
}
