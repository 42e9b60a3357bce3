package bpe

// shortPiece is the longest piece in bytes that is merged by scanning all its
// pairs for each merge; the positions must fit the low bits of a key.
const (
	shortBits  = 4
	shortPiece = 1 << shortBits
)

// merger holds the working memory of one count.
type merger struct {
	// ops counts pair look-ups, scanned keys and heap steps. It makes the
	// cost of a text a number that tests can assert.
	ops uint64

	keys [shortPiece]uint32
	next [shortPiece + 1]uint8
	prev [shortPiece + 1]uint8

	long window
}

// short merges text[p:p+n], n from 2 to shortPiece, and returns the number of
// tokens. The tokens are the list that starts at 0 and follows m.next to n.
//
// A key is rank<<shortBits | position, so the smallest key is the leftmost of
// the pairs with the smallest rank.
func (m *merger) short(v *vocab, text []byte, p, n int) int {
	const free = 1<<32 - 1
	piece := text[p : p+n]
	keys := m.keys[:(n+3)&^3]
	for i := range n - 1 {
		keys[i] = free
		if r := v.pairs[int(piece[i])<<8|int(piece[i+1])]; r != none {
			keys[i] = r<<shortBits | uint32(i)
		}
		m.next[i] = uint8(i + 1)
		m.prev[i+1] = uint8(i)
	}
	for i := n - 1; i < len(keys); i++ {
		keys[i] = free
	}
	m.next[n-1] = uint8(n)
	parts := n
	for {
		m.ops += uint64(n)
		best := smallest(keys)
		if best == free {
			return parts
		}
		parts--
		i := int(best & (shortPiece - 1))
		j := int(m.next[i])
		k := int(m.next[j])
		keys[j] = free
		m.next[i] = uint8(k)
		keys[i] = free
		if k < n {
			m.prev[k] = uint8(i)
			if r := v.rank(text, p+i, int(m.next[k])-i); r != none {
				keys[i] = r<<shortBits | uint32(i)
			}
		}
		if i > 0 {
			h := int(m.prev[i])
			keys[h] = free
			if r := v.rank(text, p+h, k-h); r != none {
				keys[h] = r<<shortBits | uint32(h)
			}
		}
	}
}

// smallest returns the smallest key; their number is a multiple of four. Four
// minima at once do not wait for each other.
func smallest(keys []uint32) uint32 {
	var a, b, c, d uint32 = 1<<32 - 1, 1<<32 - 1, 1<<32 - 1, 1<<32 - 1
	for len(keys) >= 4 {
		a = min(a, keys[0])
		b = min(b, keys[1])
		c = min(c, keys[2])
		d = min(d, keys[3])
		keys = keys[4:]
	}
	return min(a, b, c, d)
}
