package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"time"

	"context-manager/config"
	"context-manager/functions"
	"context-manager/internal/bus"
	"context-manager/worker"
)

// callHere answers in this process. Model limits come from the request or are
// the fallback: there is no router here.
func callHere(p process, spec *functions.Spec, file string, summary *string) (caller, error) {
	set, err := settings(p, file)
	if err != nil {
		return nil, err
	}
	o := functions.Options{
		Settings: func() *config.Settings { return &set },
		Leases:   worker.OpenLeases(set.LeaseDir),
		Logger:   slog.New(slog.NewTextHandler(p.stderr, &slog.HandlerOptions{Level: slog.LevelWarn})),
	}
	if summary != nil {
		text := *summary
		if name, ok := strings.CutPrefix(text, "@"); ok {
			b, err := os.ReadFile(name)
			if err != nil {
				return nil, badUsage("reading --summary: %w", err)
			}
			text = string(b)
		}
		o.Summarizer = scripted(text)
	}
	s := functions.New(o)
	return func(ctx context.Context, request []byte) ([]byte, error) {
		return spec.Invoke(ctx, s, request, 0, nil)
	}, nil
}

// scripted is a summariser that always says the same.
type scripted string

func (s scripted) Summarize(context.Context, functions.SummaryPrompt) (string, error) {
	return string(s), nil
}

// settings reads a settings file; without one they are the shipped ones.
func settings(p process, file string) (config.Settings, error) {
	if file == "" {
		return config.Default(), nil
	}
	data, err := config.ReadSeed(file)
	if err != nil {
		return config.Settings{}, badUsage("reading the settings: %w", err)
	}
	set, _, warnings, err := config.DecodeSeed(file, data, p.getenv)
	for _, w := range warnings { // a variable that is not set may be why it fails
		fmt.Fprintf(p.stderr, "context-manager: %s\n", w)
	}
	if err != nil {
		return config.Settings{}, badUsage("%w", err)
	}
	return set, nil
}

// callEngine calls through an engine; done ends the connection.
func callEngine(ctx context.Context, url, namespace, id string) (caller, func(), error) {
	ctx, cancel := context.WithCancel(ctx)
	failed := make(chan error, 1)
	client := bus.New(bus.Options{
		URL: url, Logger: slog.New(slog.DiscardHandler),
		Worker: bus.WorkerInfo{Name: fmt.Sprintf("context-manager-call:%d", os.Getpid()), Version: worker.Version},
		OnDialError: func(err error, _ int) {
			select {
			case failed <- fmt.Errorf("cannot reach %s (%s)", bus.Redacted(url), reason(err)):
			default:
			}
		},
	})
	finished := make(chan error, 1)
	go func() { finished <- client.Run(ctx) }()
	done := func() {
		cancel()
		<-finished
	}
	ready := make(chan error, 1)
	go func() { ready <- client.WaitConnected(ctx) }()
	select {
	case err := <-ready:
		if err != nil {
			done()
			return nil, nil, err
		}
	case err := <-failed:
		done()
		<-ready
		return nil, nil, err
	}
	return func(ctx context.Context, request []byte) ([]byte, error) {
		// A compaction may take as long as its summary.
		return client.Call(ctx, bus.Request{FunctionID: id, Namespace: namespace, Data: request, Timeout: callTimeout})
	}, done, nil
}

// codeOf splits an error into its code and the text without it.
func codeOf(err error) (code, text string) {
	code = "failed"
	if c := interface{ ErrorCode() string }(nil); errors.As(err, &c) {
		code = c.ErrorCode()
	}
	if remote := (*bus.RemoteError)(nil); errors.As(err, &remote) {
		err = remote
	}
	return code, strings.TrimPrefix(err.Error(), code+": ")
}

// callTimeout leaves room for the longest summary that the shipped settings
// allow, 320 s, and for what comes before and after it.
const callTimeout = 330 * time.Second
