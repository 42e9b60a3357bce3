package window_test

import (
	"strings"
	"testing"

	"context-manager/internal/agent/agenttest"
	"context-manager/internal/window"
)

func TestSelectTail(t *testing.T) {
	t.Parallel()
	kb4 := strings.Repeat("x", 4000)
	tests := map[string]struct {
		list          []agenttest.Message
		budget, turns uint64
		want          window.Tail
	}{
		"the newest turn of two that fits is kept": {
			[]agenttest.Message{user("a"), said("b"), user("c"), said("d")}, 1000, 1, window.Tail{Start: 2}},
		"no turns wanted leaves no tail": {
			[]agenttest.Message{user("a"), said("b"), user("c")}, 1000, 0, window.Tail{Whole: true}},
		"one turn that fits leaves nothing to summarise": {
			[]agenttest.Message{user("a"), said("b")}, 1000, 2, window.Tail{}},
		"one turn that does not fit is not cut before nothing": {
			[]agenttest.Message{user("a"), said("b")}, 0, 2, window.Tail{}},
		"a turn that does not fit is cut where no call loses its answer": {
			[]agenttest.Message{user("a"), call("c1", "shell::run"), result("c1", "shell::run", kb4), said("b")}, 100, 1, window.Tail{Start: 3}},
		"a user message of results only opens no turn": {
			[]agenttest.Message{user("a"), said("b"), user("c"), call("c1", "f::g"), inline("c1"), said("d")}, 1000, 1, window.Tail{Start: 2}},
		"the newest turn stays whole although it is over budget": {
			[]agenttest.Message{user("a"), said("b"), user("c"), said("d")}, 0, 2, window.Tail{Start: 2}},
		"the newest turn with a call stays whole without a budget": {
			[]agenttest.Message{user("a"), said("b"), user("c"), call("c1", "f::g"), result("c1", "f::g", "r"), said("d")}, 0, 2, window.Tail{Start: 2}},
		"a history without a user is summarised whole": {
			[]agenttest.Message{call("c1", "f::g"), result("c1", "f::g", "r"), said("d")}, 1000, 2, window.Tail{Whole: true}},
		"an older turn that does not fit is cut inside and ends the search": {
			[]agenttest.Message{user("z"), said("y"), big(3000), said("r1"), user("q"), said("a")}, 2000, 3, window.Tail{Start: 3}},
		"a fit at the very start is no cut": {
			[]agenttest.Message{user("a"), said("b"), user("c"), said("d")}, 1000, 2, window.Tail{Start: 2}},
		"an answer that comes a turn late keeps both turns together": {
			[]agenttest.Message{user("z"), said("y"), user("a"), call("c1", "f::g"), user("b"), result("c1", "f::g", "r"), said("d")}, 1000, 1, window.Tail{Start: 2}},
		"a message said while a call runs keeps the turn of the call with it": {
			[]agenttest.Message{big(4000), said("r0"), user("go"), call("c1", "f::g"), user("also do x"), result("c1", "f::g", "r"), said("done")}, 2000, 1, window.Tail{Start: 2}},
		"turns that do not fit together are cut where that is legal": {
			[]agenttest.Message{user("z"), said("y"), big(3000), call("c1", "f::g"), user("b"), result("c1", "f::g", "r"), said("d")}, 1000, 1, window.Tail{Start: 6}},
		"parallel calls hold the cut until the last is answered": {
			[]agenttest.Message{user("z"), said("y"), user("a"),
				agenttest.AssistantBlocks(agenttest.CallBlock("c1", "f::g"), agenttest.CallBlock("c2", "f::g")),
				result("c1", "f::g", kb4), said("between"), result("c2", "f::g", "r"), said("d")}, 150, 1, window.Tail{Start: 7}},
		"a call that nobody answers does not hold the cut": {
			[]agenttest.Message{user("a"), call("c1", "f::g"), said("b"), user("c"), said("d")}, 1000, 1, window.Tail{Start: 3}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v := view(t, tt.list...)
			p := window.Pair(v)
			if got := window.SelectTail(v, &p, tt.budget, tt.turns); got != tt.want {
				t.Errorf("SelectTail = %+v, want %+v", got, tt.want)
			}
		})
	}
}

func TestTailBudgetIsAQuarterWithinBounds(t *testing.T) {
	t.Parallel()
	for usable, want := range map[uint64]uint64{40000: 8000, 20000: 5000, 1000: 2000} {
		if got := window.TailBudget(usable); got != want {
			t.Errorf("TailBudget(%d) = %d, want %d", usable, got, want)
		}
	}
}

// A call of the first turn that is answered in the newest holds every cut
// between; looking for one costs a look at each message, not at each pair.
func TestOlderTurnsAreAddedUpOnce(t *testing.T) {
	t.Parallel()
	list := []agenttest.Message{user("z"), said("y"), user("a"), call("c1", "f::g")}
	for range 500 {
		list = append(list, user("b"), said("c"))
	}
	from := len(list)
	list = append(list, user("d"), result("c1", "f::g", "r"))
	v := view(t, list...)
	p := window.Pair(v)
	at, read := window.Together(v, &p, from, v.Total())
	if at != 2 || read > len(list) {
		t.Errorf("found %d after reading %d sizes, want 2 and at most %d", at, read, len(list))
	}
	if at, _ := window.Together(v, &p, from, v.Sum(2, v.Len())); at != 2 {
		t.Errorf("found %d, want 2, which just fits", at)
	}
	// What cannot fit is not looked at.
	if at, read := window.Together(v, &p, from, v.Sum(from-10, v.Len())); at != 0 || read > 14 {
		t.Errorf("found %d after reading %d sizes, want 0 and at most 14", at, read)
	}
}
