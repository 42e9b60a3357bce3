package window_test

import (
	"fmt"
	"testing"

	"context-manager/internal/agent/agenttest"
	"context-manager/internal/window"
)

func TestPairNamesResultsWithoutACall(t *testing.T) {
	t.Parallel()
	v := view(t,
		result("c0", "f::g", "too early"),
		call("c0", "f::g"),
		result("c0", "f::g", "answer"),
		result("c0", "f::g", "again"),
		call("c0", "f::g"),
		inline("c0"),
		inline("nobody"),
	)
	var got []string
	p := window.Pair(v)
	for _, l := range p.Loose {
		got = append(got, fmt.Sprintf("%d %s %v", l.Index, l.CallID, l.Duplicate))
	}
	want := "[0 c0 false 3 c0 true 6 nobody false]"
	if fmt.Sprint(got) != want {
		t.Errorf("loose results = %v, want %v", got, want)
	}
}

func TestPairHoldsEveryCutBetweenCallAndAnswer(t *testing.T) {
	t.Parallel()
	v := view(t, user("a"), call("c1", "f::g"), said("meanwhile"), result("c1", "f::g", "r"), said("done"))
	p := window.Pair(v)
	for i, want := range []bool{false, false, true, true, false} {
		if got := p.Holds(i); got != want {
			t.Errorf("Holds(%d) = %v, want %v", i, got, want)
		}
	}
}

func TestPairAllocatesTheSameForLongHistories(t *testing.T) {
	allocs := func(turns int) float64 {
		var list []agenttest.Message
		for i := range turns {
			id := fmt.Sprint("c", i)
			list = append(list, user("q"), call(id, "f::g"), result(id, "f::g", "r"))
		}
		v := view(t, list...)
		return testing.AllocsPerRun(5, func() { window.Pair(v) })
	}
	if few, many := allocs(30), allocs(3000); many > few {
		t.Errorf("allocations for 9,000 messages = %v, want those for 90: %v", many, few)
	}
}
