package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"
)

// patience bounds the wait for something that must come.
const patience = 2 * time.Minute

// TestMain lets the test binary be the program, so that tests can start real
// processes and send them real signals.
func TestMain(m *testing.M) {
	if os.Getenv("CONTEXT_MANAGER_MAIN") == "1" {
		main()
	}
	os.Exit(m.Run())
}

// outcome is what a command did.
type outcome struct {
	code           int
	stdout, stderr string
}

// play runs one command in this process, with an environment of its own.
func play(t *testing.T, stdin string, env map[string]string, args ...string) outcome {
	t.Helper()
	var stdout, stderr bytes.Buffer
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	code := run(ctx, process{
		args: args, stdin: strings.NewReader(stdin), stdout: &stdout, stderr: &stderr,
		getenv: func(name string) (string, bool) { v, ok := env[name]; return v, ok },
	})
	return outcome{code, stdout.String(), stderr.String()}
}

// program is a real process of this program.
type program struct {
	t      *testing.T
	cmd    *exec.Cmd
	mu     sync.Mutex
	output bytes.Buffer
	more   chan struct{}
	ended  chan error
}

func start(t *testing.T, env []string, args ...string) *program {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p := &program{t: t, cmd: exec.Command(self, args...), more: make(chan struct{}, 1), ended: make(chan error, 1)}
	p.cmd.Env = append(os.Environ(), append([]string{"CONTEXT_MANAGER_MAIN=1", "HOME=" + t.TempDir()}, env...)...)
	p.cmd.Stdout, p.cmd.Stderr = p, p
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() { p.ended <- p.cmd.Wait() }()
	t.Cleanup(func() { _ = p.cmd.Process.Kill() })
	return p
}

// Write collects what the process prints.
func (p *program) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.output.Write(b)
	select {
	case p.more <- struct{}{}:
	default:
	}
	return len(b), nil
}

func (p *program) printed() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.output.String()
}

// until waits for a text to be printed.
func (p *program) until(text string) {
	p.t.Helper()
	deadline := time.After(patience)
	for !strings.Contains(p.printed(), text) {
		select {
		case <-p.more:
		case <-deadline:
			p.t.Fatalf("%q was not printed:\n%s", text, p.printed())
		}
	}
}

// exit waits for the end and returns the exit code.
func (p *program) exit() int {
	p.t.Helper()
	select {
	case <-p.ended:
		return p.cmd.ProcessState.ExitCode()
	case <-time.After(patience):
		p.t.Fatalf("the process does not end:\n%s", p.printed())
		return -1
	}
}
