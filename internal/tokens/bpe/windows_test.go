package bpe_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"context-manager/internal/tokens/bpe"
)

// longPieces returns texts that no splitter cuts, so that merges may reach far.
func longPieces(r *rand.Rand) []string {
	pieces := []string{
		strings.Repeat("a", 3000), strings.Repeat(" ", 3000), strings.Repeat("=", 3000),
		strings.Repeat("中", 900), strings.Repeat("ab", 1500), strings.Repeat("😀", 700),
		strings.Repeat("é", 1400), strings.Repeat("_-", 1200),
	}
	for range 60 {
		letters := []string{"ab", "aA", "acgt", "abcdefghijklmnopqrstuvwxyz", "etaoinshrdlu", "=-", "0", "\xe4\xb8\xad"}[r.IntN(8)]
		b := make([]byte, 100+r.IntN(3000))
		for i := range b {
			b[i] = letters[r.IntN(len(letters))]
		}
		pieces = append(pieces, string(b))
	}
	return pieces
}

// Windows of any size give the tokens of one window that holds all.
func TestWindowsMeetExactly(t *testing.T) {
	t.Parallel()
	for _, e := range []bpe.Encoding{bpe.R50kBase, bpe.CL100kBase, bpe.O200kBase} {
		t.Run(string(e), func(t *testing.T) {
			t.Parallel()
			c := load(t, e)
			grown := 0
			for _, piece := range longPieces(rand.New(rand.NewPCG(8, 9))) {
				want, _ := c.Stitch([]byte(piece), len(piece))
				for _, size := range []int{4, 8, 16, 32, 64, 100, 256, 512, 1024, 2048} {
					got, used := c.Stitch([]byte(piece), size)
					if !slices.Equal(got, want) {
						t.Errorf("%.20q… (%d bytes) in windows of %d, at last %d: got %d tokens, want %d",
							piece, len(piece), size, used, len(got), len(want))
					}
					if used > size {
						grown++
					}
					if size >= 1024 && used != size {
						t.Errorf("%.20q…: got windows of %d, want %d to do", piece, used, size)
					}
				}
			}
			if grown < 20 {
				t.Errorf("got %d pieces whose windows had to grow, want at least 20 to test that", grown)
			}
		})
	}
}

func TestLongPiecesHaveTheTokensOfTheOracle(t *testing.T) {
	t.Parallel()
	for _, e := range []bpe.Encoding{bpe.CL100kBase, bpe.O200kBase} {
		c, o := load(t, e), oracles[e]()
		for _, piece := range longPieces(rand.New(rand.NewPCG(10, 11))) {
			piece = piece[:min(len(piece), 900)]
			got, want := c.Append(nil, []byte(piece)), o.EncodeOrdinary(piece)
			if !slices.Equal(got, want) {
				t.Errorf("%s of %.20q… (%d bytes): got %d tokens, want %d", e, piece, len(piece), len(got), len(want))
			}
		}
	}
}

// A hundred thousand bytes of one character, the worst that a merger can get,
// take a fixed number of look-ups, heap steps and scanned bytes for each byte.
func TestRunsOfOneCharacterCostLinearTime(t *testing.T) {
	t.Parallel()
	c := load(t, bpe.O200kBase)
	for _, unit := range []string{"a", " ", "\n", ".", "中", "😀", "0", "="} {
		checkCost(t, c, unit, strings.Repeat(unit, 25_000/len(unit)))
	}
}

// The other texts are those that make a splitter look far ahead, or back.
func TestAwkwardTextsCostLinearTime(t *testing.T) {
	t.Parallel()
	for _, e := range []bpe.Encoding{bpe.R50kBase, bpe.CL100kBase, bpe.O200kBase} {
		c := load(t, e)
		for _, unit := range []string{
			"A", "é", "\t", "\r\n", "\u0301", "\u00a0", "'", "/", "ab", "aA", "中A", "A中", "\u0301A", "\u0301AB",
			" \n", "\n ", "'s", "<|endoftext|>", "\xff", "\u2028 ", "\n" + strings.Repeat(" ", 300), "中" + strings.Repeat("A", 300),
		} {
			text := strings.Repeat(unit, 3000/len(unit))
			checkCost(t, c, unit, text)
			checkCost(t, c, unit, "中"+text+"!")
		}
	}
}

func checkCost(t *testing.T, c *bpe.Codec, unit, text string) {
	t.Helper()
	const most = 80 // operations a byte; a quadratic merger takes thousands
	_, once := c.Ops([]byte(text))
	_, four := c.Ops([]byte(strings.Repeat(text, 4)))
	if perByte := float64(four) / float64(4*len(text)); perByte > most {
		t.Errorf("%s of %q: got %.1f operations a byte, want at most %d", c.Encoding(), unit, perByte, most)
	}
	if ratio := float64(four) / float64(once); ratio > 4.6 {
		t.Errorf("%s of %q: got %.2f times the operations for 4 times the text, want at most 4.6", c.Encoding(), unit, ratio)
	}
}
