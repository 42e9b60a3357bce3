package functions_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"context-manager/config"
	"context-manager/functions"
	"context-manager/internal/agent/agenttest"
)

// A head that no run of calls can get through is refused before the first. The
// shortest summary there is leaves the most room, so with it whatever is begun
// comes to its end.
func TestWhatIsBegunCanBeFinished(t *testing.T) {
	t.Parallel()
	ask := func(size int) (calls int, answer string) {
		w := &writer{text: "x"}
		s := functions.New(functions.Options{Summarizer: w, Leases: &memoryLeases{}})
		raw, err := invoke(s, "context::compact", agenttest.Object{"model": agenttest.Inline("m", 4000, 1000),
			"messages": agenttest.Stamp(agenttest.User(strings.Repeat("x", size)), agenttest.User("q2"), agenttest.User("q3"))})
		if err != nil {
			t.Fatal(err)
		}
		return w.calls, string(raw)
	}
	low, high := 1000, 1_000_000 // one call, and more than 32
	for high-low > 1 {
		middle := (low + high) / 2
		if _, answer := ask(middle); strings.Contains(answer, `"status":"ok"`) {
			low = middle
		} else {
			high = middle
		}
	}
	if calls, answer := ask(low); calls != 32 {
		t.Errorf("%d bytes took %d calls, want 32: %s", low, calls, answer)
	}
	if calls, answer := ask(high); calls != 0 || !strings.Contains(answer, "too_many_chunks") {
		t.Errorf("%d bytes took %d calls, want none, and too_many_chunks: %s", high, calls, answer)
	}
}

// stuckLeases is a store that never comes to an end by itself.
type stuckLeases struct{ acquires bool }

func (s stuckLeases) Acquire(ctx context.Context, _ string, _ time.Duration) (functions.Lease, error) {
	if s.acquires {
		return s, nil
	}
	<-ctx.Done()
	return nil, ctx.Err()
}

func (stuckLeases) Renew(context.Context) error { return nil }
func (stuckLeases) Release() error              { return nil }
func (stuckLeases) Check(ctx context.Context) error {
	<-ctx.Done()
	return ctx.Err()
}

func TestAStoreThatHangsHoldsNobodyUp(t *testing.T) {
	for name, leases := range map[string]functions.Leases{"when a lease is taken": stuckLeases{}, "when it is checked": stuckLeases{acquires: true}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := functions.New(functions.Options{Summarizer: &writer{}, Leases: leases})
				raw, err := invoke(s, "context::compact", compactRequest())
				if err != nil || !strings.Contains(string(raw), "lease_unavailable") {
					t.Errorf("got %s, %v, want lease_unavailable", raw, err)
				}
			})
		})
	}
}

// What pruning freed and what references freed are told apart.
func TestAnOverflowTellsWhatEachPassFreed(t *testing.T) {
	t.Parallel()
	set := config.Default()
	set.ProtectRecentTokens, set.MinFreeTokens = 0, 1
	s := functions.New(functions.Options{Settings: func() *config.Settings { return &set }})
	_, err := invoke(s, "context::assemble", agenttest.Object{"model": agenttest.SmallModel(),
		"options": agenttest.Object{"allow_compaction": false},
		"messages": agenttest.Stamp(agenttest.User("task"), agenttest.Call("c1", "shell::run"), agenttest.Result("c1", "shell::run", agenttest.Tokens(3000)),
			agenttest.Assistant("ok"), agenttest.User("go on"), agenttest.Call("c2", "shell::run"), agenttest.Result("c2", "shell::run", agenttest.Tokens(1000)),
			tokensOf(4000))})
	if err == nil || !regexp.MustCompile(`tried: prune 2992, compaction disabled, reduce [1-9]\d*\)`).MatchString(err.Error()) {
		t.Errorf("got %v, want 2992 tokens by pruning, and others by references", err)
	}
}

// Names come from requests: what is remembered of them is bounded in number and
// length.
func TestWarningsOfGuessedLimitsAreBounded(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	s := functions.New(functions.Options{Logger: slog.New(slog.NewTextHandler(&log, nil)), Clock: newClock()})
	guess := func(id string) {
		t.Helper()
		if _, err := invoke(s, "context::assemble", agenttest.Object{"model": agenttest.Object{"id": id}, "messages": []any{}}); err != nil {
			t.Fatal(err)
		}
	}
	guess("m-0")
	guess("m-0")
	if n := strings.Count(log.String(), "model=m-0 "); n != 1 {
		t.Errorf("%d warnings of one model in a minute, want 1", n)
	}
	for i := range 1024 {
		guess(fmt.Sprint("other-", i))
	}
	guess("m-0")
	if n := strings.Count(log.String(), "model=m-0 "); n != 2 {
		t.Errorf("%d warnings after a thousand other models, want 2: the memory starts anew", n)
	}
	log.Reset()
	guess(strings.Repeat("long", 1<<18))
	if log.Len() == 0 || log.Len() > 2000 {
		t.Errorf("%d bytes of log about a model with a long name, want it cut", log.Len())
	}
}

// An id that a warning cuts is not cut inside a character.
func TestALongIDInAWarningIsCutBetweenCharacters(t *testing.T) {
	t.Parallel()
	id := strings.Repeat("a", 79) + strings.Repeat("é", 40)
	raw, err := invoke(functions.New(functions.Options{}), "context::assemble", agenttest.Object{"model": agenttest.SmallModel(),
		"messages": agenttest.Stamp(agenttest.User("q"), agenttest.Result(id, "f::g", "r"))})
	want := `\"` + strings.Repeat("a", 79) + `…\"`
	if err != nil || !strings.Contains(string(raw), want) {
		t.Errorf("got %s, %v, want %s in a warning", raw, err, want)
	}
}
