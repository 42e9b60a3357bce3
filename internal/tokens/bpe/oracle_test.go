package bpe_test

import (
	"sync"
	"testing"

	tiktoken "github.com/pkoukk/tiktoken-go"
	loader "github.com/pkoukk/tiktoken-go-loader"

	"context-manager/internal/tokens/bpe"
)

// oracles holds the other implementation, one per vocabulary. Building one
// takes longer than most tests.
var oracles = map[bpe.Encoding]func() *tiktoken.Tiktoken{
	bpe.R50kBase:     oracle("r50k_base"),
	bpe.P50kBase:     oracle("p50k_base"),
	bpe.CL100kBase:   oracle("cl100k_base"),
	bpe.O200kBase:    o200kOracle,
	bpe.O200kHarmony: o200kOracle,
}

var o200kOracle = oracle("o200k_base")

var setLoader = sync.OnceFunc(func() { tiktoken.SetBpeLoader(loader.NewOfflineLoader()) })

func oracle(name string) func() *tiktoken.Tiktoken {
	return sync.OnceValue(func() *tiktoken.Tiktoken {
		setLoader()
		o, err := tiktoken.GetEncoding(name)
		if err != nil {
			panic(err)
		}
		return o
	})
}

// load returns the codec of an encoding.
func load(tb testing.TB, e bpe.Encoding) *bpe.Codec {
	tb.Helper()
	c, err := bpe.Load(e)
	if err != nil {
		tb.Fatal(err)
	}
	return c
}
