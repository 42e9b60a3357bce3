package tokens_test

import (
	"encoding/base64"
	"encoding/binary"
	"testing"

	"context-manager/internal/tokens"
)

// png returns the base64 text of the head of a PNG file of that size, with so
// many bytes of it.
func png(width, height, size int) []byte {
	b := append([]byte("\x89PNG\r\n\x1a\n"), 0, 0, 0, 13, 'I', 'H', 'D', 'R')
	b = binary.BigEndian.AppendUint32(b, uint32(width))
	b = binary.BigEndian.AppendUint32(b, uint32(height))
	b = append(b, 8, 6, 0, 0, 0)
	b = append(b, make([]byte, max(0, size-len(b)))...)
	return []byte(base64.StdEncoding.EncodeToString(b))
}

func TestImageTokens(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, model   string
		width, height int
		want          uint64
	}{
		// OpenAI's own examples of the tile formula.
		{"a square is made smaller to four tiles", "gpt-4o", 1024, 1024, 765},
		{"a tall picture is made smaller twice", "gpt-4o", 2048, 4096, 1105},
		{"a small picture is one tile and not made larger", "gpt-4o", 512, 512, 255},
		{"one pixel more is a second tile", "gpt-4o", 513, 512, 425},
		{"a wide picture keeps its short side", "gpt-4o", 4000, 500, 85 + 170*4},
		{"a line is one tile high", "gpt-4o", 100000, 1, 85 + 170*4},
		{"mini has tiles of its own price", "gpt-4o-mini", 1024, 1024, 2833 + 4*5667},
		{"a dated mini", "gpt-4o-mini-2024-07-18", 10, 10, 2833 + 5667},
		{"gpt-4.5", "gpt-4.5-preview", 1024, 1024, 765},
		{"gpt-4.1", "gpt-4.1-2025-04-14", 1024, 1024, 765},
		{"gpt-4 turbo", "gpt-4-turbo", 1024, 1024, 765},
		{"o1", "o1", 1024, 1024, 75 + 4*150},
		{"o3 through a router", "openrouter::openai/o3", 1024, 1024, 75 + 4*150},
		{"gpt-5", "gpt-5", 1024, 1024, 70 + 4*140},
		{"gpt-5.1", "gpt-5.1", 1024, 1024, 70 + 4*140},
		// OpenAI's own examples of the patch formula: 1,024 and 1,452 patches.
		{"a square of patches", "gpt-4.1-mini", 1024, 1024, 1659},
		{"a picture with too many patches", "gpt-4.1-mini", 1800, 2400, 2353},
		{"nano", "gpt-4.1-nano", 1024, 1024, 2520},
		{"o4-mini", "o4-mini", 1024, 1024, 1762},
		{"gpt-5 mini as billed", "gpt-5-mini", 1024, 1024, 1229},
		{"gpt-5 nano as billed", "gpt-5-nano-2025-08-07", 1024, 1024, 1536},
		{"one pixel is one patch", "o4-mini", 1, 1, 2},
		{"a full number of patches is not made smaller", "gpt-5-nano", 32 * 48, 32 * 32, 2304},
		{"a picture of 3:2 fills all patches", "gpt-5-mini", 1560, 1040, 1844},
		{"a line has at most all patches", "gpt-5-nano", 4_000_000_000, 1, 2304},
		{"a fine-tuned model", "ft:gpt-4o:org::id", 1024, 1024, 765},
		{"a model without a formula", "gpt-3.5-turbo", 1024, 1024, 4096},
		{"a model that only begins like one", "o11", 1024, 1024, 4096},
		{"an unknown model", "m-1", 1024, 1024, 4096},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for _, size := range []int{0, 100_000} {
				if got := tokens.ImageTokens(tt.model, png(tt.width, tt.height, size)); got != tt.want {
					t.Errorf("%s, %d × %d: got %d tokens, want %d", tt.model, tt.width, tt.height, got, tt.want)
				}
			}
		})
	}
}

func TestAPictureCostsTheSameUpright(t *testing.T) {
	t.Parallel()
	for _, model := range []string{"gpt-4o", "gpt-4.1-mini", "gpt-5-nano"} {
		for w := 1; w < 5000; w += 173 {
			for h := 1; h < 5000; h += 211 {
				lying, upright := tokens.ImageTokens(model, png(w, h, 0)), tokens.ImageTokens(model, png(h, w, 0))
				if lying != upright {
					t.Errorf("%s, %d × %d: got %d tokens and %d upright, want the same", model, w, h, lying, upright)
				}
			}
		}
	}
}

// 3:2 scales to exactly 48 × 32 patches, whatever the size. Floating-point
// arithmetic makes 47 of some of the 48.
func TestPicturesOfTheFullShapeCostAllPatches(t *testing.T) {
	t.Parallel()
	for k := 513; k < 3000; k++ {
		for _, size := range [][2]int{{3 * k, 2 * k}, {2 * k, 3 * k}} {
			if got := tokens.ImageTokens("gpt-4.1-mini", png(size[0], size[1], 0)); got != 2489 {
				t.Errorf("%d × %d: got %d tokens, want 2489", size[0], size[1], got)
			}
		}
	}
}

// Whatever the size, a picture stays within what its family can cost.
func TestImageTokensAreBounded(t *testing.T) {
	t.Parallel()
	for model, most := range map[string]uint64{
		"gpt-4o": 85 + 8*170, "gpt-4.1-mini": 2489, "gpt-4.1-nano": 3779, "o4-mini": 2642, "gpt-5-mini": 1844, "gpt-5-nano": 2304,
	} {
		for _, w := range []int{1, 31, 33, 767, 769, 1535, 2049, 5000, 65535, 1 << 20, 1<<32 - 1} {
			for _, h := range []int{1, 32, 512, 768, 1000, 2048, 49152, 1<<32 - 1} {
				if got := tokens.ImageTokens(model, png(w, h, 0)); got == 0 || got > most {
					t.Errorf("%s, %d × %d: got %d tokens, want 1 to %d", model, w, h, got, most)
				}
			}
		}
	}
}

func TestAnUnreadableImageIsFlat(t *testing.T) {
	t.Parallel()
	for _, data := range []string{"", "AAAA", "not base64 at all", "%PDF-1.7"} {
		if got := tokens.ImageTokens("gpt-4o", []byte(data)); got != tokens.UnreadableImage {
			t.Errorf("%q: got %d tokens, want %d", data, got, tokens.UnreadableImage)
		}
	}
}
