package tokens

import "math"

const (
	patchSide  = 32   // pixels
	maxPatches = 1536 // per picture
)

// patches returns the patches of 32 × 32 of a picture. One with more than 1,536
// is made smaller: to that many by area, then a little more until one side is a
// whole number of patches.
func patches(w, h uint64) uint64 {
	const side = patchSide
	wide, high := (w+side-1)/side, (h+side-1)/side
	if high <= maxPatches && wide*high <= maxPatches {
		return wide * high
	}
	// Sides in patches after scaling to the area.
	fw, fh := float64(w)/side, float64(h)/side
	scale := math.Sqrt(maxPatches / (fw * fh))
	fw, fh = fw*scale, fh*scale
	// A side of less than one patch cannot shrink to a whole number of them.
	shrink := min(math.Floor(fw)/fw, math.Floor(fh)/fh)
	if shrink == 0 {
		return maxPatches
	}
	fw, fh = fw*shrink, fh*shrink
	// One of the two is whole but for rounding.
	return min(maxPatches, ceil(fw)*ceil(fh))
}

// ceil rounds up what is more than a rounding error above a whole number.
func ceil(x float64) uint64 { return uint64(math.Ceil(x - 1e-9)) }
