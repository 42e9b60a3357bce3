package agent_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"context-manager/internal/agent"
)

func nested(open string, n int, inside, closing string) string {
	return strings.Repeat(open, n) + inside + strings.Repeat(closing, n)
}

// Nesting counts from the root of the frame: list and message are two levels
// around details, a request one more, a frame as many as it says.
func TestNestingOf128LevelsWorksAnd129Not(t *testing.T) {
	t.Parallel()
	details := func(levels int) string {
		return custom(`,"details":` + nested("[", levels, "", "]"))
	}
	request := func(levels int) string { return `{"messages":` + details(levels) + `}` }
	blocks := func(levels int) string { // each inline result is two levels, a content is one
		return user(nested(`{"type":"function_result","function_call_id":"c","content":[`, levels, "", `]}`))
	}
	for _, tt := range []struct {
		name   string
		decode func(levels int) error
		deep   int
	}{
		{"inside details, from the list", func(n int) error { _, err := agent.DecodeMessages([]byte(details(n))); return err }, 126},
		{"inside details, from a request", func(n int) error { return decodeRequest(request(n), 0) }, 125},
		{"inside details, from a frame three levels up", func(n int) error { return decodeRequest(request(n), 3) }, 122},
		{"inside an unknown member of a request", func(n int) error {
			return decodeRequest(`{"x":`+nested(`{"a":`, n, "1", "}")+`}`, 0)
		}, 127},
		{"inline results", func(n int) error { _, err := agent.DecodeMessages([]byte(blocks(n))); return err }, 62},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if err := tt.decode(tt.deep); err != nil {
				t.Errorf("%d levels: got %v, want no error", tt.deep, err)
			}
			for _, n := range []int{tt.deep + 1, 10_000} {
				err := tt.decode(n)
				if err == nil || !strings.Contains(err.Error(), "nested deeper than 128 levels") {
					t.Errorf("%d levels: got %v, want a refusal", n, err)
				}
			}
		})
	}
}

func decodeRequest(data string, depth int) error {
	var req struct {
		Messages agent.Messages `json:"messages,omitempty"`
	}
	return agent.Decode([]byte(data), depth, &req)
}

// A refusal costs the levels up to the limit, not those of the text: it stands
// at the first byte that is too deep.
func TestDeepNestingIsRefusedWhereItPassesTheLimit(t *testing.T) {
	t.Parallel()
	data := nested("[", 1_000_000, "", "]")
	_, err := agent.DecodeMessages([]byte(`[{"x":` + data + `}]`))
	const want = "messages[0].x: nested deeper than 128 levels (at byte 132)"
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// Blocks inside inline results are read together with the blocks around them,
// not once more for each level they are down.
func TestNestedInlineResultsAreReadOnce(t *testing.T) {
	t.Parallel()
	const levels, wide = 60, 50
	leaf := strings.TrimSuffix(strings.Repeat(`{"type":"text","text":"x"},`, wide), ",")
	open := `{"content":[{"type":"text","text":"y"},`
	data := user(nested(open, levels, leaf, `],"function_call_id":"c","type":"function_result"}`))
	got, err := agent.BlocksRead([]byte(data))
	if err != nil {
		t.Fatal(err)
	}
	if want := 2*levels + wide; got != want {
		t.Errorf("got %d blocks read, want %d", got, want)
	}
	m, err := agent.DecodeMessages([]byte(data))
	if err != nil {
		t.Fatal(err)
	}
	depth := 0
	for b := m[3].Blocks(); len(b) > 0; b = b[len(b)-1].Inner() {
		depth++
	}
	if depth != levels+1 {
		t.Errorf("got %d levels of blocks, want %d", depth, levels+1)
	}
}

// Past a few, unknown keys are looked up and not compared one by one.
func TestManyUnknownKeysStayLinear(t *testing.T) {
	t.Parallel()
	if got := agent.KeysToCompare(1_000_000); got > 8 {
		t.Errorf("got %d keys to compare a further one with, want at most 8", got)
	}
	var b bytes.Buffer
	for i := range 20_000 {
		fmt.Fprintf(&b, `,"k%d":%d`, i, i)
	}
	for _, where := range []struct{ name, before, after, path string }{
		{"message", `[{"role":"user","content":[],"timestamp":1`, `}]`, "messages[0]"},
		{"block", `[{"role":"user","timestamp":1,"content":[{"type":"text","text":""`, `}]}]`, "messages[0].content[0]"},
	} {
		if _, err := agent.DecodeMessages([]byte(where.before + b.String() + where.after)); err != nil {
			t.Errorf("%s: got %v, want no error", where.name, err)
		}
		_, err := agent.DecodeMessages([]byte(where.before + b.String() + `,"k77":0` + where.after))
		if want := where.path + `: duplicate key "k77"`; err == nil || err.Error() != want {
			t.Errorf("%s: got %v, want %s", where.name, err, want)
		}
	}
}

// An error names the key at fault, but not a megabyte of it.
func TestErrorsStayShort(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("k", 1<<20)
	for _, data := range []string{
		`[{"` + long + `":[1,]}]`,
		`[{"` + long + `":1,"` + long + `":1}]`,
		`[{"role":"` + long + `"}]`,
		list(`{"role":"user","content":[],"timestamp":` + strings.Repeat("9", 1<<20) + `}`),
		list(`{"role":"user","content":[],"timestamp":1` + strings.Repeat("0", 1<<20) + `e-1048577}`),
		assistant(`,"usage":{"cost_usd":1e` + strings.Repeat("9", 1<<20) + `}`),
	} {
		_, err := agent.DecodeMessages([]byte(data))
		if err == nil || len(err.Error()) > 300 {
			t.Errorf("%.60s…: got an error of %d bytes, want one of at most 300", data, len(fmt.Sprint(err)))
		}
	}
}
