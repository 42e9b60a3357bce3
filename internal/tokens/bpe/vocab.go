package bpe

import (
	"encoding/binary"
	"math/bits"
)

// none is the rank of bytes that are no token.
const none = 1<<32 - 1

// maxToken is the longest token in bytes that a vocabulary may hold; the
// merger keeps lengths in one byte.
const maxToken = 255

// filterBits is the size of the filter: 2^21 bits stay in a core's own cache,
// and nine of ten look-ups that find nothing end there.
const filterBits = 21

// golden spreads a key over the high bits of a product.
const golden = 0x9e3779b97f4a7c15

// vocab maps the bytes of a token to its rank. It is read-only once loaded.
//
// Tokens of up to 8 bytes are their own key, so that a look-up touches one
// slot. Longer ones are found by a hash and compared with blob.
type vocab struct {
	single  [256]uint32 // ranks of one byte
	pairs   []uint32    // ranks of two bytes, by first<<8 | second
	slots   []slot      // open addressing, a power of two
	shift   uint        // 64 - log2(len(slots))
	filter  []uint64    // a bit per hash, set where a token has it
	blob    []byte      // the bytes of all tokens, by rank
	starts  []uint32    // rank → start in blob; one more at the end
	longest int         // bytes of the longest token
}

// A slot with size 0 is free.
type slot struct {
	key  uint64
	rank uint32
	size uint32
}

// newVocab returns a vocabulary with room for n tokens.
func newVocab(n, blobSize int) *vocab {
	log := bits.Len(uint(n)) // at most 4 of 5 slots taken
	v := &vocab{
		pairs:  make([]uint32, 1<<16),
		slots:  make([]slot, 1<<log),
		shift:  uint(64 - log),
		filter: make([]uint64, 1<<(filterBits-6)),
		blob:   make([]byte, 0, blobSize),
		starts: make([]uint32, 1, n+2),
	}
	for i := range v.single {
		v.single[i] = none
	}
	for i := range v.pairs {
		v.pairs[i] = none
	}
	return v
}

// add appends a token with the next rank. An empty token leaves a gap.
func (v *vocab) add(token []byte) {
	rank := uint32(v.size())
	v.blob = append(v.blob, token...)
	v.starts = append(v.starts, uint32(len(v.blob)))
	v.longest = max(v.longest, len(token))
	switch n := len(token); n {
	case 0:
	case 1:
		v.single[token[0]] = rank
	case 2:
		v.pairs[int(token[0])<<8|int(token[1])] = rank
	default:
		key := v.key(token, 0, n)
		h := key * golden
		v.filter[h>>(64-filterBits+6)] |= 1 << (h >> (64 - filterBits) & 63)
		i := int(h >> v.shift)
		for v.slots[i].size != 0 {
			i = (i + 1) & (len(v.slots) - 1)
		}
		v.slots[i] = slot{key: key, rank: rank, size: uint32(n)}
	}
}

// size returns the number of ranks so far, gaps counted.
func (v *vocab) size() int { return len(v.starts) - 1 }

// bytes returns the bytes of the token with that rank.
func (v *vocab) bytes(rank uint32) []byte {
	return v.blob[v.starts[rank]:v.starts[rank+1]]
}

// rank returns the rank of text[p:p+n], or none.
func (v *vocab) rank(text []byte, p, n int) uint32 {
	switch {
	case n == 1:
		return v.single[text[p]]
	case n == 2:
		return v.pairs[int(text[p])<<8|int(text[p+1])]
	case n > v.longest:
		return none
	}
	key := v.key(text, p, n)
	h := key * golden
	if v.filter[h>>(64-filterBits+6)]>>(h>>(64-filterBits)&63)&1 == 0 {
		return none
	}
	slots := v.slots
	for i := int(h >> v.shift); ; i++ {
		s := &slots[i&(len(slots)-1)]
		if s.key == key && s.size == uint32(n) {
			if n <= 8 || string(v.bytes(s.rank)) == string(text[p:p+n]) {
				return s.rank
			}
		}
		if s.size == 0 {
			return none
		}
	}
}

// key returns text[p:p+n] itself for up to 8 bytes, else a hash of it.
func (v *vocab) key(text []byte, p, n int) uint64 {
	if n <= 8 {
		if p+8 <= len(text) {
			return binary.LittleEndian.Uint64(text[p:]) << (64 - 8*uint(n)) >> (64 - 8*uint(n))
		}
		if p+n >= 8 {
			return binary.LittleEndian.Uint64(text[p+n-8:]) >> (64 - 8*uint(n))
		}
		var key uint64
		for i, b := range text[p : p+n] {
			key |= uint64(b) << (8 * uint(i))
		}
		return key
	}
	// Every byte counts; the last 8 may count twice.
	h := uint64(n)
	for i := p; i < p+n-8; i += 8 {
		h = mix(h, binary.LittleEndian.Uint64(text[i:]))
	}
	return mix(h, binary.LittleEndian.Uint64(text[p+n-8:]))
}

func mix(h, x uint64) uint64 {
	hi, lo := bits.Mul64(h^0x2d358dccaa6c78a5, x^0x8bb84b93962eacc9)
	return hi ^ lo
}
