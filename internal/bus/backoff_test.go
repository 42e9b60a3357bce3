package bus_test

import (
	"regexp"
	"testing"
	"time"

	"context-manager/internal/bus"
)

func TestPausesDoubleWithinTheirSpread(t *testing.T) {
	t.Parallel()
	const ms = time.Millisecond
	for _, tt := range []struct {
		name   string
		random float64
		want   []time.Duration
	}{
		{"shortest", 0, []time.Duration{70 * ms, 140 * ms, 280 * ms, 560 * ms, 1120 * ms}},
		{"middle", 0.5, []time.Duration{100 * ms, 200 * ms, 400 * ms, 800 * ms, 1600 * ms}},
		{"longest", 1, []time.Duration{130 * ms, 260 * ms, 520 * ms, 1040 * ms, 2080 * ms}},
	} {
		got := bus.Pauses(100*ms, 30*time.Second, tt.random, 100)
		for i, want := range tt.want {
			if d := got[i] - want; d > ms || d < -ms {
				t.Errorf("%s: got pause %d = %v, want %v", tt.name, i, got[i], want)
			}
		}
		for i, pause := range got {
			if pause > 30*time.Second || i > 20 && pause < 20*time.Second {
				t.Errorf("%s: got pause %d = %v, want it near and not over 30 s", tt.name, i, pause)
			}
		}
	}
}

func TestConflictPausesFillTheWindow(t *testing.T) {
	t.Parallel()
	got := bus.ConflictPauses(31*time.Second, 5)
	var sum time.Duration
	for i, pause := range got {
		sum += pause
		if want := time.Second << i; pause != want {
			t.Errorf("got pause %d = %v, want %v", i, pause, want)
		}
	}
	if sum != 31*time.Second {
		t.Errorf("got %v in all, want 31 s", sum)
	}
}

func TestInvocationIDs(t *testing.T) {
	t.Parallel()
	form := regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)
	seen := map[string]bool{}
	for range 1000 {
		id := bus.NewID()
		if !form.MatchString(id) || seen[id] {
			t.Fatalf("got %q, want a new version 4 UUID", id)
		}
		seen[id] = true
	}
}
