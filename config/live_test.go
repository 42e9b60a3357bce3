package config_test

import (
	"sync"
	"testing"

	"context-manager/config"
)

func changed(l *config.Live) bool {
	select {
	case <-l.Changed():
		return true
	default:
		return false
	}
}

func TestLive(t *testing.T) {
	t.Parallel()
	l := config.NewLive(config.Default())
	if changed(l) {
		t.Error("a notice before any change, want none")
	}
	before := l.Load()
	for turns := range uint64(3) {
		s := config.Default()
		s.TailTurns = 10 + turns
		l.Store(&s)
		s.TailTurns = 99 // the caller's copy is the caller's
	}
	if got := l.Load().TailTurns; got != 12 || before.TailTurns != 2 {
		t.Errorf("tail_turns = %d and %d in the old snapshot, want 12 and 2", got, before.TailTurns)
	}
	if !changed(l) || changed(l) {
		t.Error("three changes want one notice")
	}
	l.Store(l.Load())
	l.Store(nil)
	if changed(l) || l.Load().TailTurns != 12 {
		t.Errorf("a notice for nothing, or tail_turns %d, want 12", l.Load().TailTurns)
	}
	shipped := config.Default()
	l.Store(&shipped)
	if !changed(l) {
		t.Error("no notice for a change back")
	}
}

// A reader sees one whole snapshot or the other, and after the last notice the
// last one.
func TestLive_neverAMixture(t *testing.T) {
	t.Parallel()
	l := config.NewLive(config.Settings{})
	var readers sync.WaitGroup
	done := make(chan struct{})
	for range 4 {
		readers.Go(func() {
			for {
				if s := l.Load(); s.TailTurns != s.ReservedPct || s.TailTurns != s.MinFreeTokens {
					t.Errorf("a mixture: %s", s.Raw())
				}
				select {
				case <-done:
					return
				default:
				}
			}
		})
	}
	const last = 1000
	var writer sync.WaitGroup
	writer.Go(func() {
		for n := range uint64(last) {
			l.Store(&config.Settings{TailTurns: n + 1, ReservedPct: n + 1, MinFreeTokens: n + 1})
		}
	})
	for l.Load().TailTurns != last {
		<-l.Changed()
	}
	writer.Wait()
	close(done)
	readers.Wait()
}
