package main

import (
	"bytes"
	"regexp"
	"testing"

	"context-manager/internal/agent"
	"context-manager/internal/tokens"
	"context-manager/internal/window"
)

// bundled is the recorded session.
func bundled(t *testing.T) transcript {
	t.Helper()
	history, err := readTranscript(transcriptText)
	if err != nil {
		t.Fatal(err)
	}
	return history
}

func TestTranscriptIsLargeEnough(t *testing.T) {
	t.Parallel()
	history := bundled(t)
	var sum uint64
	for i := range history.messages {
		sum += size(&history.messages[i])
	}
	for _, n := range []struct {
		what      string
		got, want uint64
	}{
		{"messages", uint64(len(history.messages)), 60},
		{"function calls", uint64(len(history.calls)), 25},
		{"user turns", uint64(history.turns()), 4},
		{"tokens", sum, 90_000},
	} {
		if n.got < n.want {
			t.Errorf("%d %s, want at least %d", n.got, n.what, n.want)
		}
	}
	if history.turns() != 4 {
		t.Errorf("%d user turns, want 4", history.turns())
	}
}

func TestTranscriptHoldsItsLargestOutputLast(t *testing.T) {
	t.Parallel()
	history := bundled(t)
	second := secondNewestTurn(history)
	var old, largest uint64
	for i := range history.messages {
		m := &history.messages[i]
		switch n := size(m); {
		case m.Role() != agent.RoleFunctionResult:
		case i < second:
			old += n
		default:
			largest = max(largest, n)
		}
	}
	if old < 50_000 {
		t.Errorf("the old turns hold outputs of %d tokens, want at least 50,000", old)
	}
	if largest < 20_000 {
		t.Errorf("the largest output of the two newest turns has %d tokens, want at least 20,000", largest)
	}
}

func TestTranscriptPairs(t *testing.T) {
	t.Parallel()
	history, err := readTranscript(transcriptText, transcriptLaterText)
	if err != nil {
		t.Fatal(err)
	}
	pairing := window.Pair(window.NewView(history.messages, tokens.NewHeuristic(0), nil))
	for _, l := range pairing.Loose {
		t.Errorf("message %d answers call %s, which is not open", l.Index, l.CallID)
	}
	ids := map[string]int{}
	var last int64
	results := 0
	for i := range history.messages {
		m := &history.messages[i]
		if was, twice := ids[string(m.ID())]; twice || len(m.ID()) == 0 {
			t.Errorf("message %d has the id %q of message %d, want one of its own", i, m.ID(), was)
		}
		ids[string(m.ID())] = i
		if m.Timestamp() <= last {
			t.Errorf("message %d has the time %d, want more than %d", i, m.Timestamp(), last)
		}
		last = m.Timestamp()
		if m.Role() == agent.RoleFunctionResult {
			results++
			if call := history.calls[string(m.CallID())]; call.function != string(m.FunctionID()) || call.about == "" {
				t.Errorf("message %d is an output of %s, its call %s of %q about %q", i, m.FunctionID(), m.CallID(), call.function, call.about)
			}
		}
	}
	if results != len(history.calls) {
		t.Errorf("%d results for %d calls, want one each", results, len(history.calls))
	}
}

func TestTranscriptGoesOnInTextAlone(t *testing.T) {
	t.Parallel()
	later, err := readTranscript(transcriptLaterText)
	if err != nil {
		t.Fatal(err)
	}
	for i := range later.messages {
		m := &later.messages[i]
		want := agent.RoleUser
		if i%2 == 1 {
			want = agent.RoleAssistant
		}
		if m.Role() != want || len(m.Blocks()) != 1 || m.Blocks()[0].Type() != agent.BlockText {
			t.Errorf("message %d is of %s with %d blocks, want one text of %s", i, m.Role(), len(m.Blocks()), want)
		}
	}
	if len(later.messages) < 20 {
		t.Errorf("%d messages, want at least 20", len(later.messages))
	}
}

func TestTranscriptNamesNoMachine(t *testing.T) {
	t.Parallel()
	places := []string{"/tmp/", "/home/", "/root/", "/Users/", "../"}
	for _, text := range [][]byte{transcriptText, transcriptLaterText} {
		for _, place := range places {
			if at := bytes.Index(text, []byte(place)); at >= 0 {
				t.Errorf("the transcript names a place: %q", text[max(0, at-40):min(len(text), at+40)])
			}
		}
		if timed := regexp.MustCompile(`\(\d+\.(\d[1-9]|[1-9]\d)s\)|[\w.]@[\w-]+\.`).Find(text); timed != nil {
			t.Errorf("the transcript holds %q, want no durations of tests and no addresses", timed)
		}
	}
}

func TestBrokenTranscriptIsAnError(t *testing.T) {
	t.Parallel()
	if _, err := readTranscript([]byte(`[{"role":"wizard"}]`)); err == nil {
		t.Error("a transcript with a wizard was read, want an error")
	}
}
