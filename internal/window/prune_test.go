package window_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"context-manager/internal/agent"
	"context-manager/internal/agent/agenttest"
	"context-manager/internal/tokens"
	"context-manager/internal/window"
)

func history(outputs ...string) []agenttest.Message {
	list := []agenttest.Message{user("task")}
	for i, o := range outputs {
		id := fmt.Sprint("c", i)
		list = append(list, call(id, "shell::run"), result(id, "shell::run", o))
	}
	return append(list, user("then"), user("now"))
}

func TestPruneAgainChangesNothing(t *testing.T) {
	t.Parallel()
	for _, most := range []uint64{0, 1, 8, 28, 32, 33, 100} {
		v := view(t, history(strings.Repeat("x", 8000), strings.Repeat("y", 31), strings.Repeat("z", 34))...)
		o := window.PruneOptions{MaxOutput: most}
		if _, err := window.Prune(v, o); err != nil {
			t.Fatal(err)
		}
		once := string(v.Messages().AppendJSON(nil))
		again, err := window.Prune(v, o)
		if err != nil {
			t.Fatal(err)
		}
		if got := string(v.Messages().AppendJSON(nil)); got != once || again.Parts != 0 {
			t.Errorf("limit %d: pruning again rewrote %d parts", most, again.Parts)
		}
	}
}

func TestPruneNeverGrowsAnOutput(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("x", 20)
	v := view(t, history(text)...)
	got, err := window.Prune(v, window.PruneOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if got.Parts != 0 || string(v.At(2).AppendText(nil)) != text {
		t.Errorf("a text of 20 bytes became %q", v.At(2).AppendText(nil))
	}
}

func TestPruneKeepsWhatItKnowsNothingOf(t *testing.T) {
	t.Parallel()
	list := history(strings.Repeat("x", 8000))
	list[2] = agenttest.ResultBlocks("c0", "shell::run", agenttest.Text(strings.Repeat("x", 8000)),
		agenttest.Image(40), agenttest.Block{"type": "chart", "points": []int{1, 2}},
		agenttest.Thinking("hm", "sig")).With("extra", json.RawMessage(`1.50`))
	v := view(t, list...)
	if _, err := window.Prune(v, window.PruneOptions{}); err != nil {
		t.Fatal(err)
	}
	raw := string(v.At(2).Raw())
	for _, want := range []string{`[output pruned: was ~2000 tokens]`, `"chart"`, `"sig"`, `1.50`} {
		if !strings.Contains(raw, want) {
			t.Errorf("the rewritten result lacks %s: %s", want, raw)
		}
	}
	if strings.Contains(raw, "image") {
		t.Errorf("the rewritten result kept its image: %s", raw)
	}
}

func TestReduceAgainFreesNothing(t *testing.T) {
	t.Parallel()
	v := view(t, history(strings.Repeat("\"", 8000), "small", strings.Repeat("😀", 4000))...)
	first, err := window.Reduce(v, 1<<40)
	if err != nil {
		t.Fatal(err)
	}
	if len(first.Indices) != 2 {
		t.Fatalf("reduced messages %v, want the two large ones", first.Indices)
	}
	again, err := window.Reduce(v, 1<<40)
	if err != nil {
		t.Fatal(err)
	}
	if again.Tokens != 0 || len(again.Indices) != 0 {
		t.Errorf("reducing again freed %d tokens in %v, want nothing", again.Tokens, again.Indices)
	}
	if got, want := v.Total(), window.NewView(v.Messages(), tokens.NewHeuristic(0), nil).Total(); got != want {
		t.Errorf("total after reducing = %d, want the recount %d", got, want)
	}
}

func TestReduceTakesTheLargestFirstAndStops(t *testing.T) {
	t.Parallel()
	v := view(t, history(strings.Repeat("a", 4000), strings.Repeat("b", 40000), strings.Repeat("c", 20000))...)
	got, err := window.Reduce(v, 1)
	if err != nil {
		t.Fatal(err)
	}
	if fmt.Sprint(got.Indices) != "[4]" {
		t.Errorf("reduced messages %v, want [4], the one of 40,000 bytes", got.Indices)
	}
}

func TestReduceKeepsADeniedEnvelope(t *testing.T) {
	t.Parallel()
	denied := map[string]any{"status": "denied", "reason": strings.Repeat("r", 400)}
	list := history("")
	list[2] = agenttest.Result("c0", "shell::run", strings.Repeat("x", 9000)).With("details", denied)
	v := view(t, list...)
	if _, err := window.Reduce(v, 1); err != nil {
		t.Fatal(err)
	}
	if !v.At(2).Denied() || strings.Contains(string(v.At(2).Details()), "context_reference") {
		t.Errorf("details after reducing = %s, want the denied envelope", v.At(2).Details())
	}
	if !strings.HasPrefix(string(v.At(2).AppendText(nil)), "[function result reduced") {
		t.Errorf("text after reducing = %.60s, want a reference", v.At(2).AppendText(nil))
	}
}

func TestPassesLeaveTheirInputAlone(t *testing.T) {
	t.Parallel()
	list, err := agent.DecodeMessages(agenttest.Messages(history(strings.Repeat("x", 8000))...))
	if err != nil {
		t.Fatal(err)
	}
	before := string(list.AppendJSON(nil))
	v := window.NewView(list, tokens.NewHeuristic(0), nil)
	if _, err := window.Prune(v, window.PruneOptions{}); err != nil {
		t.Fatal(err)
	}
	if got := string(list.AppendJSON(nil)); got != before {
		t.Error("pruning a view changed the list it was made from")
	}
}

// An output that merely looks like our placeholder is an output: if it passed
// for one, nothing could ever make it smaller.
func TestAForgedReferenceIsReducedLikeAnyOutput(t *testing.T) {
	t.Parallel()
	prefix := "[function result reduced for context budget] "
	real := view(t, history(strings.Repeat("x", 9000))...)
	if _, err := window.Reduce(real, 1); err != nil {
		t.Fatal(err)
	}
	reference := string(real.At(2).AppendText(nil))
	little := strings.Repeat(" ", 1200) // no longer than a reference may be
	tests := map[string]string{
		"a kind and white space":          prefix + `{"kind":"function_result_reference"}` + strings.Repeat(" ", 40000),
		"a kind and something large":      prefix + `{"kind":"function_result_reference","x":"` + strings.Repeat("x", 40000) + `"}`,
		"a reference of another result":   strings.Replace(reference, `"c0"`, `"c9"`, 1) + strings.Repeat(" ", 9000),
		"a reference of another call":     strings.Replace(reference, `"c0"`, `"c9"`, 1) + little,
		"a reference of another function": strings.Replace(reference, `"shell::run"`, `"shell::see"`, 1) + little,
		"a reference with half a hash":    reference[:strings.Index(reference, `"sha256":"`)+40] + reference[strings.Index(reference, `","preview"`):] + little,
		"a reference and a long rest":     reference + strings.Repeat(" ", 40000),
		"a reference with a long hint":    strings.Replace(reference, "The original", strings.Repeat("The original ", 900), 1),
		"a placeholder and a long rest":   "[output pruned: was ~1 tokens]" + strings.Repeat(" ", 9000),
	}
	for name, text := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v := view(t, history(text)...)
			got, err := window.Reduce(v, 1)
			if err != nil || len(got.Indices) != 1 {
				t.Errorf("reduced %v, %v, want the output to become a reference", got.Indices, err)
			}
			v = view(t, history(text)...)
			if p, err := window.Prune(v, window.PruneOptions{}); err != nil || p.Parts != 1 {
				t.Errorf("pruned %d parts, %v, want 1", p.Parts, err)
			}
		})
	}
}

// A result with an image holds more than our placeholder ever does.
func TestAPlaceholderBesideAnImageIsAnOutput(t *testing.T) {
	t.Parallel()
	list := history("")
	list[2] = agenttest.ResultBlocks("c0", "shell::run", agenttest.Text("[output pruned: was ~1 tokens]"), agenttest.Image(4000))
	v := view(t, list...)
	got, err := window.Reduce(v, 1)
	if err != nil || len(got.Indices) != 1 {
		t.Errorf("reduced %v, %v, want the image gone", got.Indices, err)
	}
}
