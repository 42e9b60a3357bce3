package window

import "math"

// Limits are the token limits of a model.
type Limits struct {
	// ContextWindow is what input and output may take together, in tokens.
	ContextWindow uint64
	// MaxOutput is what one call may write, in tokens.
	MaxOutput uint64
	// InputLimit bounds the input alone, in tokens; nil means that only the
	// context window does.
	InputLimit *uint64
}

// Fallback are the limits assumed for a model that nobody knows.
var Fallback = Limits{ContextWindow: 8192, MaxOutput: 1024}

// Reserve returns the tokens kept free by default: pct per cent of the context
// window, at most limit.
func Reserve(window, pct, limit uint64) uint64 {
	// Splitting the product keeps 2^64-1 windows exact.
	part := window/100*pct + window%100*pct/100
	return min(part, limit)
}

// Usable returns the tokens a context may take: the input limit, or else the
// window without the output, less what is reserved and what thinking takes.
// Every step stops at zero.
func (l Limits) Usable(reserved, thinking uint64) uint64 {
	base := sub(l.ContextWindow, l.MaxOutput)
	if l.InputLimit != nil {
		base = *l.InputLimit
	}
	return sub(sub(base, reserved), thinking)
}

// Sub subtracts and stops at zero.
func sub(a, b uint64) uint64 {
	if b > a {
		return 0
	}
	return a - b
}

// Add adds token counts and stops at the largest.
func Add(counts ...uint64) uint64 {
	var sum uint64
	for _, n := range counts {
		if sum+n < sum {
			return math.MaxUint64
		}
		sum += n
	}
	return sum
}
