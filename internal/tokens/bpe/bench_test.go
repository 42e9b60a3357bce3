package bpe_test

import (
	"fmt"
	"strings"
	"testing"

	"context-manager/internal/tokens/bpe"
)

// Throughput by kind of text, beside that of tiktoken-go in the same run:
//
//	go test ./internal/tokens/bpe -run '^$' -bench Throughput -count 10
func BenchmarkThroughput(b *testing.B) {
	const size = 1 << 20
	for _, e := range []bpe.Encoding{bpe.O200kBase, bpe.CL100kBase} {
		c, o := load(b, e), oracles[e]()
		for _, text := range []struct{ name, text string }{
			{"prose", prose(b, size)},
			{"code", code(b, size)},
			{"base64", base64Text(size)},
			{"chinese", chinese(b, size)},
		} {
			data := []byte(text.text)
			b.Run(fmt.Sprintf("%s/%s/bpe", e, text.name), func(b *testing.B) {
				b.SetBytes(int64(len(data)))
				b.ReportAllocs()
				for b.Loop() {
					c.Count(data)
				}
			})
			b.Run(fmt.Sprintf("%s/%s/tiktoken-go", e, text.name), func(b *testing.B) {
				b.SetBytes(int64(len(data)))
				b.ReportAllocs()
				for b.Loop() {
					o.EncodeOrdinary(text.text)
				}
			})
		}
	}
}

// 100 KB of one character, the worst case of merging.
func BenchmarkRuns(b *testing.B) {
	c := load(b, bpe.O200kBase)
	for _, unit := range []string{"a", " ", "\n", ".", "中", "😀", "0"} {
		data := []byte(strings.Repeat(unit, 100_000/len(unit)))
		b.Run(fmt.Sprintf("%U", []rune(unit)[0]), func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			for b.Loop() {
				c.Count(data)
			}
		})
	}
}

// Loading reads the embedded ranks. B/op is nearly all that stays in memory.
func BenchmarkLoad(b *testing.B) {
	for _, e := range []bpe.Encoding{bpe.R50kBase, bpe.P50kBase, bpe.CL100kBase, bpe.O200kBase} {
		b.Run(string(e), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := bpe.ReadAgain(e); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
