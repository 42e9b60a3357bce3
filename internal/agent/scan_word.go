package agent

import "encoding/binary"

// Words of eight bytes, treated as eight lanes.
const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
	low7s = 0x7f7f7f7f7f7f7f7f
)

// special marks, in the high bit of each byte, the bytes of w that end a plain
// run: quote, backslash, control or non-ASCII. Only the lowest mark is exact,
// since borrows run upwards.
func special(w uint64) uint64 {
	q := w ^ (ones * '"')
	b := w ^ (ones * '\\')
	return ((q-ones)&^q | (b-ones)&^b | (w-ones*0x20)&^w | w) & highs
}

// specials marks, one bit for each byte of b, those that special marks. The
// marks are exact up to the first byte that is not ASCII.
func specials(b *[64]byte) uint64 {
	return specialBits(b[0:]) | specialBits(b[8:])<<8 |
		specialBits(b[16:])<<16 | specialBits(b[24:])<<24 |
		specialBits(b[32:])<<32 | specialBits(b[40:])<<40 |
		specialBits(b[48:])<<48 | specialBits(b[56:])<<56
}

// specialBits marks the special ones of eight bytes, in eight bits. An ASCII
// lane sums to below 0x80 only if it is zero, and does not carry.
func specialBits(b []byte) uint64 {
	w := binary.LittleEndian.Uint64(b)
	quote := (w ^ ones*'"') + low7s
	slash := (w ^ ones*'\\') + low7s
	ctrl := w&(ones*0x60) + low7s
	m := (^(quote & slash & ctrl) | w) & highs
	return m >> 7 * 0x0102040810204080 >> 56
}
