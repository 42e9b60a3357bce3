package tokens

import "math"

const (
	patchSide  = 32   // pixels
	maxPatches = 1536 // per picture
)

// patches returns the patches of 32 × 32 of a picture of w × h pixels, each
// below 2^32. One with more than 1,536
// is made smaller: to that many by area, then a little more until one side is a
// whole number of patches.
func patches(w, h uint64) uint64 {
	const side = patchSide
	wide, high := (w+side-1)/side, (h+side-1)/side
	if high <= maxPatches && wide*high <= maxPatches {
		return wide * high
	}
	// Sides in whole patches after scaling to the area, by the exact root: 3:2
	// comes out at 48 × 32, which a rounding error must not make 47 × 31.
	inWide, inHigh := floorSqrt(maxPatches*w/h), floorSqrt(maxPatches*h/w)
	switch {
	case inWide == 0, inHigh == 0:
		// A side of less than one patch cannot shrink to a whole number of them.
		return maxPatches
	case inWide*h <= inHigh*w: // the width shrinks more to be whole
		return min(maxPatches, inWide*((inWide*h+w-1)/w))
	default:
		return min(maxPatches, inHigh*((inHigh*w+h-1)/h))
	}
}

// floorSqrt is exact below 2^52: a float64 holds n, and its root is rounded
// correctly.
func floorSqrt(n uint64) uint64 { return uint64(math.Sqrt(float64(n))) }
