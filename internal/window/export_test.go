package window

// Together looks for an older turn start that is a legal cut; it also tells how
// many sizes it has read for that.
func Together(v *View, p *Pairing, from int, budget uint64) (at, read int) {
	at = v.together(p, v.turns(), from, budget, func(a, b int) uint64 {
		read += b - a
		return v.Sum(a, b)
	})
	return at, read
}
