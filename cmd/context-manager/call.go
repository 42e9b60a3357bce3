package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"context-manager/functions"
)

// caller answers one request of a function.
type caller func(ctx context.Context, request []byte) ([]byte, error)

func runCall(ctx context.Context, p process) error {
	var url, namespace, file string
	var summary *string // an empty one is a summary too
	var lines bool
	rest, stop, err := parse(p, func(fs *flag.FlagSet) {
		fs.StringVar(&url, "url", "", "")
		fs.StringVar(&namespace, "namespace", unset, "")
		fs.StringVar(&file, "config", "", "")
		fs.Func("summary", "", func(text string) error { summary = &text; return nil })
		fs.BoolVar(&lines, "lines", false, "")
	})
	if stop || err != nil {
		return err
	}
	if err := notBlank(map[string]*string{"--namespace": &namespace}); err != nil {
		return err
	}
	if len(rest) == 0 || len(rest) > 2 {
		return badUsage("call wants a function and at most one file: context-manager call FUNCTION [FILE|-]")
	}
	spec, ok := functions.Find(functionID(rest[0]))
	if !ok {
		return unknownFunction(rest[0])
	}
	var call caller
	if url != "" {
		if err := checkURL(url); err != nil {
			return err
		}
		if summary != nil || file != "" {
			return badUsage("--summary and --config are for calls in process; they do not go with --url")
		}
		remote, done, err := callEngine(ctx, url, first(namespace, p.env("III_NAMESPACE")), spec.ID)
		if err != nil {
			return err
		}
		defer done()
		call = remote
	} else if call, err = callHere(p, spec, first(file, p.env("III_CONFIG")), summary); err != nil {
		return err
	}
	in, closeIn, err := openInput(ctx, p, rest[1:])
	if err != nil {
		return err
	}
	defer closeIn()
	if lines {
		return callLines(ctx, call, in, p.stdout)
	}
	return callOnce(ctx, call, in, p)
}

func openInput(ctx context.Context, p process, rest []string) (io.Reader, func(), error) {
	if len(rest) == 0 || rest[0] == "-" {
		return newInterruptible(ctx, p.stdin), func() {}, nil
	}
	info, err := os.Stat(rest[0])
	switch {
	case err != nil:
		return nil, nil, badUsage("reading the input: %w", err)
	case info.IsDir():
		return nil, nil, badUsage("reading the input: %s is a directory, want a file or -", rest[0])
	case !info.Mode().IsRegular(): // opening a pipe waits for a writer
		return newInterruptible(ctx, &lazyFile{name: rest[0]}), func() {}, nil
	}
	f, err := os.Open(rest[0])
	if err != nil {
		return nil, nil, badUsage("reading the input: %w", err)
	}
	return f, func() { _ = f.Close() }, nil
}

func callOnce(ctx context.Context, call caller, in io.Reader, p process) error {
	request, err := io.ReadAll(in)
	if err != nil {
		return fmt.Errorf("reading the request: %w", err)
	}
	result, err := call(ctx, request)
	if err != nil {
		code, text := codeOf(err)
		fmt.Fprintf(p.stderr, "%s: %s\n", code, text)
		return errReported
	}
	var pretty bytes.Buffer
	if err := json.Indent(&pretty, result, "", "  "); err != nil {
		return fmt.Errorf("printing the answer: %w", err)
	}
	return printLine(p.stdout, pretty.Bytes())
}

// callLines answers a request a line, in order. A request that fails is an
// answer too.
func callLines(ctx context.Context, call caller, in io.Reader, out io.Writer) error {
	r := bufio.NewReaderSize(in, 1<<16)
	w := bufio.NewWriter(out)
	for {
		line, readErr := r.ReadBytes('\n')
		if readErr != nil && !errors.Is(readErr, io.EOF) {
			return fmt.Errorf("reading the requests: %w", readErr)
		}
		if request := bytes.TrimSpace(line); len(request) > 0 {
			if err := writeAnswer(w, call, ctx, request); err != nil {
				return err
			}
		}
		if readErr != nil {
			return nil
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
	}
}

func writeAnswer(w *bufio.Writer, call caller, ctx context.Context, request []byte) error {
	result, err := call(ctx, request)
	if err != nil {
		code, text := codeOf(err)
		line, err := json.Marshal(map[string]any{"error": map[string]string{"code": code, "message": code + ": " + text}})
		if err != nil {
			return err
		}
		w.Write(line)
	} else {
		// A line must stay one line, whatever white space a message came with.
		w.WriteString(`{"result":`)
		var line bytes.Buffer
		if err := json.Compact(&line, result); err != nil {
			return fmt.Errorf("printing the answer: %w", err)
		}
		w.Write(line.Bytes())
		w.WriteString("}")
	}
	w.WriteByte('\n')
	return w.Flush()
}
