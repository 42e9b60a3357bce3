package tokens_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	tiktoken "github.com/pkoukk/tiktoken-go"

	"context-manager/internal/tokens"
)

func TestChatsCostWhatASecondImplementationSays(t *testing.T) {
	t.Parallel()
	square, wide, broken := string(png(1024, 1024, 0)), string(png(513, 100, 3000)), "AAAA"
	tests := []struct {
		name, model string
		count       func() *tiktoken.Tiktoken
		images      map[string]uint64
	}{
		{"o200k with tiles", "gpt-4o", o200k, map[string]uint64{square: 765, wide: 425, broken: 4096}},
		{"o200k with patches", "openai/gpt-4.1-mini", o200k, map[string]uint64{square: 1659, wide: 111, broken: 4096}},
		{"o200k without pictures", "gpt-oss-120b", o200k, map[string]uint64{square: 4096, wide: 4096, broken: 4096}},
		{"cl100k", "gpt-4-turbo", cl100k, map[string]uint64{square: 765, wide: 425, broken: 4096}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := chat{r: rand.New(rand.NewPCG(1, uint64(len(tt.name)))), images: []string{square, wide, broken}, seen: map[string]int{}}
			s := slow{t: t, count: tt.count(), images: tt.images}
			e := tokens.For(tt.model, tokens.Auto, tokens.Options{Cache: tokens.NewCache(1 << 20)})
			for range 300 {
				m := c.message()
				list := decoded(t, []map[string]any{m, m})
				want := s.message(m)
				for i := range list { // the second time from the cache
					if got := e.Message(&list[i]); got != want {
						t.Errorf("got %d tokens, want %d for %s", got, want, marshal(t, m))
					}
				}
				if m["role"] == "function_result" {
					if got, want := e.ResultText(&list[0]), s.resultText(m); got != want {
						t.Errorf("got result text %d, want %d for %s", got, want, marshal(t, m))
					}
				}
			}
			for range 50 {
				f := c.tool()
				if got, want := e.Tool(decodedTool(t, f)), s.tool(f); got != want {
					t.Errorf("got tool %d, want %d for %s", got, want, marshal(t, f))
				}
				text := c.text()
				if got, want := e.Text([]byte(text)), s.text(text); got != want {
					t.Errorf("got text %d, want %d for %q", got, want, text)
				}
				want := 3 + s.text("system") + s.text(text)
				if text == "" {
					want = 0
				}
				if got := e.SystemPrompt(text); got != want {
					t.Errorf("got system prompt %d, want %d for %q", got, want, text)
				}
			}
			for _, kind := range []string{"user", "assistant", "function_result", "custom", "text", "image", "thinking", "function_call", "citation"} {
				if c.seen[kind] < 20 {
					t.Errorf("got %d of %s in the chats, want at least 20", c.seen[kind], kind)
				}
			}
		})
	}
}

func TestTokenizerCountsByHand(t *testing.T) {
	t.Parallel()
	e := tokens.For("gpt-4o", tokens.Auto, tokens.Options{})
	tests := []struct {
		name string
		m    map[string]any
		want uint64
	}{
		{"an empty message is its markers and role", map[string]any{"role": "user", "content": []any{}, "timestamp": 1}, 4},
		{"a word", map[string]any{"role": "user", "content": []any{text("hello")}, "timestamp": 1}, 5},
		{"texts are counted apart", map[string]any{"role": "user", "content": []any{text("hel"), text("lo")}, "timestamp": 1}, 6},
		{"control token text is text", map[string]any{"role": "user", "content": []any{text("<|endoftext|>")}, "timestamp": 1}, 11},
		{"an inline result", map[string]any{"role": "user", "content": []any{
			map[string]any{"type": "function_result", "function_call_id": "c", "content": []any{text("hello")}},
		}, "timestamp": 1}, 13},
		{"a result", map[string]any{"role": "function_result", "function_call_id": "c", "function_id": "f",
			"content": []any{text("hello")}, "details": map[string]any{"status": "denied"}, "is_error": true, "timestamp": 1}, 13},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := e.Message(&decoded(t, []map[string]any{tt.m})[0]); got != tt.want {
				t.Errorf("got %d tokens, want %d", got, tt.want)
			}
		})
	}
}

func text(s string) map[string]any { return map[string]any{"type": "text", "text": s} }

func TestARepeatedHistoryAllocatesNothing(t *testing.T) {
	c := chat{r: rand.New(rand.NewPCG(3, 3)), images: []string{string(png(100, 100, 5000))}, seen: map[string]int{}}
	var messages []map[string]any
	for range 200 {
		messages = append(messages, c.message())
	}
	list := decoded(t, messages)
	e := tokens.For("gpt-4o", tokens.Auto, tokens.Options{Cache: tokens.NewCache(1 << 20)})
	count := func() (n uint64) {
		for i := range list {
			n += e.Message(&list[i])
		}
		return n
	}
	first := count()
	most := 2.0
	if raceEnabled {
		most = float64(len(list))
	}
	if got := testing.AllocsPerRun(10, func() {
		if again := count(); again != first {
			t.Errorf("got %d tokens again, want %d", again, first)
		}
	}); got > most {
		t.Errorf("got %v allocations, want at most %v", got, most)
	}
}

// The picture's bytes are neither hashed nor counted.
func TestALargePictureIsNotRead(t *testing.T) {
	t.Parallel()
	m := map[string]any{"role": "user", "content": []any{
		map[string]any{"type": "image", "mime": "image/png", "data": string(png(1024, 1024, 3_000_000))},
	}, "timestamp": 1}
	c := tokens.NewCache(1 << 20)
	e := tokens.For("gpt-4o", tokens.Auto, tokens.Options{Cache: c})
	if got, want := e.Message(&decoded(t, []map[string]any{m})[0]), uint64(4+765); got != want {
		t.Errorf("got %d tokens, want %d", got, want)
	}
	if c.Len() != 0 {
		t.Errorf("got %d counts remembered, want none of a picture", c.Len())
	}
}

func TestModelsOfOneEncodingShareTheirCounts(t *testing.T) {
	t.Parallel()
	c := tokens.NewCache(1 << 20)
	long := []byte(strings.Repeat("shared by both, ", 20))
	for _, model := range []string{"gpt-4o", "o3", "gpt-4o-mini"} {
		tokens.For(model, tokens.Auto, tokens.Options{Cache: c}).Text(long)
	}
	if got := c.Len(); got != 1 {
		t.Errorf("got %d counts remembered for one encoding, want 1", got)
	}
	tokens.For("gpt-4", tokens.Auto, tokens.Options{Cache: c}).Text(long)
	if got := c.Len(); got != 2 {
		t.Errorf("got %d counts remembered for two encodings, want 2", got)
	}
}
