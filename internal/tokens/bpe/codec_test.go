package bpe_test

import (
	"bytes"
	"slices"
	"strings"
	"sync"
	"testing"

	"context-manager/internal/tokens/bpe"
)

func TestTheCorpusHasTheTokensOfTheOracle(t *testing.T) {
	t.Parallel()
	texts := corpus(t)
	for _, e := range bpe.Encodings() {
		t.Run(string(e), func(t *testing.T) {
			t.Parallel()
			c, o := load(t, e), oracles[e]()
			for name, text := range texts {
				got, want := c.Append(nil, []byte(text)), o.EncodeOrdinary(text)
				if !slices.Equal(got, want) {
					t.Errorf("%s: got %d tokens, want %d; first difference at %q", name, len(got), len(want), difference(c, got, want))
				}
				if got := c.Count([]byte(text)); got != len(want) {
					t.Errorf("%s: got count %d, want %d", name, got, len(want))
				}
				if got := c.CountString(text); got != len(want) {
					t.Errorf("%s: got count of the string %d, want %d", name, got, len(want))
				}
			}
		})
	}
}

// difference returns the text around the first token that differs.
func difference(c *bpe.Codec, got, want []int) string {
	i := 0
	for i < min(len(got), len(want)) && got[i] == want[i] {
		i++
	}
	var b []byte
	for _, id := range got[max(0, i-2):min(len(got), i+4)] {
		b = append(b, c.Bytes(id)...)
	}
	return string(b)
}

// The values are those of the reference implementation, tiktoken 0.14.0, in
// the order of Encodings without the last. The test oracle has others: it
// follows the toolchain's Unicode tables and does not fold U+017F to s.
func TestWhereTheOracleIsWrong(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, text string
		want       []int
	}{
		{"a long s ends a contraction", " I'ſ", []int{4, 4, 4, 2}},
		{"a long s ends a contraction before another", "x'ſ'type", []int{6, 6, 6, 4}},
		{"a long s ends a contraction before a word", "x'ſ'default", []int{7, 7, 6, 4}},
		{"a long s ends a contraction inside a word", " I'ſt", []int{5, 5, 5, 3}},
		{"a letter of Unicode 15.1 stands before a contraction", "\U0002ebf0's", []int{5, 5, 5, 5}},
		{"a letter of Unicode 15.1 stands before punctuation", "\U0002ebf0.A", []int{6, 6, 5, 5}},
		{"a digit of Unicode 16.0 stands before a contraction", "\U00010d40's", []int{5, 5, 5, 5}},
		{"a mark of Unicode 16.0 stands before punctuation", "\u0897.A", []int{5, 5, 5, 4}},
		{"control tokens are text", "x <|endofprompt|> a <|endoftext|> b", []int{18, 18, 15, 17}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for i, want := range tt.want {
				e := bpe.Encodings()[i]
				if got := load(t, e).CountString(tt.text); got != want {
					t.Errorf("%s of %q: got %d, want %d", e, tt.text, got, want)
				}
			}
		})
	}
}

func TestABadByteIsTheReplacementCharacter(t *testing.T) {
	t.Parallel()
	c := load(t, bpe.O200kBase)
	got, want := c.Append(nil, []byte("\xff")), []int{3251}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	a, b := c.CountString("a\xff\xfe\xe4\xb8b\xed\xa0\x80"), c.CountString("a\ufffd\ufffd\ufffd\ufffdb\ufffd\ufffd\ufffd")
	if a != b {
		t.Errorf("got %d, want %d as for the replaced text", a, b)
	}
}

func TestTheTextIsNeverWritten(t *testing.T) {
	t.Parallel()
	text := []byte("caf\xe9 and <|endoftext|> " + strings.Repeat("x", 3000))
	before := bytes.Clone(text)
	load(t, bpe.O200kBase).Count(text)
	if !bytes.Equal(text, before) {
		t.Error("got a changed text, want it as it was")
	}
}

func TestATextTakesAtMostTwoAllocations(t *testing.T) {
	for _, e := range bpe.Encodings() {
		c := load(t, e)
		for name, text := range corpus(t) {
			text := []byte(text)
			if got := testing.AllocsPerRun(5, func() { c.Count(text) }); got > 2 {
				t.Errorf("%s of %s: got %v allocations, want at most 2", e, name, got)
			}
		}
	}
}

func TestAllEncodingsCountAtOnce(t *testing.T) {
	t.Parallel()
	texts := corpus(t)
	var wg sync.WaitGroup
	for _, e := range bpe.Encodings() {
		want := map[string]int{}
		c := load(t, e)
		for name, text := range texts {
			want[name] = c.CountString(text)
		}
		for range 4 {
			wg.Go(func() {
				for name, text := range texts {
					if got := c.CountString(text); got != want[name] {
						t.Errorf("%s of %s: got %d, want %d", e, name, got, want[name])
					}
				}
			})
		}
	}
	wg.Wait()
}
