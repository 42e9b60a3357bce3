package summary_test

import (
	"math"
	"strings"
	"testing"
	"unicode/utf8"

	. "context-manager/internal/agent/agenttest"
)

func TestOutputsAreCutOncePerResult(t *testing.T) {
	t.Parallel()
	digits := strings.Repeat("0123456789", 5)
	for _, row := range []struct {
		name  string
		limit uint64
		texts []string
		want  string
	}{
		{"fifty bytes at limit ten keep six and four", 10, []string{digits}, "012345... [truncated]6789"},
		{"an output as long as the limit is whole", 50, []string{digits}, digits},
		{"one byte over the limit is cut", 49, []string{digits}, digits[:29] + "... [truncated]" + digits[31:]},
		{"the largest limit cuts nothing", math.MaxUint64, []string{digits}, digits},
		{"limit zero keeps the marker", 0, []string{digits}, "... [truncated]"},
		{"limit one keeps the marker", 1, []string{digits}, "... [truncated]"},
		{"limit two keeps one head byte", 2, []string{digits}, "0... [truncated]"},
		{"an empty output is whole at limit zero", 0, []string{""}, ""},
		{"a cut in a two-byte character leaves the character out", 10, []string{"aéééééééé"}, "aéé... [truncated]éé"},
		{"a cut in a four-byte character leaves the character out", 10, []string{"😀😀😀😀😀"}, "😀... [truncated]😀"},
		{"a character longer than what is kept leaves the marker", 3, []string{"😀😀😀"}, "... [truncated]"},
		{"the blocks of a result share one limit", 10, []string{"abcd", "efgh", "ijkl", "mnop", "qrst"},
			"abcd\nef... [truncated]\nqrst"},
		{"blocks that fit together are whole", 10, []string{"abcde", "fghij"}, "abcde\nfghij"},
		{"a head that ends with its block has the marker behind it", 10, []string{"abcdef", "ghij", "klmn"},
			"abcdef... [truncated]\nklmn"},
		{"a tail that starts inside a block keeps its end", 10, []string{"abcdefgh", "ijklmnop"}, "abcdef... [truncated]\nmnop"},
		{"many small blocks do not add up", 10, strings.Split(strings.Repeat("x", 1000), ""),
			"x\nx\nx\nx\nx\nx... [truncated]\nx\nx\nx\nx"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			var blocks []Block
			for _, text := range row.texts {
				blocks = append(blocks, Text(text))
			}
			equal(t, render(t, row.limit, ResultBlocks("c", "f", blocks...)), "\n<::> [function_result] f\n"+row.want+"\n")
			inline := Block{"type": "function_result", "function_call_id": "c", "content": blocks}
			equal(t, render(t, row.limit, UserBlocks(inline)), "\n<::> [function_result]\n"+row.want+"\n")
		})
	}
}

func TestImagesOfACutOutputStayMentioned(t *testing.T) {
	t.Parallel()
	got := render(t, 10, ResultBlocks("c", "f", Text("0123456"), Image(40), Text("abcdefgh"), Image(40), Text("ijklmnop")))
	equal(t, got, "\n<::> [function_result] f\n012345... [truncated]\n[image stripped]\n[image stripped]\nmnop\n")
}

func TestTextsOfResultsInsideAResultShareItsLimit(t *testing.T) {
	t.Parallel()
	got := render(t, 10, ResultBlocks("c", "f", Text("0123456"), ResultBlock("d", "abcdefgh"), Text("ijklmnop")))
	equal(t, got, "\n<::> [function_result] f\n012345... [truncated]\nmnop\n")
}

func TestOnlyOutputsAreCut(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("long text ", 1000)
	got := render(t, 10, User(long), Assistant(long), Custom("note", long),
		AssistantBlocks(CallBlock("c", "f").With("arguments", Object{"text": long})))
	if n := strings.Count(got, long); n != 4 {
		t.Errorf("got %d whole texts, want 4", n)
	}
}

func FuzzCutOutput(f *testing.F) {
	f.Add("0123456789", "", uint16(4))
	f.Add("aé", "日本語😀", uint16(7))
	f.Fuzz(func(t *testing.T, a, b string, limit uint16) {
		if !utf8.ValidString(a) || !utf8.ValidString(b) || strings.Contains(a+b, "<") {
			return
		}
		got := render(t, uint64(limit), ResultBlocks("c", "f", Text(a), Text(b)))
		body := strings.TrimSuffix(strings.TrimPrefix(got, "\n<::> [function_result] f\n"), "\n")
		if !utf8.ValidString(got) {
			t.Fatalf("got %q, want whole characters", got)
		}
		if len(a)+len(b) <= int(limit) {
			equal(t, body, a+"\n"+b)
			return
		}
		// The separators are ours, so the bytes kept are counted without them.
		flat := func(s string) string { return strings.ReplaceAll(s, "\n", "") }
		const marker = "... [truncated]"
		whole, kept := flat(a+b), flat(body)
		headMax, tailMax := int(limit)*6/10, int(limit)*4/10
		for at := 0; ; at++ {
			i := strings.Index(kept[at:], marker)
			if i < 0 {
				t.Fatalf("got %q of %q and %q at %d, want a head, the marker and a tail", body, a, b, limit)
			}
			at += i
			start, end := kept[:at], kept[at+len(marker):]
			if strings.HasPrefix(whole, start) && strings.HasSuffix(whole, end) && len(start) <= headMax && len(end) <= tailMax {
				return
			}
		}
	})
}
