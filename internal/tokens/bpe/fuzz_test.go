package bpe_test

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"context-manager/internal/tokens/bpe"
)

// oracleAgrees reports whether the oracle is right about a text: it is not
// where its tables give a character another category than Unicode 16.0 does,
// or where a long s follows an apostrophe.
func oracleAgrees(text string) bool {
	if strings.Contains(text, "'ſ") {
		return false
	}
	for _, r := range text {
		if categoryOf(r) != bpe.CategoryOf(r) {
			return false
		}
	}
	return true
}

// categoryOf is bpe.CategoryOf by the toolchain's tables.
func categoryOf(r rune) int {
	switch {
	case unicode.In(r, unicode.Lu, unicode.Lt):
		return bpe.Upper
	case unicode.Is(unicode.Ll, r):
		return bpe.Lower
	case unicode.In(r, unicode.Lm, unicode.Lo):
		return bpe.Letter
	case unicode.Is(unicode.M, r):
		return bpe.Mark
	case unicode.Is(unicode.N, r):
		return bpe.Number
	case unicode.Is(unicode.White_Space, r):
		return bpe.Space
	}
	return bpe.Other
}

// check compares a text with the oracle where that is right, and everywhere
// with what must hold: the tokens spell the text and are as many as counted.
func check(t *testing.T, e bpe.Encoding, text string) {
	t.Helper()
	c := load(t, e)
	ids := c.Append(nil, []byte(text))
	if got := c.CountString(text); got != len(ids) {
		t.Errorf("%s of %q: got count %d, want %d", e, text, got, len(ids))
	}
	var spelt []byte
	for _, id := range ids {
		spelt = append(spelt, c.Bytes(id)...)
	}
	if want := string([]rune(text)); string(spelt) != want {
		t.Errorf("%s of %q: got tokens that spell %q, want %q", e, text, spelt, want)
	}
	if oracleAgrees(text) {
		if want := oracles[e]().EncodeOrdinary(text); !slices.Equal(ids, want) {
			t.Errorf("%s of %q: got %v, want %v", e, text, ids, want)
		}
	}
}

func FuzzCount(f *testing.F) {
	for _, build := range oracles {
		build() // outside the time that one input may take
	}
	f.Add("")
	for _, text := range []string{
		"Hello, world's END'LL", "\n \n", "\x7f", "中A\u0301b", "x'ſ'type", "\xff\xc3(", "a \t\r\n/b", "１２３４ ٣", strings.Repeat("=", 200),
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 4096 { // the oracle is quadratic
			text = text[:4096]
		}
		for _, e := range []bpe.Encoding{bpe.R50kBase, bpe.P50kBase, bpe.CL100kBase, bpe.O200kBase} {
			check(t, e, text)
		}
	})
}

// awkward lists the characters at which pieces begin and end.
var awkward = strings.Split("a b t s S L R e V d m A B Z é É ß ǅ ʰ ª 中 あ ا \u0301 \u0902 1 9 ٣ Ⅷ ² ! . / ' ' ' - _ < | > € © 😀 \u200d \ufe0f \x00 \x7f \ufeff \u00ad ſ K \U0001f1e9", " ")

func randomText(r *rand.Rand) string {
	var b strings.Builder
	for range 1 + r.IntN(40) {
		switch r.IntN(10) {
		case 0:
			b.WriteString([]string{" ", "  ", "\n", "\r\n", "\t", "\u00a0", "\u2028", "\u3000"}[r.IntN(8)])
		case 1:
			b.WriteString([]string{" the", "ing", "'s", "'LL", "://", "function", " 你好", "\xff", "\xe4\xb8"}[r.IntN(9)])
		case 2:
			b.WriteRune(rune(r.IntN(0x3000)))
		case 3:
			b.WriteRune(rune(r.IntN(utf8.MaxRune + 1)))
		default:
			b.WriteString(awkward[r.IntN(len(awkward))])
		}
	}
	return b.String()
}

func TestRandomTextsHaveTheTokensOfTheOracle(t *testing.T) {
	t.Parallel()
	for _, e := range []bpe.Encoding{bpe.R50kBase, bpe.P50kBase, bpe.CL100kBase, bpe.O200kBase} {
		t.Run(string(e), func(t *testing.T) {
			t.Parallel()
			compared := 0
			for seed := range uint64(2500) {
				text := randomText(rand.New(rand.NewPCG(7, seed)))
				check(t, e, text)
				if oracleAgrees(text) {
					compared++
				}
			}
			if compared < 1200 {
				t.Errorf("got %d texts that the oracle is right about, want at least 1200", compared)
			}
		})
	}
}

func FuzzReadRanks(f *testing.F) {
	f.Add([]byte("YQ== 0\nYg== 1\n"))
	f.Add([]byte("YQ== 1\r\n\n"))
	f.Add([]byte("! 0"))
	var whole bytes.Buffer
	for b := range 256 {
		whole.Write(rankLine([]byte{byte(b)}, b))
	}
	f.Add(whole.Bytes())
	f.Fuzz(func(t *testing.T, data []byte) {
		size, err := bpe.ReadRanks(bytes.NewReader(data), 300)
		if err == nil && (size < 256 || size > 300) {
			t.Errorf("got %d ranks without an error, want 256 to 300", size)
		}
	})
}
