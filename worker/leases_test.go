package worker

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"context-manager/lease"
)

// The directory in force serves while another one is being opened, however long
// that takes.
func TestADirectoryThatIsSlowToOpenHoldsNobodyUp(t *testing.T) {
	t.Parallel()
	l := &leases{log: slog.New(slog.DiscardHandler), opened: make(chan struct{}, 1)}
	if err := l.use(t.TempDir()); err != nil {
		t.Fatal(err)
	}
	old := l.current()
	opening, letGo, used := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	l.open = func(dir string, o lease.Options) (*lease.Store, error) {
		close(opening)
		<-letGo
		return lease.Open(dir, o)
	}
	other := t.TempDir()
	go func() { used <- l.use(other) }()
	<-opening
	held := make(chan error, 1)
	go func() {
		got, err := l.Acquire(context.Background(), "k", time.Minute)
		if err == nil {
			err = got.Release()
		}
		held <- err
	}()
	select {
	case err := <-held:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(patience):
		t.Error("nobody gets a lease")
	}
	close(letGo)
	if err := <-used; err != nil || l.current() == old {
		t.Errorf("got %v, want the new directory in force", err)
	}
}
