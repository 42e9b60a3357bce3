package contract

import "testing"

// CheckInstances gives count generated requests of each named function to
// accept, and fails the test for every one that is refused. The seed is in the
// failure. The generator is held to the contract by [RequestError].
func CheckInstances(t *testing.T, names []string, seed uint64, count int, accept func(function string, instance []byte) error) {
	t.Helper()
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			t.Logf("seed %d", seed)
			g, err := NewInstances(name, seed)
			if err != nil {
				t.Fatal(err)
			}
			refused := 0
			for i := range count {
				instance := g.Next()
				if err := RequestError(name, instance); err != nil {
					t.Fatalf("instance %d of seed %d is outside the contract itself: %v\n%s", i, seed, err, instance)
				}
				if err := accept(name, instance); err != nil {
					if refused++; refused <= 3 {
						t.Errorf("instance %d of seed %d is refused: %v\n%s", i, seed, err, instance)
					}
				}
			}
			if refused > 0 {
				t.Errorf("%d of %d instances are refused", refused, count)
			}
		})
	}
}
