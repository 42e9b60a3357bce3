package bpe

// A long piece is merged window by window, so that memory does not depend on
// its length and time grows with the length alone.
//
// That is exact. Call two neighbouring tokens fitting when merging their joined
// bytes gives just these two. In a merged text all neighbours fit: merges on
// one side of a cut happen in the same order whatever stands beyond, until one
// crosses the cut. And a sequence of tokens in which all neighbours fit is the
// merged text, since the first merge across a cut would happen with the two
// neighbours alone as well. So let window B begin at a cut of window A, before
// A's end. When B's first token is the token that A has there, A's tokens up to
// the cut and B's tokens after it fit throughout. When it is another, the end
// of A reached back over the whole overlap, and all is done again with larger
// windows, at last with one.
const (
	windowSize = 1024    // bytes merged at a time; a quarter is merged again
	keepWindow = 1 << 16 // larger working memory is not kept between texts
)

// windows merges a piece, appends its tokens to dst when dst is not nil, and
// returns their number.
func (m *merger) windows(v *vocab, piece []byte, dst *[]int) int {
	var before int
	if dst != nil {
		before = len(*dst)
	}
	for size := windowSize; ; size *= 2 {
		if count, ok := m.stitch(v, piece, size, dst); ok {
			return count
		}
		if dst != nil {
			*dst = (*dst)[:before]
		}
	}
}

// stitch is windows for one size. It reports whether all windows met.
func (m *merger) stitch(v *vocab, piece []byte, size int, dst *[]int) (count int, ok bool) {
	w := &m.long
	start, expected := 0, 0
	for {
		text := piece[start:min(start+size, len(piece))]
		m.ops += w.merge(v, text)
		if expected != 0 && int(w.fore[0]) != expected {
			return 0, false
		}
		last := start+len(text) == len(piece)
		stop := len(text)
		if !last {
			stop -= size / 4
		}
		at := 0
		for at < stop {
			n := int(w.fore[at])
			if dst != nil {
				*dst = append(*dst, int(v.rank(text, at, n)))
			}
			at += n
			count++
		}
		if last {
			return count, true
		}
		if at == len(text) {
			return 0, false
		}
		start, expected = start+at, int(w.fore[at])
	}
}
