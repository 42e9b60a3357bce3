package tokens_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"context-manager/internal/tokens"
)

func TestTheCacheStaysWithinItsLimit(t *testing.T) {
	t.Parallel()
	const limit = 2 << 20
	c := tokens.NewCache(limit)
	if got := c.Bytes(); got != 0 {
		t.Errorf("got %d bytes before anything is counted, want 0", got)
	}
	const entries = limit / 32
	for i := range 4 * entries {
		c.Put(1, fmt.Appendf(nil, "text %d", i), uint64(i))
		if got := c.Bytes(); i%1000 == 0 && got > limit {
			t.Fatalf("got %d bytes after %d counts, want at most %d", got, i, limit)
		}
	}
	if got := c.Bytes(); got > limit || got < limit/2 {
		t.Errorf("got %d bytes at last, want at most %d and the most part used", got, limit)
	}
	if got := c.Len(); got > entries || got < entries*9/10 {
		t.Errorf("got %d counts at last, want at most %d and most of them", got, entries)
	}
	// What came last is there.
	found := 0
	for i := 4*entries - entries/4; i < 4*entries; i++ {
		n, ok := c.Get(1, fmt.Appendf(nil, "text %d", i))
		if ok && n != uint64(i) {
			t.Errorf("text %d: got count %d, want %d", i, n, i)
		}
		if ok {
			found++
		}
	}
	if found < entries/4*7/10 {
		t.Errorf("got %d of the last %d counts, want most of them", found, entries/4)
	}
}

func TestWhatIsAskedForOftenStays(t *testing.T) {
	t.Parallel()
	const limit = 1 << 20
	c := tokens.NewCache(limit)
	hot := make([][]byte, 500)
	for i := range hot {
		hot[i] = fmt.Appendf(nil, "hot %d", i)
		c.Put(1, hot[i], uint64(i))
	}
	for i := range 10 * limit / 32 {
		c.Put(1, fmt.Appendf(nil, "cold %d", i), 1)
		if i%8 == 0 {
			c.Get(1, hot[i/8%len(hot)])
		}
	}
	kept := 0
	for i := range hot {
		if _, ok := c.Get(1, hot[i]); ok {
			kept++
		}
	}
	if kept < len(hot)*9/10 {
		t.Errorf("got %d of %d texts that were asked for all the time, want nearly all", kept, len(hot))
	}
}

func TestKeysThatDifferAreApart(t *testing.T) {
	t.Parallel()
	c := tokens.NewCache(1 << 20)
	text := []byte("the same text")
	c.Put(1, text, 5)
	c.Put(2, text, 7)
	c.Put(1, []byte("the same texu"), 9)
	for kind, want := range map[uint32]uint64{1: 5, 2: 7} {
		if got, ok := c.Get(kind, text); !ok || got != want {
			t.Errorf("kind %d: got %d, %v, want %d", kind, got, ok, want)
		}
	}
	if got, ok := c.Get(3, text); ok {
		t.Errorf("got count %d for a kind that was never counted, want none", got)
	}
	c.Put(1, text, 6)
	if got, _ := c.Get(1, text); got != 6 {
		t.Errorf("got count %d, want the later 6", got)
	}
	c.Put(4, text, 1<<40)
	if got, ok := c.Get(4, text); ok {
		t.Errorf("got count %d of more than 32 bits, want it not kept", got)
	}
}

func TestTheCacheIsSafeForManyAtOnce(t *testing.T) {
	t.Parallel()
	c := tokens.NewCache(1 << 20)
	var wg sync.WaitGroup
	for worker := range 8 {
		wg.Go(func() {
			for i := range 20_000 {
				text := fmt.Appendf(nil, "text %d", (i*7+worker)%9000)
				want := uint64(len(text) * 3)
				if got, ok := c.Get(1, text); ok && got != want {
					t.Errorf("%s: got %d, want %d", text, got, want)
				}
				c.Put(1, text, want)
			}
		})
	}
	wg.Wait()
	if got := c.Bytes(); got > 1<<20 {
		t.Errorf("got %d bytes, want at most %d", got, 1<<20)
	}
}

func TestACachedCountAllocatesNothing(t *testing.T) {
	c := tokens.NewCache(1 << 20)
	e := tokens.For("gpt-4o", tokens.Auto, tokens.Options{Cache: c})
	text := []byte(strings.Repeat("A text that is counted again. ", 100))
	e.Text(text)
	if got := testing.AllocsPerRun(100, func() { e.Text(text) }); got != 0 {
		t.Errorf("got %v allocations, want 0", got)
	}
	if got := c.Len(); got != 1 {
		t.Errorf("got %d counts remembered, want 1", got)
	}
}

func TestTheSharedCacheHasTheLimitThatIsPromised(t *testing.T) {
	t.Parallel()
	if got, want := tokens.CacheBytes, 64<<20; got != want {
		t.Errorf("CacheBytes = %d, want %d", got, want)
	}
	if got, want := tokens.SharedCacheLimit(), tokens.NewCache(tokens.CacheBytes).Limit(); got != want {
		t.Errorf("the shared cache may take %d entries a shard, want %d", got, want)
	}
}
