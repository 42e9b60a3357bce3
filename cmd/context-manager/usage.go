package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
)

const usage = `context-manager turns a conversation and a target model into a context that fits.

Usage:
  context-manager [flags]                 run as a worker of an iii engine
  context-manager demo                    see what it does, on a bundled transcript
  context-manager dev [--listen ADDR]     embedded development engine and worker, until stopped
  context-manager call FUNCTION [FILE|-]  call a function once, here or with --url through an engine
  context-manager tokens [FILE|-]         count a text in a public encoding
  context-manager schema [FUNCTION]       print the functions and their JSON Schemas

Worker flags:
  --url URL          engine to connect to (III_URL, III_ENGINE_URL; default ws://127.0.0.1:49134)
  --config FILE      YAML file that seeds the configuration (III_CONFIG)
  --namespace NAME   namespace to register in (III_NAMESPACE)
  --name NAME        worker name (III_WORKER_NAME; default context-manager)
  --log-level LEVEL  debug, info, warn or error (default info)
  --log-format FMT   text or json (default text)
  --manifest         print what this worker is, as JSON, and exit
  --version          print the version and exit

Call flags:
  --url URL          call through an engine instead of in process
  --namespace NAME   namespace the function is in, with --url
  --config FILE      settings for a call in process
  --lines            one request a line in, one {"result":…} or {"error":…} a line out
  --summary TEXT     the summary a compaction gets, in process; @FILE reads it from a file

Tokens flags:
  --encoding NAME    o200k_base (default), o200k_harmony, cl100k_base, p50k_base or r50k_base
  --model ID         the encoding of a model
  --lines            one {"encoding","text"} a line in, one {"tokens":n} a line out

The embedded engine of demo and dev is for development and tests; production is
the iii engine. FUNCTION is an id such as context::assemble, or just assemble.
`

func runHelp(_ context.Context, p process) error {
	_, err := io.WriteString(p.stdout, usage)
	return err
}

// parse reads flags; -h prints the usage and stops without an error.
func parse(p process, define func(*flag.FlagSet)) (rest []string, stop bool, err error) {
	fs := flag.NewFlagSet("context-manager", flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	define(fs)
	args := p.args
	for {
		err := fs.Parse(args)
		if errors.Is(err, flag.ErrHelp) {
			_, err := io.WriteString(p.stdout, usage)
			return nil, true, err
		}
		if err != nil {
			return nil, false, badUsage("%w\nRun context-manager help for the flags.", err)
		}
		// Flags may follow arguments, as in "call assemble request.json --lines".
		if fs.NArg() == 0 {
			return rest, false, nil
		}
		rest = append(rest, fs.Arg(0))
		args = fs.Args()[1:]
	}
}

func noArguments(rest []string) error {
	if len(rest) > 0 {
		return badUsage("unexpected argument %q; run context-manager help", rest[0])
	}
	return nil
}

func printLine(w io.Writer, b []byte) error {
	_, err := fmt.Fprintf(w, "%s\n", b)
	return err
}
