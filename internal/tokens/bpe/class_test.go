package bpe_test

import (
	"crypto/sha256"
	"fmt"
	"testing"
	"unicode"

	"context-manager/internal/tokens/bpe"
)

// The table decides counts, so a change of it must be meant: regenerate it,
// check it against the Unicode data, and put the new sum here.
func TestTheTableIsPinned(t *testing.T) {
	t.Parallel()
	h := sha256.New()
	for r := range rune(unicode.MaxRune + 1) {
		h.Write([]byte{byte(bpe.CategoryOf(r))})
	}
	const want = "a5b502650ad0bc0fa6744ff4ef6bc756e2d3d8466efa36591dc6aad7f32bbcf4"
	if got := fmt.Sprintf("%x", h.Sum(nil)); got != want {
		t.Errorf("got sum %s, want %s", got, want)
	}
}

// The sizes are those of the Unicode character database, version 16.0.
func TestCategoriesHaveTheSizesOfUnicode16(t *testing.T) {
	t.Parallel()
	got := map[int]int{}
	for r := range rune(unicode.MaxRune + 1) {
		got[bpe.CategoryOf(r)]++
	}
	for category, want := range map[int]int{
		bpe.Upper:  1858 + 31,       // Lu, Lt
		bpe.Lower:  2258,            // Ll
		bpe.Letter: 404 + 136477,    // Lm, Lo
		bpe.Mark:   2020 + 468 + 13, // Mn, Mc, Me
		bpe.Number: 760 + 236 + 915, // Nd, Nl, No
		bpe.Space:  25,              // White_Space
		-1:         0,               // no other class exists
	} {
		if got[category] != want {
			t.Errorf("category %d: got %d code points, want %d", category, got[category], want)
		}
	}
}

func TestCharactersThatUnicode16Added(t *testing.T) {
	t.Parallel()
	for category, ranges := range map[int][]rune{
		bpe.Upper:  {0x1c89, 0x1c89, 0xa7cb, 0xa7cc, 0xa7da, 0xa7da, 0xa7dc, 0xa7dc, 0x10d50, 0x10d65},
		bpe.Lower:  {0x1c8a, 0x1c8a, 0xa7cd, 0xa7cd, 0xa7db, 0xa7db, 0x10d70, 0x10d85},
		bpe.Letter: {0x10d4e, 0x10d4e, 0x16d40, 0x16d42, 0x105c0, 0x105f3, 0x113d1, 0x113d1, 0x13460, 0x143fa, 0x2ebf0, 0x2ee5d},
		bpe.Mark:   {0x897, 0x897, 0x10d69, 0x10d6d, 0x113c7, 0x113ca, 0x11f5a, 0x11f5a, 0x1611e, 0x1612f, 0x1e5ee, 0x1e5ef},
		bpe.Number: {0x10d40, 0x10d49, 0x116d0, 0x116e3, 0x16d70, 0x16d79, 0x1ccf0, 0x1ccf9, 0x1e5f1, 0x1e5fa},
		bpe.Other:  {0x1fae9, 0x1fae9, 0x2ffc, 0x2fff, 0x180e, 0x180e, 0x200b, 0x200d, 0xfeff, 0xfeff, 0x2ee5e, 0x2f7ff},
	} {
		for i := 0; i < len(ranges); i += 2 {
			for r := ranges[i]; r <= ranges[i+1]; r++ {
				if got := bpe.CategoryOf(r); got != category {
					t.Errorf("%U: got category %d, want %d", r, got, category)
				}
			}
		}
	}
}

// Whatever the toolchain's tables are, a code point that they know as Unicode
// 15.0 did has the same category here, apart from the additions.
func TestOldCharactersAreAsInTheToolchain(t *testing.T) {
	t.Parallel()
	differ := 0
	for r := range rune(unicode.MaxRune + 1) {
		if bpe.CategoryOf(r) != categoryOf(r) {
			differ++
			if bpe.CategoryOf(r) != bpe.Other && categoryOf(r) != bpe.Other {
				t.Errorf("%U: got category %d, the toolchain has %d", r, bpe.CategoryOf(r), categoryOf(r))
			}
		}
	}
	if unicode.Version == "15.0.0" && differ != 5055 {
		t.Errorf("got %d code points that differ from Unicode 15.0, want the 5055 additions", differ)
	}
}
