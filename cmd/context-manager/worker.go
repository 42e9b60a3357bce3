package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/url"
	"runtime"
	"sync"
	"syscall"
	"time"

	"context-manager/internal/bus"
	"context-manager/worker"
)

func runWorker(ctx context.Context, p process) error {
	var address, file, namespace, name, level, format string
	var manifest, version bool
	rest, stop, err := parse(p, func(fs *flag.FlagSet) {
		fs.StringVar(&address, "url", "", "")
		fs.StringVar(&file, "config", "", "")
		fs.StringVar(&namespace, "namespace", unset, "")
		fs.StringVar(&name, "name", unset, "")
		fs.StringVar(&level, "log-level", "info", "")
		fs.StringVar(&format, "log-format", "text", "")
		fs.BoolVar(&manifest, "manifest", false, "")
		fs.BoolVar(&version, "version", false, "")
	})
	if stop || err != nil {
		return err
	}
	if err := notBlank(map[string]*string{"--namespace": &namespace, "--name": &name}); err != nil {
		return err
	}
	if len(rest) > 0 {
		return badUsage("unknown command %q; run context-manager help", rest[0])
	}
	switch {
	case manifest:
		b, err := worker.ManifestJSON(runtime.GOOS, runtime.GOARCH)
		if err != nil {
			return err
		}
		return printLine(p.stdout, b)
	case version:
		return printLine(p.stdout, []byte(versionLine()))
	}
	log, err := p.logger(level, format)
	if err != nil {
		return err
	}
	address = first(address, p.env("III_URL", "III_ENGINE_URL"), bus.DefaultURL)
	if err := checkURL(address); err != nil {
		return err
	}
	hint := &dialHint{w: p.stderr, url: bus.Redacted(address), now: time.Now}
	w := worker.New(worker.Options{
		URL:         address,
		Namespace:   first(namespace, p.env("III_NAMESPACE")),
		Name:        first(name, p.env("III_WORKER_NAME")),
		ConfigID:    p.env("III_CONFIG_NAME"),
		ConfigFile:  first(file, p.env("III_CONFIG")),
		Logger:      log,
		OnDialError: hint.tell,
	})
	return w.Run(ctx)
}

// checkURL refuses what is no address of an engine before anything is tried.
func checkURL(text string) error {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.Scheme != "ws" && u.Scheme != "wss" {
		return badUsage("engine URL %q: want ws://host:port", bus.Redacted(text))
	}
	return nil
}

// dialHint tells people that there is no engine: once, then every 30 s.
type dialHint struct {
	w   io.Writer
	url string
	now func() time.Time

	mu   sync.Mutex
	last time.Time
}

const hintEvery = 30 * time.Second

func (h *dialHint) tell(err error, _ int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if now := h.now(); h.last.IsZero() || now.Sub(h.last) >= hintEvery {
		h.last = now
		fmt.Fprintf(h.w, "cannot reach %s (%s); retrying. Start one with \"iii\", or try \"context-manager dev\"\n", h.url, reason(err))
	}
}

// reason is the short form of the usual failures to connect.
func reason(err error) string {
	switch {
	case errors.Is(err, syscall.ECONNREFUSED):
		return "refused"
	case errors.Is(err, context.DeadlineExceeded):
		return "timed out"
	}
	return err.Error()
}
