package main

import (
	"slices"
	"strings"
	"testing"

	"context-manager/internal/agent"
)

func openTestStage(t *testing.T) *stage {
	t.Helper()
	s, err := openStage(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// sums checks that a table accounts for every token before and after.
func sums(t *testing.T, f *fitting) {
	t.Helper()
	var before, after uint64
	for i, r := range f.table().rows {
		before += r.before
		after += r.after
		if i > 0 && r.after+r.pruned+r.other != r.before { // a summary makes the system prompt longer
			t.Errorf("%s: kept %d, pruned %d, other %d; want %d in all", r.name, r.after, r.pruned, r.other, r.before)
		}
	}
	if before != f.answer.Applied.InitialTokenCount {
		t.Errorf("the rows had %d tokens before, want initial_token_count %d", before, f.answer.Applied.InitialTokenCount)
	}
	if after != f.answer.TokenCount {
		t.Errorf("the rows have %d tokens after, want token_count %d", after, f.answer.TokenCount)
	}
	if f.answer.TokenCount > f.answer.Usable {
		t.Errorf("token_count %d is over usable %d", f.answer.TokenCount, f.answer.Usable)
	}
}

func TestFirstActPrunesMostOfTheExcess(t *testing.T) {
	t.Parallel()
	history := bundled(t)
	a, err := playFirst(openTestStage(t), history)
	if err != nil {
		t.Fatal(err)
	}
	f := a.own
	sums(t, f)
	sums(t, a.shipped)
	if got := share(freed(f.pruned), f.excess()); got < 60 {
		t.Errorf("pruning freed %.1f %% of the excess, want at least 60", got)
	}
	if len(f.reduced) == 0 {
		t.Error("nothing was reduced to a reference, want something of the newest turns")
	}
	if f.answer.Applied.CompactionSkipped == nil || f.answer.Applied.CompactionSkipped.Reason != "unavailable" {
		t.Errorf("compaction_skipped is %+v, want unavailable: no router is there", f.answer.Applied.CompactionSkipped)
	}
	if n := len(f.answer.Applied.Warnings); n > 0 {
		t.Errorf("%d warnings, want none: each result has its call", n)
	}
	second := secondNewestTurn(history)
	for _, c := range f.pruned {
		if c.index >= second {
			t.Errorf("message %d was pruned, want none of the turns from %d on", c.index, second)
		}
	}
	for _, c := range f.reduced {
		if c.index < second {
			t.Errorf("message %d became a reference, but the page says that it is of the turns from %d on", c.index, second)
		}
	}
	if len(a.shipped.pruned) == len(f.pruned) {
		t.Errorf("the shipped thresholds pruned %d outputs too, so the page shows no difference", len(f.pruned))
	}
}

func secondNewestTurn(history transcript) int {
	turns := 0
	for i := len(history.messages) - 1; ; i-- {
		if history.messages[i].Role() == agent.RoleUser {
			if turns++; turns == 2 {
				return i
			}
		}
	}
}

func TestSecondActCompacts(t *testing.T) {
	t.Parallel()
	history, err := readTranscript(transcriptText, transcriptLaterText)
	if err != nil {
		t.Fatal(err)
	}
	a, err := playSecond(openTestStage(t), history, len(bundled(t).messages))
	if err != nil {
		t.Fatal(err)
	}
	sums(t, a.f)
	applied := a.f.answer.Applied
	for _, want := range []string{"context/overflow: ", "compaction unavailable", "usable budget is 24800"} {
		if !strings.Contains(a.overflow, want) {
			t.Errorf("without a router the answer is %q, want %q in it", a.overflow, want)
		}
	}
	if a.chats < 1 {
		t.Errorf("%d calls of the summariser, want at least one", a.chats)
	}
	if !strings.Contains(applied.Summary, "extractive") {
		t.Errorf("the summary does not say that it is extractive:\n%s", applied.Summary)
	}
	if !strings.HasSuffix(a.f.answer.SystemPrompt, applied.Summary) {
		t.Error("the system prompt does not end with the summary")
	}
	if start := applied.TailStartIndex; start < 1 || start+len(a.f.answer.messages) != len(history.messages) {
		t.Errorf("the tail of %d messages starts at %d of %d", len(a.f.answer.messages), start, len(history.messages))
	}
	if len(a.f.reduced) > 0 {
		t.Errorf("%d references, the table has no place for them", len(a.f.reduced))
	}
}

func TestOthersAreSplitOffTheLargest(t *testing.T) {
	t.Parallel()
	var list []change
	for i := range shown + 2 {
		list = append(list, change{index: i, call: madeCall{function: "f::g", about: "x"}, before: uint64(100 + i), after: 10})
	}
	var out strings.Builder
	printChanges(&page{w: &out}, list)
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != shown+2 {
		t.Fatalf("%d lines, want %d changes, the others and an example:\n%s", len(lines), shown, out.String())
	}
	if !strings.Contains(lines[0], "[  7]") || !slices.ContainsFunc(lines, func(l string) bool { return strings.HasSuffix(l, "f::g           [0] [1]") }) {
		t.Errorf("want [7] first and [0] [1] among the others:\n%s", out.String())
	}
}
