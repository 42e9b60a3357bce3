package window

import (
	"slices"

	"context-manager/internal/agent"
)

// TailBudget returns the tokens a verbatim tail may take by default: a quarter
// of the usable budget, within 2,000 and 8,000.
func TailBudget(usable uint64) uint64 {
	return min(max(usable/4, 2000), 8000)
}

// Tail says where the verbatim tail of a history starts.
type Tail struct {
	// Start is the first message of the tail; 0 means that nothing is left to
	// summarise.
	Start int
	// Whole means that everything is summarised and no tail is left.
	Whole bool
}

// SelectTail chooses the tail: the newest user turns, at most turns of them,
// as far as they fit budget tokens. A turn that does not fit is cut inside
// where that is legal, and the newest turn is kept whole when nothing of it
// fits.
func SelectTail(v *View, p *Pairing, budget uint64, turns uint64) Tail {
	starts := v.turns()
	if turns == 0 || len(starts) == 0 {
		return Tail{Whole: true}
	}
	from, end, left := v.Len(), v.Len(), budget
	for k := len(starts) - 1; k >= 0 && uint64(len(starts)-k) <= turns; k-- {
		from = starts[k]
		size := v.Sum(from, end)
		if size > left {
			break
		}
		left -= size
		end = from
	}
	if end == from && !v.Legal(p, from) {
		// All chosen turns fit, but a call of an earlier turn is answered in
		// the oldest of them: the turns travel together while they fit.
		if at := v.together(p, starts, from, budget, v.Sum); at > 0 {
			return Tail{Start: at}
		}
	}
	start := v.earliestFit(p, from, budget)
	if start <= 0 {
		// Nothing fits, or everything does and nothing would be summarised.
		start = v.newestTurn(p, starts)
	}
	return Tail{Start: start}
}

// SelectWithin chooses the tail of a history that is one turn, or the rest of
// one: the largest after its first message that fits budget tokens, or all
// after the first message when none does.
func SelectWithin(v *View, p *Pairing, budget uint64) Tail {
	return Tail{Start: max(v.earliestFit(p, min(1, v.Len()), budget), 1)}
}

// together returns the newest legal turn start before from after which all that
// follows fits, or 0. It looks at each message once.
func (v *View) together(p *Pairing, starts []int, from int, budget uint64, sum func(a, b int) uint64) int {
	k, _ := slices.BinarySearch(starts, from)
	rest := sum(from, v.Len())
	for k--; k >= 0 && starts[k] > 0; k-- {
		at := starts[k]
		if rest = Add(rest, sum(at, from)); rest > budget {
			break
		}
		if v.Legal(p, at) {
			return at
		}
		from = at
	}
	return 0
}

// turns returns where the user turns start.
func (v *View) turns() []int {
	var starts []int
	for i := range v.messages {
		if isTurn(&v.messages[i]) {
			starts = append(starts, i)
		}
	}
	return starts
}

// earliestFit returns the first legal cut from a on after which all that
// follows fits, or -1.
func (v *View) earliestFit(p *Pairing, a int, budget uint64) int {
	rest := v.Sum(a, v.Len())
	for i := a; i < v.Len(); i++ {
		if rest <= budget && v.Legal(p, i) {
			return i
		}
		rest = sub(rest, v.sizes[i])
	}
	return -1
}

// newestTurn returns the newest turn start that is a legal cut, or 0.
func (v *View) newestTurn(p *Pairing, starts []int) int {
	for k := len(starts) - 1; k >= 0; k-- {
		if v.Legal(p, starts[k]) {
			return starts[k]
		}
	}
	return 0
}

// Legal reports whether a tail may start at message i: at an assistant message
// or at a user message without inline results, and never between a call and
// its answer.
func (v *View) Legal(p *Pairing, i int) bool {
	m := &v.messages[i]
	switch m.Role() {
	case agent.RoleAssistant:
	case agent.RoleUser:
		if _, results := count(m.Blocks()); results > 0 {
			return false
		}
	default:
		return false
	}
	return !p.Holds(i)
}
