package bus_test

import (
	"strings"
	"sync"
	"testing"
	"time"
)

// logBuffer keeps what is logged.
type logBuffer struct {
	mu      sync.Mutex
	text    strings.Builder
	written chan struct{} // closed and replaced by every write
}

func (l *logBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.written != nil {
		close(l.written)
		l.written = nil
	}
	return l.text.Write(p)
}

func (l *logBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// wait waits until all parts have been logged.
func (l *logBuffer) wait(t *testing.T, parts ...string) {
	t.Helper()
	timeout := time.After(limit)
	for {
		l.mu.Lock()
		missing := ""
		for _, part := range parts {
			if !strings.Contains(l.text.String(), part) {
				missing = part
			}
		}
		if missing == "" {
			l.mu.Unlock()
			return
		}
		if l.written == nil {
			l.written = make(chan struct{})
		}
		written := l.written
		l.mu.Unlock()
		select {
		case <-written:
		case <-timeout:
			t.Fatalf("got log %q, want %q in it", l.String(), missing)
		}
	}
}
