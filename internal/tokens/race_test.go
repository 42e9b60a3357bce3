//go:build race

package tokens_test

// With the race detector a sync.Pool drops part of what it is given.
const raceEnabled = true
