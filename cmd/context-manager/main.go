// Command context-manager fits conversations into model contexts. Without a
// subcommand it is the worker that an iii engine starts; the subcommands are
// for trying things out.
//
// stdout carries results and nothing else; what people are told goes to
// stderr. Exit codes: 0 done, 1 failed, 2 called wrongly.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, process{
		args: os.Args[1:], stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr, getenv: os.LookupEnv,
	})
	stop()
	os.Exit(code)
}

// process is what a command sees of the outside, so that tests can be it.
type process struct {
	args           []string
	stdin          io.Reader
	stdout, stderr io.Writer
	getenv         func(string) (string, bool)
}

// usageError is a mistake in the call itself; it exits with 2.
type usageError struct{ error }

func badUsage(format string, args ...any) error {
	return usageError{fmt.Errorf(format, args...)}
}

// run carries out one command and returns the exit code.
func run(ctx context.Context, p process) int {
	command := runWorker
	if len(p.args) > 0 {
		if c, ok := commands()[p.args[0]]; ok {
			command = c
			p.args = p.args[1:]
		}
	}
	err := command(ctx, p)
	if err == nil {
		return 0
	}
	if wrong := (usageError{}); errors.As(err, &wrong) {
		fmt.Fprintf(p.stderr, "context-manager: %v\n", err)
		return 2
	}
	if !errors.Is(err, errReported) {
		fmt.Fprintf(p.stderr, "context-manager: %v\n", err)
	}
	return 1
}

// errReported is a failure that has been told already.
var errReported = errors.New("reported")

type command func(context.Context, process) error

func commands() map[string]command {
	return map[string]command{
		"demo":   runDemo,
		"dev":    runDev,
		"call":   runCall,
		"schema": runSchema,
		"tokens": runTokens,
		"help":   runHelp,
	}
}
