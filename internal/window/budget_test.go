package window_test

import (
	"math"
	"testing"

	"context-manager/internal/window"
)

func TestReserve(t *testing.T) {
	t.Parallel()
	for win, want := range map[uint64]uint64{200000: 20000, 32000: 3200, 1000000: 20000, 8192: 819, math.MaxUint64: 20000} {
		if got := window.Reserve(win, 10, 20000); got != want {
			t.Errorf("Reserve(%d) = %d, want %d", win, got, want)
		}
	}
	if got, want := window.Reserve(math.MaxUint64, 100, math.MaxUint64), uint64(math.MaxUint64); got != want {
		t.Errorf("Reserve of everything = %d, want %d", got, want)
	}
}

func TestUsable(t *testing.T) {
	t.Parallel()
	limit := uint64(100000)
	tests := map[string]struct {
		limits             window.Limits
		reserved, thinking uint64
		want               uint64
	}{
		"window less output and reserve":           {window.Limits{ContextWindow: 200000, MaxOutput: 8000}, 20000, 0, 172000},
		"an input limit leaves the output out":     {window.Limits{ContextWindow: 200000, MaxOutput: 8000, InputLimit: &limit}, 20000, 0, 80000},
		"thinking takes its part":                  {window.Limits{ContextWindow: 200000, MaxOutput: 8000}, 20000, 16000, 156000},
		"too large a reserve leaves nothing":       {window.Limits{ContextWindow: 8192, MaxOutput: 1024}, 10000, 0, 0},
		"an output above the window does not wrap": {window.Limits{ContextWindow: 1000, MaxOutput: 2000}, 0, 0, 0},
		"the largest window works":                 {window.Limits{ContextWindow: math.MaxUint64}, 0, 0, math.MaxUint64},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := tt.limits.Usable(tt.reserved, tt.thinking); got != tt.want {
				t.Errorf("Usable = %d, want %d", got, tt.want)
			}
		})
	}
}
