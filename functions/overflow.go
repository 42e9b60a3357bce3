package functions

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// largestShown is how many messages an overflow names.
const largestShown = 5

// overflow says by how much the context does not fit, what it is made of and
// what was tried. Its first sentence is the one callers know.
func (a *assembly) overflow() error {
	var b strings.Builder
	fmt.Fprintf(&b, "assembled context requires %d tokens but usable budget is %d", a.count(), a.usable)
	fmt.Fprintf(&b, " (limits %s; system %d, tools %d, overhead %d", a.model.source,
		a.est.SystemPrompt(a.system), a.tools, a.overhead)
	order := make([]int, a.view.Len())
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(x, y int) int { return cmp.Compare(a.view.Size(y), a.view.Size(x)) })
	for n, i := range order[:min(len(order), largestShown)] {
		sep := ", "
		if n == 0 {
			sep = "; largest: "
		}
		fmt.Fprintf(&b, "%s[%d] %s %d", sep, a.view.Origin(i), a.view.At(i).Role(), a.view.Size(i))
	}
	prune := "off"
	if or(a.opt.AllowPrune, true) {
		prune = fmt.Sprint(a.applied.PrunedTokens - a.reduced)
	}
	compaction := "ok"
	if skip := a.applied.CompactionSkipped; skip != nil {
		compaction = string(skip.Reason)
	}
	fmt.Fprintf(&b, "; tried: prune %s, compaction %s, reduce %d)", prune, compaction, a.reduced)
	if a.model.source == ResolvedFallback {
		fmt.Fprintf(&b, "; the limits are a guess (%s): pass model.limits", short(a.model.detail))
	}
	return &Error{CodeOverflow, b.String()}
}

// short keeps a foreign text from filling an error.
func short(s string) string {
	const most = 300
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}
