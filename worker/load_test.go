package worker

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	"context-manager/internal/agent/agenttest"
	"context-manager/internal/bus"
	"context-manager/internal/devengine"
)

// history is one user message of about size bytes and what it counts.
func history(size, marker int) (request []byte, tokens int) {
	text := fmt.Sprint("m", marker, " ") + strings.Repeat("x", size)
	request = agenttest.Request(agenttest.Object{"model": agenttest.Inline("m", 1<<40, 0), "options": agenttest.Object{}},
		agenttest.User(text))
	message := len(`{"role":"user","content":[{"type":"text","text":""}],"timestamp":1001}`) + len(text)
	return request, message / 4
}

// assembled calls assemble and checks that the message came back and counts
// what it should.
func assembled(ctx context.Context, c *bus.Client, size, marker int) error {
	request, tokens := history(size, marker)
	raw, err := c.Call(ctx, bus.Request{FunctionID: "context::assemble", Data: request, Timeout: patience})
	if err != nil {
		return err
	}
	var answer struct {
		Messages   []json.RawMessage `json:"messages"`
		TokenCount int               `json:"token_count"`
	}
	if err := json.Unmarshal(raw, &answer); err != nil {
		return err
	}
	if answer.TokenCount != tokens || len(answer.Messages) != 1 ||
		!bytes.Contains(answer.Messages[0], fmt.Appendf(nil, `"m%d xxx`, marker)) || len(answer.Messages[0]) < size {
		return fmt.Errorf("a request of %d bytes came back with %d messages and %d tokens, want 1 and %d",
			size, len(answer.Messages), answer.TokenCount, tokens)
	}
	return nil
}

func TestFiveHundredConcurrentCallsOverOneSocket(t *testing.T) {
	t.Parallel()
	r := newRig(t, startEngine(t, devengine.Options{}), Options{})
	sizes := make([]int, 0, 500)
	for i := range 480 {
		sizes = append(sizes, 1<<10+i*(63<<10)/479)
	}
	for range 16 {
		sizes = append(sizes, 1<<20)
	}
	for range 4 {
		sizes = append(sizes, 8<<20)
	}
	var all sync.WaitGroup
	for i, size := range sizes {
		all.Go(func() {
			if err := assembled(context.Background(), r.caller, size, i); err != nil {
				t.Errorf("call %d of %d bytes: %v", i, size, err)
			}
		})
	}
	all.Wait()
}

func TestLargeRequestsPass(t *testing.T) {
	t.Parallel()
	r := newRig(t, startEngine(t, devengine.Options{}), Options{})
	for _, size := range []int{12 << 20, 20 << 20} { // the second travels in fragments
		if err := assembled(context.Background(), r.caller, size, size); err != nil {
			t.Errorf("%d bytes: %v", size, err)
		}
	}
}

func TestARequestOverTheEnginesLimitIsRefusedHere(t *testing.T) {
	t.Parallel()
	r := newRig(t, startEngine(t, devengine.Options{}), Options{})
	request, _ := history(65<<20, 1)
	_, err := r.caller.Call(context.Background(), bus.Request{FunctionID: "context::assemble", Data: request})
	if err == nil || !strings.Contains(err.Error(), "64 MiB") {
		t.Errorf("got %.200v, want a refusal that names the limit", err)
	}
	if err := assembled(context.Background(), r.caller, 10, 1); err != nil {
		t.Errorf("the connection after the refusal: %v", err)
	}
}

// slowModels holds every budget lookup until released and tells how many came.
type slowModels struct {
	came    chan string
	release chan struct{}
}

func (s *slowModels) answer(ctx context.Context, c *bus.Call, dst []byte) ([]byte, error) {
	s.came <- string(c.Data)
	select {
	case <-s.release:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	return append(dst, "null"...), nil
}

// newSlowModels serves router::models::budget from a worker of its own.
func newSlowModels(t *testing.T, url string) *slowModels {
	t.Helper()
	s := &slowModels{came: make(chan string, 1024), release: make(chan struct{})}
	c := connect(t, url)
	c.RegisterFunction(bus.Function{ID: "router::models::budget", Handler: s.answer, Bypass: true})
	// Registrations are not acknowledged; a call behind them on the same
	// connection is answered once they are in place.
	waitListed(t, c, "router::models::budget")
	return s
}

func waitListed(t *testing.T, c *bus.Client, id string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	for {
		_, err := c.Call(ctx, bus.Request{FunctionID: "engine::functions::info", Data: fmt.Appendf(nil, `{"function_id":%q}`, id)})
		if err == nil {
			return
		}
		if ctx.Err() != nil {
			t.Fatalf("%s is not listed: %v", id, err)
		}
	}
}

func TestHandlersThatWaitOnTheBusHoldNobodyUp(t *testing.T) {
	t.Parallel()
	engine := startEngine(t, devengine.Options{})
	r := newRig(t, engine, Options{})
	slow := newSlowModels(t, engine.URL())
	var waiting sync.WaitGroup
	for i := range 64 {
		waiting.Go(func() {
			_, err := r.call("context::assemble", agenttest.Object{"messages": []any{}, "model": agenttest.Object{"id": fmt.Sprint("slow", i)}})
			if err != nil {
				t.Errorf("slow call %d: %v", i, err)
			}
		})
	}
	for range 64 {
		<-slow.came
	}
	got := r.must("context::count-tokens", agenttest.Object{"messages": []any{}, "model": agenttest.Object{"id": "m"}})["tokens"]
	if got != 0.0 {
		t.Errorf("tokens = %v, want 0", got)
	}
	close(slow.release)
	waiting.Wait()
}
