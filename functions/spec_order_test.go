package functions_test

import (
	"slices"
	"testing"

	"context-manager/functions"
)

// Whoever lists a worker's functions in the order it registered them sees the
// four for callers first.
func TestSpecsStandInTheOrderOfRegistration(t *testing.T) {
	t.Parallel()
	var got []string
	for i := range functions.Specs {
		got = append(got, functions.Specs[i].ID)
	}
	want := []string{"context::assemble", "context::compact", "context::prune", "context::count-tokens"}
	if len(got) < len(want) || !slices.Equal(got[:len(want)], want) {
		t.Errorf("got order %q, want %q in front", got, want)
	}
}
