//go:build unix

package main

import (
	"bytes"
	"context"
	"errors"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A pipe that nobody writes to holds a command up in opening it.
func TestASignalEndsACommandThatOpensAPipe(t *testing.T) {
	t.Parallel()
	fifo := filepath.Join(t.TempDir(), "request.json")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	var stderr bytes.Buffer
	ended := make(chan int, 1)
	go func() {
		ended <- run(ctx, process{args: []string{"call", "assemble", fifo}, stdin: strings.NewReader(""), stdout: &bytes.Buffer{}, stderr: &stderr,
			getenv: func(string) (string, bool) { return "", false }})
	}()
	cancel(errors.New("interrupt signal received"))
	select {
	case code := <-ended:
		if code != 1 || !strings.Contains(stderr.String(), "interrupt signal received") {
			t.Errorf("exit code %d, %q, want 1 and the reason", code, stderr.String())
		}
	case <-time.After(patience):
		t.Fatal("it goes on waiting")
	}
	// Let the goroutine that opens it end.
	fd, err := syscall.Open(fifo, syscall.O_RDWR|syscall.O_NONBLOCK, 0)
	if err == nil {
		syscall.Close(fd)
	}
}
