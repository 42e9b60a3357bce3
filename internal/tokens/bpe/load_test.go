package bpe_test

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"strings"
	"testing"

	"context-manager/internal/tokens/bpe"
)

func rankLine(token []byte, rank int) []byte {
	return fmt.Appendf(nil, "%s %d\n", base64.StdEncoding.EncodeToString(token), rank)
}

func TestAVocabularyIsReadOnce(t *testing.T) {
	t.Parallel()
	a, b := load(t, bpe.O200kBase), load(t, bpe.O200kHarmony)
	if a.Encoding() != bpe.O200kBase || b.Encoding() != bpe.O200kHarmony {
		t.Errorf("got encodings %s and %s, want those that were loaded", a.Encoding(), b.Encoding())
	}
	if &a.Bytes(1000)[0] != &b.Bytes(1000)[0] {
		t.Error("got two copies of the ranks, want one for both encodings")
	}
}

func TestVocabulariesHaveTheirPublishedSize(t *testing.T) {
	t.Parallel()
	for e, want := range map[bpe.Encoding]int{
		bpe.R50kBase: 50256, bpe.P50kBase: 50281, bpe.CL100kBase: 100256, bpe.O200kBase: 199998, bpe.O200kHarmony: 199998,
	} {
		if got := load(t, e).Size(); got != want {
			t.Errorf("%s: got %d ranks, want %d", e, got, want)
		}
	}
}

func TestEveryTokenIsFoundByItsBytes(t *testing.T) {
	t.Parallel()
	for _, e := range []bpe.Encoding{bpe.R50kBase, bpe.P50kBase, bpe.CL100kBase, bpe.O200kBase} {
		c := load(t, e)
		gaps := 0
		for id := range c.Size() {
			token := c.Bytes(id)
			if len(token) == 0 {
				gaps++
				continue
			}
			if got := c.Rank(token); got != id {
				t.Fatalf("%s: got rank %d for %q, want %d", e, got, token, id)
			}
		}
		if want := map[bool]int{true: 1, false: 0}[e == bpe.P50kBase]; gaps != want {
			t.Errorf("%s: got %d gaps, want %d", e, gaps, want)
		}
	}
}

func TestLoadRefusesUnknownNames(t *testing.T) {
	t.Parallel()
	for _, name := range []bpe.Encoding{"", "o200k", "O200K_BASE", "p50k_edit"} {
		if _, err := bpe.Load(name); err == nil || !strings.Contains(err.Error(), "unknown name") {
			t.Errorf("%q: got error %v, want unknown name", name, err)
		}
	}
}

func TestBrokenRankListsAreRefused(t *testing.T) {
	t.Parallel()
	var whole []byte
	for b := range 256 {
		whole = append(whole, rankLine([]byte{byte(b)}, b)...)
	}
	long := rankLine(bytes.Repeat([]byte{'x'}, 300), 256)
	tests := []struct {
		name, list, want string
	}{
		{"nothing", "", "byte 0x00 is no token"},
		{"a byte is missing", string(whole[:len(whole)-1-len(rankLine([]byte{255}, 255))]), "byte 0xff is no token"},
		{"a token is no base64", string(whole) + "!!!! 256\n", "line 257: illegal base64"},
		{"a rank is no number", string(whole) + "YWI= x\n", "line 257: strconv"},
		{"a rank is missing", string(whole) + "YWI=\n", "line 257: strconv"},
		{"a rank comes twice", string(whole) + "YWI= 255\n", "line 257: empty token, or rank 255 out of order"},
		{"a rank is too large", string(whole) + "YWI= 300\n", "line 257: empty token, or rank 300 out of order"},
		{"a token is empty", string(whole) + " 256\n", "line 257: empty token"},
		{"a token is too long", string(whole) + string(long), "line 257: a token of more than 255 bytes"},
		{"a line does not end", string(whole) + strings.Repeat("x", 1<<17), "line 257: bufio: buffer full"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if _, err := bpe.ReadRanks(strings.NewReader(tt.list), 300); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got error %v, want one with %q", err, tt.want)
			}
		})
	}
}

func TestARankListMayHaveGapsAndNoLastLineBreak(t *testing.T) {
	t.Parallel()
	var list []byte
	for b := range 256 {
		list = append(list, rankLine([]byte{byte(b)}, b)...)
	}
	list = append(list, bytes.TrimSpace(rankLine([]byte("ab"), 259))...)
	if got, err := bpe.ReadRanks(bytes.NewReader(list), 300); err != nil || got != 260 {
		t.Errorf("got %d ranks and error %v, want 260", got, err)
	}
}

// A text made for the purpose can have the hash of a token. These 8 bytes make
// a factor of the hash zero, whatever stands before them.
func TestATextWithTheHashOfATokenIsNotThatToken(t *testing.T) {
	t.Parallel()
	tail := "\xc9\xac\x2e\x96\x93\x4b\xb8\x8b"
	var list []byte
	for b := range 256 {
		list = append(list, rankLine([]byte{byte(b)}, b)...)
	}
	list = append(list, rankLine([]byte("A"+tail), 256)...)
	for token, want := range map[string]int{"A" + tail: 256, "B" + tail: -1} {
		if got, err := bpe.RankIn(bytes.NewReader(list), 300, []byte(token)); err != nil || got != want {
			t.Errorf("%q: got rank %d and error %v, want %d", token, got, err, want)
		}
	}
}
