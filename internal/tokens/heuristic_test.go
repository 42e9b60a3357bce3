package tokens_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"context-manager/internal/tokens"
)

func TestTheHeuristicIsAQuarterOfTheCanonicalBytes(t *testing.T) {
	t.Parallel()
	c := chat{r: rand.New(rand.NewPCG(4, 4)), images: []string{string(png(9, 9, 400))}, seen: map[string]int{}}
	e := tokens.NewHeuristic(0)
	for range 300 {
		m := c.message()
		list := decoded(t, []map[string]any{m})
		if m["role"] == "function_result" {
			m["details"] = nil // counted as null
		}
		size := len(decoded(t, []map[string]any{m})[0].AppendCanonical(nil))
		if got, want := e.Message(&list[0]), uint64(size/4); got != want {
			t.Errorf("got %d tokens, want %d for %s", got, want, marshal(t, m))
		}
		texts := len(list[0].AppendText(nil))
		if got, want := e.ResultText(&list[0]), uint64(texts/4); got != want {
			t.Errorf("got result text %d, want %d for %s", got, want, marshal(t, m))
		}
		f := decodedTool(t, c.tool())
		if got, want := e.Tool(f), uint64(len(f.AppendCanonical(nil))/4); got != want {
			t.Errorf("got tool %d, want %d for %s", got, want, f.Raw())
		}
		text := c.text()
		for _, got := range []uint64{e.Text([]byte(text)), e.SystemPrompt(text)} {
			if want := uint64(len(text) / 4); got != want {
				t.Errorf("got text %d, want %d for %q", got, want, text)
			}
		}
	}
}

func TestAFlatPriceStandsForBase64(t *testing.T) {
	t.Parallel()
	image := map[string]any{"type": "image", "mime": "image/png", "data": strings.Repeat("A", 729_420)}
	inner := map[string]any{"type": "function_result", "function_call_id": "c", "content": []any{image, text("ok")}}
	m := map[string]any{"role": "user", "content": []any{image, inner, text("look")}, "timestamp": 1}
	list := decoded(t, []map[string]any{m})
	image["data"] = ""
	bare := uint64(len(decoded(t, []map[string]any{m})[0].AppendCanonical(nil)))
	if got, want := tokens.NewHeuristic(4096).Message(&list[0]), bare/4+2*4096; got != want {
		t.Errorf("got %d tokens, want %d: the structure and two images", got, want)
	}
	if got, want := tokens.NewHeuristic(0).Message(&list[0]), (bare+2*729_420)/4; got != want {
		t.Errorf("got %d tokens without a flat price, want %d", got, want)
	}
	if got, want := tokens.For("m-1", tokens.Auto, tokens.Options{ImageTokens: 1}).Message(&list[0]), bare/4+2; got != want {
		t.Errorf("got %d tokens at 1 an image, want %d", got, want)
	}
}

func TestADeniedEnvelopeIsCounted(t *testing.T) {
	t.Parallel()
	m := map[string]any{"role": "function_result", "function_call_id": "c", "function_id": "f", "content": []any{},
		"details": map[string]any{"status": "denied", "reason": strings.Repeat("no ", 100)}, "is_error": true, "timestamp": 1}
	denied := decoded(t, []map[string]any{m})
	m["details"].(map[string]any)["status"] = "failed"
	failed := decoded(t, []map[string]any{m})
	e := tokens.NewHeuristic(0)
	if d, f := e.Message(&denied[0]), e.Message(&failed[0]); d < f+75 {
		t.Errorf("got %d tokens for denied details and %d for others, want at least 75 more", d, f)
	}
}
