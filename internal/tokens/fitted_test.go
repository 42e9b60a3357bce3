package tokens_test

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"context-manager/internal/tokens"
)

// slowFitted is the fitted rule a second time, in floating point over decoded
// JSON. It returns tokens before rounding.
type slowFitted struct {
	slow
	flat uint64
}

func (s slowFitted) text(text string, rate float64) float64 {
	n := 0.0
	for i := range len(text) {
		if text[i] < 0x80 {
			n += 1 / rate
		} else {
			n += 0.5
		}
	}
	return n
}

func (s slowFitted) blocks(list any, rate float64) (n float64) {
	for _, item := range list.([]any) {
		b := item.(map[string]any)
		switch b["type"] {
		case "text":
			n += s.text(b["text"].(string), rate)
		case "thinking":
			n += s.text(b["signature"].(string), 4.5)
		case "image":
			if s.flat > 0 {
				n += float64(s.flat)
			} else {
				n += float64(s.images[b["data"].(string)])
			}
		case "function_call":
			n += s.text(b["function_id"].(string), 3.2) + s.text(s.compact(b["arguments"]), 3.2)
		case "function_result":
			n += s.blocks(b["content"], 2.8)
		default:
			n += s.text(s.compact(b), 3.2)
		}
	}
	return n
}

// up rounds up, but not what is only a rounding error above a whole number.
func up(n float64) uint64 { return uint64(math.Ceil(n - 1e-6)) }

func TestFittedCountsBytesAtTheirRates(t *testing.T) {
	t.Parallel()
	small, large, broken := string(png(200, 200, 0)), string(png(3000, 2000, 0)), "AAAA"
	images := map[string]uint64{small: 54, large: 1600, broken: 1600}
	for _, flat := range []uint64{0, 777} {
		e := tokens.For("claude-sonnet-4", tokens.ByFitted, tokens.Options{ImageTokens: flat})
		c := chat{r: rand.New(rand.NewPCG(5, flat)), images: []string{small, large, broken}, seen: map[string]int{}}
		s := slowFitted{slow{t: t, images: images}, flat}
		for range 300 {
			m := c.message()
			rate := 4.1
			if m["role"] == "function_result" {
				rate = 2.8
			}
			list := decoded(t, []map[string]any{m})
			if got, want := e.Message(&list[0]), up(35+s.blocks(m["content"], rate)); got != want {
				t.Errorf("got %d tokens, want %d for %s", got, want, marshal(t, m))
			}
			texts := string(list[0].AppendText(nil))
			if got, want := e.ResultText(&list[0]), up(s.text(texts, 2.8)); got != want {
				t.Errorf("got result text %d, want %d for %s", got, want, marshal(t, m))
			}
			f := c.tool()
			json := `{"name":` + s.compact(f["name"]) + `,"description":` + s.compact(f["description"]) + `,"parameters":` + s.compact(f["parameters"]) + `}`
			if got, want := e.Tool(decodedTool(t, f)), up(s.text(json, 3.2)); got != want {
				t.Errorf("got tool %d, want %d for %s", got, want, json)
			}
			text := c.text()
			for _, got := range []uint64{e.Text([]byte(text)), e.SystemPrompt(text)} {
				if want := up(s.text(text, 4.1)); got != want {
					t.Errorf("got text %d, want %d for %q", got, want, text)
				}
			}
		}
	}
}

func TestFittedByHand(t *testing.T) {
	t.Parallel()
	e := tokens.For("anthropic/claude-opus-4-6", tokens.ByFitted, tokens.Options{})
	for _, tt := range []struct {
		text string
		want uint64
	}{
		{"", 0}, {"a", 1}, {strings.Repeat("a", 41), 10}, {strings.Repeat("a", 42), 11}, {"é", 1}, {"中", 2}, {"中文", 3},
		{strings.Repeat("a", 410_000_000/1000), 100_000},
	} {
		if got := e.Text([]byte(tt.text)); got != tt.want {
			t.Errorf("%.10q (%d bytes): got %d tokens, want %d", tt.text, len(tt.text), got, tt.want)
		}
	}
	m := map[string]any{"role": "assistant", "content": []any{
		map[string]any{"type": "thinking", "text": strings.Repeat("a long thought ", 50), "signature": strings.Repeat("S", 45)},
	}, "stop_reason": "end", "model": "claude", "provider": "anthropic", "timestamp": 1}
	if got, want := e.Message(&decoded(t, []map[string]any{m})[0]), uint64(35+10); got != want {
		t.Errorf("got %d tokens for thinking, want %d: the signature alone is billed", got, want)
	}
}
