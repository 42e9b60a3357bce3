package features_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"context-manager/config"
	"context-manager/functions"
	"context-manager/internal/window"
	"context-manager/lease"
	"context-manager/worker"
)

// direct takes scenarios straight to the functions. Router and summariser are
// tables in memory, leases are real ones on a fake clock.
type direct struct{}

func (direct) begin(t *testing.T, s setup) (session, error) {
	d := &directSession{setup: s, dir: t.TempDir(), clock: newClock(), prompts: []prompt{}, asked: []lookup{}}
	o := functions.Options{
		Settings:   func() *config.Settings { return &d.setup.settings },
		Models:     d,
		Summarizer: d,
		Clock:      d.clock,
	}
	o.Leases = leaseStore{sync.OnceValues(func() (*lease.Store, error) {
		store, err := lease.Open(d.dir, lease.Options{Clock: d.clock.Now})
		if err == nil && s.noLeases {
			err = os.RemoveAll(filepath.Join(d.dir, "context_lease"))
		}
		return store, err
	})}
	d.service = functions.New(o)
	return d, nil
}

type directSession struct {
	setup   setup
	dir     string
	clock   *clock
	service *functions.Service

	mu      sync.Mutex
	prompts []prompt
	asked   []lookup
}

func (d *directSession) call(ctx context.Context, id string, request []byte) ([]byte, error) {
	spec, ok := functions.Find(id)
	if !ok {
		return nil, fmt.Errorf("no function %s", id)
	}
	answer, err := spec.Invoke(ctx, d.service, request, 0, nil)
	if coded := (*functions.Error)(nil); errors.As(err, &coded) {
		return nil, &failure{string(coded.Code), coded.Error()}
	}
	return answer, err
}

func (d *directSession) summaries() []prompt {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.prompts
}

func (d *directSession) lookups() []lookup {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.asked
}

func (d *directSession) leases() string            { return d.dir }
func (d *directSession) now() int64                { return d.clock.Now().UnixMilli() }
func (d *directSession) pass(time time.Duration)   { d.clock.pass(time) }
func (d *directSession) expire(time time.Duration) { d.clock.expire(time) }
func (d *directSession) end()                      {}

func (d *directSession) registered(context.Context) ([]registration, error) {
	var out []registration
	for i := range functions.Specs {
		spec := &functions.Specs[i]
		out = append(out, registration{spec.ID, json.RawMessage(spec.Metadata.JSON())})
	}
	return out, nil
}

// Resolve implements functions.ModelResolver.
func (d *directSession) Resolve(_ context.Context, provider, id string) (*functions.ModelBudget, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.asked = append(d.asked, lookup{id, provider})
	if d.setup.noRouter {
		return nil, errors.New("no router")
	}
	for _, m := range d.setup.models {
		if m.id == id && (provider == "" || m.provider == "" || m.provider == provider) {
			return &functions.ModelBudget{
				Limits:   window.Limits{ContextWindow: m.window, MaxOutput: m.maxOutput(), InputLimit: m.inputLimit},
				Thinking: m.thinking,
			}, nil
		}
	}
	return nil, nil
}

// Summarize implements functions.Summarizer.
func (d *directSession) Summarize(ctx context.Context, p functions.SummaryPrompt) (string, error) {
	d.mu.Lock()
	r := d.setup.script.at(len(d.prompts))
	if d.setup.noRouter {
		d.mu.Unlock()
		return "", functions.ErrSummarizerUnavailable
	}
	d.prompts = append(d.prompts, prompt{p.Model, p.Provider, p.System, p.User})
	d.mu.Unlock()
	if r.meanwhile != nil {
		if err := r.meanwhile(d.dir); err != nil {
			return "", err
		}
	}
	switch {
	case r.unavailable:
		return "", functions.ErrSummarizerUnavailable
	case r.fail != "":
		return "", errors.New(r.fail)
	case r.stop != "":
		return "", &functions.SummaryRejected{StopReason: r.stop}
	case r.never:
		d.clock.expire(time.Duration(d.setup.settings.SummarizerTimeoutMS) * time.Millisecond)
		<-ctx.Done()
		return "", context.Cause(ctx)
	}
	return r.text, nil
}

// leaseStore is a lease directory as the functions see it. It is opened when it
// is needed first, because that flushes to the disk.
type leaseStore struct{ open func() (*lease.Store, error) }

func (s leaseStore) Acquire(ctx context.Context, key string, ttl time.Duration) (functions.Lease, error) {
	store, err := s.open()
	if err != nil {
		return nil, err
	}
	return worker.Acquire(ctx, store, key, ttl)
}

var (
	_ functions.ModelResolver = (*directSession)(nil)
	_ functions.Summarizer    = (*directSession)(nil)
	_ functions.Leases        = leaseStore{}
)
