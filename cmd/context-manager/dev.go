package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"syscall"

	"context-manager/internal/devengine"
	"context-manager/worker"
)

// runDev keeps an embedded engine and a worker up. It is for development and
// tests; production is the iii engine.
func runDev(ctx context.Context, p process) error {
	var listen, file, level, format string
	rest, stop, err := parse(p, func(fs *flag.FlagSet) {
		fs.StringVar(&listen, "listen", "127.0.0.1:49134", "")
		fs.StringVar(&file, "config", "", "")
		fs.StringVar(&level, "log-level", "warn", "")
		fs.StringVar(&format, "log-format", "text", "")
	})
	if stop || err != nil {
		return err
	}
	if err := noArguments(rest); err != nil {
		return err
	}
	log, err := p.logger(level, format)
	if err != nil {
		return err
	}
	file = first(file, p.env("III_CONFIG"))
	if _, err := settings(p, file); err != nil {
		return err
	}
	engine := devengine.New(devengine.Options{Listen: listen, Logger: log})
	if err := engine.Start(); err != nil {
		if errors.Is(err, syscall.EADDRINUSE) {
			return fmt.Errorf("%s is in use (an iii engine?); try --listen 127.0.0.1:0", listen)
		}
		return err
	}
	defer engine.Close()
	fmt.Fprintln(p.stderr, "embedded development engine: for trying things out and tests; production is the iii engine")
	w := worker.New(worker.Options{
		URL: engine.URL(), ConfigFile: file, Logger: log,
		ConfigID:  p.env("III_CONFIG_NAME"),
		Namespace: p.env("III_NAMESPACE"),
		Name:      p.env("III_WORKER_NAME"),
		OnServing: func() { fmt.Fprintf(p.stdout, "ready %s\n", engine.URL()) },
	})
	return w.Run(ctx)
}
