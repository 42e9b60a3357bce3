package bpe_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/dlclark/regexp2"

	"context-manager/internal/tokens/bpe"
)

// patterns are the published expressions that the splitters follow. Tokens
// alone would not show every piece, since no token may cross its ends anyway.
var patterns = map[bpe.Encoding][]string{
	bpe.R50kBase: {`'s|'t|'re|'ve|'m|'ll|'d`, ` ?\p{L}+`, ` ?\p{N}+`, ` ?[^\s\p{L}\p{N}]+`, `\s+(?!\S)`, `\s+`},
	bpe.CL100kBase: {
		`(?i:'s|'t|'re|'ve|'m|'ll|'d)`, `[^\r\n\p{L}\p{N}]?\p{L}+`, `\p{N}{1,3}`, ` ?[^\s\p{L}\p{N}]+[\r\n]*`,
		`\s*[\r\n]+`, `\s+(?!\S)`, `\s+`,
	},
	bpe.O200kBase: {
		`[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?`,
		`[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?`,
		`\p{N}{1,3}`, ` ?[^\s\p{L}\p{N}]+[\r\n/]*`, `\s*[\r\n]+`, `\s+(?!\S)`, `\s+`,
	},
}

func TestPiecesAreThoseOfTheExpression(t *testing.T) {
	t.Parallel()
	for e, pattern := range patterns {
		t.Run(string(e), func(t *testing.T) {
			t.Parallel()
			c := load(t, e)
			expression := regexp2.MustCompile(strings.Join(pattern, "|"), regexp2.None)
			compare := func(text string) {
				if !utf8.ValidString(text) || !oracleAgrees(text) {
					return
				}
				var want []int
				runes, end := []rune(text), 0
				m, err := expression.FindStringMatch(text)
				for at := 0; m != nil && err == nil; m, err = expression.FindNextMatch(m) {
					end += len(string(runes[at : m.Index+m.Length]))
					at = m.Index + m.Length
					want = append(want, end)
				}
				if err != nil {
					t.Fatal(err)
				}
				if got := c.Pieces(text); !slices.Equal(got, want) {
					t.Errorf("%q: got pieces that end at %v, want %v", text, got, want)
				}
			}
			for _, text := range corpus(t) {
				compare(text)
			}
			for seed := range uint64(1500) {
				compare(randomText(rand.New(rand.NewPCG(12, seed))))
			}
			// Every order of what the expressions tell apart.
			parts := []string{"A", "b", "中", "\u0301", "1", " ", "\n", "!", "'s", "/"}
			for n := range 10_000 {
				compare(parts[n%10] + parts[n/10%10] + parts[n/100%10] + parts[n/1000])
			}
		})
	}
}
