package worker

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"context-manager/functions"
	"context-manager/internal/bus"
)

// scriptedRouter answers the calls of models. Its fields may change while it is
// used.
type scriptedRouter struct {
	mu sync.Mutex
	// answers by function id; none = no such function.
	answers map[string]func(ctx context.Context) (string, error)
	calls   []bus.Request
	callCtx context.Context // of the last call
	away    int             // handlers that have given their place away
	resume  func(n int)     // waits for a place, for the handler that gave way nth
	gave    int
}

func newScriptedRouter() *scriptedRouter {
	return &scriptedRouter{answers: map[string]func(context.Context) (string, error){}}
}

func (r *scriptedRouter) Call(ctx context.Context, q bus.Request) (json.RawMessage, error) {
	r.mu.Lock()
	r.calls = append(r.calls, q)
	r.callCtx = ctx
	answer := r.answers[q.FunctionID]
	r.mu.Unlock()
	if answer == nil {
		return nil, &bus.RemoteError{Code: "function_not_found", Message: "Function " + q.FunctionID + " not found in namespace default."}
	}
	text, err := answer(ctx)
	return json.RawMessage(text), err
}

func (r *scriptedRouter) GiveWay(context.Context) (resume func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.away++
	r.gave++
	n := r.gave
	return func() {
		if r.resume != nil {
			r.resume(n)
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		r.away--
	}
}

func (r *scriptedRouter) waiting() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.away
}

// budget makes the budget function give this answer or this error.
func (r *scriptedRouter) budget(answer string, err error) {
	r.set(modelBudgetFunction, func(context.Context) (string, error) { return answer, err })
}

func (r *scriptedRouter) set(function string, answer func(context.Context) (string, error)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.answers[function] = answer
}

// asked returns how many calls a function has got.
func (r *scriptedRouter) asked(function string) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := 0
	for _, q := range r.calls {
		if q.FunctionID == function {
			n++
		}
	}
	return n
}

// held is an answer that is given when the test says so, or never.
type held struct {
	begun   chan struct{} // one value for every call
	release chan func() (string, error)
}

func newHeld() *held {
	return &held{begun: make(chan struct{}, 100), release: make(chan func() (string, error))}
}

func (h *held) answer(ctx context.Context) (string, error) {
	h.begun <- struct{}{}
	select {
	case f := <-h.release:
		return f()
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
}

func (h *held) give(answer string, err error) {
	h.release <- func() (string, error) { return answer, err }
}

var errRouterDown = errors.New("no answer in time")

// small and large are answers of the budget function.
const (
	small = `{"model":{"id":"m","provider":"p","context_window":32000,"max_output_tokens":16000},"effective_max_output_tokens":16000}`
	large = `{"model":{"id":"m","provider":"p","context_window":64000,"max_output_tokens":16000},"effective_max_output_tokens":16000}`
)

const (
	windowSmall = 32000
	windowLarge = 64000
)

// inBubble runs a test in a bubble of its own time.
func inBubble(t *testing.T, test func(t *testing.T)) {
	t.Helper()
	t.Parallel()
	synctest.Test(t, test)
}

// pass lets time go by and everything that it sets off settle.
func pass(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

// resolver is models under test with its script, its log and its Run.
type resolver struct {
	*models
	t      *testing.T
	router *scriptedRouter
	log    *lockedBuffer
}

// newResolver returns models whose Run goes on until the test ends.
func newResolver(t *testing.T, o modelsOptions) *resolver {
	t.Helper()
	r := newResolverAlone(t, o)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		r.Run(ctx)
	}()
	t.Cleanup(func() {
		cancel()
		<-ended
	})
	synctest.Wait()
	return r
}

// newResolverAlone returns models without Run.
func newResolverAlone(t *testing.T, o modelsOptions) *resolver {
	t.Helper()
	log := &lockedBuffer{}
	o.Logger = slog.New(slog.NewTextHandler(log, nil))
	router := newScriptedRouter()
	return &resolver{models: newModels(router, o), t: t, router: router, log: log}
}

// window resolves and returns the context window, 0 for an unknown model.
func (r *resolver) window(provider, id string) uint64 {
	r.t.Helper()
	b, err := r.Resolve(r.t.Context(), provider, id)
	if err != nil {
		r.t.Errorf("resolving %s/%s: %v", provider, id, err)
	}
	if b == nil {
		return 0
	}
	return b.Limits.ContextWindow
}

func (r *resolver) wantWindow(want uint64) {
	r.t.Helper()
	if got := r.window("p", "m"); got != want {
		r.t.Errorf("got a window of %d, want %d", got, want)
	}
}

func (r *resolver) wantError(want error) {
	r.t.Helper()
	if b, err := r.Resolve(r.t.Context(), "p", "m"); !errors.Is(err, want) {
		r.t.Errorf("got %v, %v, want the error %v", b, err, want)
	}
}

func (r *resolver) wantAsked(want int) {
	r.t.Helper()
	if got := r.router.asked(modelBudgetFunction); got != want {
		r.t.Errorf("the router was asked %d times, want %d", got, want)
	}
}

// wantWarnings counts the warnings so far.
func (r *resolver) wantWarnings(want int) {
	r.t.Helper()
	if got := strings.Count(r.log.String(), "level=WARN"); got != want {
		r.t.Errorf("got %d warnings, want %d:\n%s", got, want, r.log)
	}
}

// resolving is a call of Resolve on a goroutine of its own.
type resolving struct {
	done   chan struct{}
	budget *functions.ModelBudget
	err    error
}

func (r *resolver) start(ctx context.Context) *resolving {
	c := &resolving{done: make(chan struct{})}
	go func() {
		defer close(c.done)
		c.budget, c.err = r.Resolve(ctx, "p", "m")
	}()
	synctest.Wait()
	return c
}

func (c *resolving) ended() bool {
	select {
	case <-c.done:
		return true
	default:
		return false
	}
}

// lockedBuffer is a buffer for a log.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}
