package main

import "unicode"

// The bits of a class, the same as in package bpe (which cannot be imported
// while its table is being written).
const (
	upperRun = 1 << iota // Lu, Lt, Lm, Lo, M
	lowerRun             // Ll, Lm, Lo, M
	letter               // L
	number               // N
	space                // White_Space
)

const (
	upper = upperRun | letter            // Lu, Lt
	lower = lowerRun | letter            // Ll
	other = upperRun | lowerRun | letter // Lm, Lo
	mark  = upperRun | lowerRun          // M
)

func classOf(r rune) byte {
	switch {
	case unicode.In(r, unicode.Lu, unicode.Lt):
		return upper
	case unicode.Is(unicode.Ll, r):
		return lower
	case unicode.In(r, unicode.Lm, unicode.Lo):
		return other
	case unicode.Is(unicode.M, r):
		return mark
	case unicode.Is(unicode.N, r):
		return number
	case unicode.Is(unicode.White_Space, r):
		return space
	}
	return 0
}

// An addition is a range of code points that Unicode 15.1 or 16.0 assigned.
type addition struct {
	lo, hi rune
	class  byte
}

// additions lists the letters, marks and numbers of 15.1 and 16.0. No older
// code point changed its class, and white space stayed the same 25.
var additions = []addition{
	// Lu
	{0x1c89, 0x1c89, upper}, {0xa7cb, 0xa7cc, upper}, {0xa7da, 0xa7da, upper},
	{0xa7dc, 0xa7dc, upper}, {0x10d50, 0x10d65, upper},
	// Ll
	{0x1c8a, 0x1c8a, lower}, {0xa7cd, 0xa7cd, lower}, {0xa7db, 0xa7db, lower},
	{0x10d70, 0x10d85, lower},
	// Lm
	{0x10d4e, 0x10d4e, other}, {0x10d6f, 0x10d6f, other}, {0x16d40, 0x16d42, other},
	{0x16d6b, 0x16d6c, other},
	// Lo
	{0x105c0, 0x105f3, other}, {0x10d4a, 0x10d4d, other}, {0x10d4f, 0x10d4f, other},
	{0x10ec2, 0x10ec4, other}, {0x11380, 0x11389, other}, {0x1138b, 0x1138b, other},
	{0x1138e, 0x1138e, other}, {0x11390, 0x113b5, other}, {0x113b7, 0x113b7, other},
	{0x113d1, 0x113d1, other}, {0x113d3, 0x113d3, other}, {0x11bc0, 0x11be0, other},
	{0x13460, 0x143fa, other}, {0x16100, 0x1611d, other}, {0x16d43, 0x16d6a, other},
	{0x18cff, 0x18cff, other}, {0x1e5d0, 0x1e5ed, other}, {0x1e5f0, 0x1e5f0, other},
	{0x2ebf0, 0x2ee5d, other},
	// M
	{0x897, 0x897, mark}, {0x10d69, 0x10d6d, mark}, {0x10efc, 0x10efc, mark},
	{0x113b8, 0x113c0, mark}, {0x113c2, 0x113c2, mark}, {0x113c5, 0x113c5, mark},
	{0x113c7, 0x113ca, mark}, {0x113cc, 0x113d0, mark}, {0x113d2, 0x113d2, mark},
	{0x113e1, 0x113e2, mark}, {0x11f5a, 0x11f5a, mark}, {0x1611e, 0x1612f, mark},
	{0x1e5ee, 0x1e5ef, mark},
	// N
	{0x10d40, 0x10d49, number}, {0x116d0, 0x116e3, number}, {0x11bf0, 0x11bf9, number},
	{0x16130, 0x16139, number}, {0x16d70, 0x16d79, number}, {0x1ccf0, 0x1ccf9, number},
	{0x1e5f1, 0x1e5fa, number},
}
