package features_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"context-manager/config"
	"context-manager/internal/bus"
	"context-manager/internal/fakerouter"
)

// socket takes scenarios through an engine to a worker. One stack serves the
// scenarios of a file in turn; it is replaced when one needs a router and the
// next one must not have any.
type socket struct {
	url     string // of an engine that runs already; empty starts one
	dir     string
	current *stack
	last    config.Settings // in force in the current stack
}

func newSocket(t *testing.T, url string) *socket {
	s := &socket{url: url, dir: t.TempDir()}
	t.Cleanup(func() {
		if err := s.close(); err != nil {
			t.Errorf("the stack ends with %v", err)
		}
	})
	return s
}

func (d *socket) close() error {
	if d.current == nil {
		return nil
	}
	err := d.current.close()
	d.current = nil
	return err
}

func (d *socket) begin(t *testing.T, s setup) (session, error) {
	ctx := t.Context()
	if d.current != nil && (d.current.router == nil) != s.noRouter {
		if err := d.close(); err != nil {
			return nil, err
		}
	}
	if d.current == nil {
		var err error
		if d.current, err = newStack(ctx, d.url, d.dir, !s.noRouter); err != nil {
			return nil, err
		}
		d.last = config.Settings{}
	}
	if d.last != s.settings {
		if err := d.current.configure(ctx, s.settings); err != nil {
			return nil, err
		}
		d.last = s.settings
	}
	session := &socketSession{stack: d.current, driver: d, setup: s}
	return session, session.prepare(ctx)
}

type socketSession struct {
	*stack
	driver *socket
	setup  setup

	mu    sync.Mutex
	chats int
	err   error // of what happened while a summary was written
}

// prepare makes the stack as if it had seen no scenario before.
func (s *socketSession) prepare(ctx context.Context) error {
	if s.router != nil {
		var table []fakerouter.Model
		for _, m := range s.setup.models {
			table = append(table, m.entry())
		}
		s.router.SetModels(table...)
		s.router.Forget()
		answer := s.play
		s.script.Store(&answer)
		if _, err := s.stack.call(ctx, "context::on-models-changed", []byte("{}")); err != nil {
			return err
		}
	}
	if s.setup.noLeases {
		return os.RemoveAll(filepath.Join(s.dir, "context_lease"))
	}
	return nil
}

func (m *routerModel) entry() fakerouter.Model {
	out := fakerouter.Model{
		ID: m.id, Provider: m.provider, ContextWindow: m.window, MaxOutputTokens: m.output, ThinkingBudgets: m.thinking, Record: m.record,
	}
	if m.inputLimit != nil {
		out.InputLimit = *m.inputLimit
	}
	if m.effective != nil {
		out.EffectiveOutput = *m.effective
	}
	return out
}

// end clears the lease directory for the next scenario.
func (s *socketSession) end() {
	s.script.Store(nil)
	claims := filepath.Join(s.dir, "context_lease")
	_ = os.RemoveAll(claims)
	_ = os.MkdirAll(claims, 0o700)
}

// play is what the scenario's summariser does in the next chat.
func (s *socketSession) play(fakerouter.ChatRequest) fakerouter.Script {
	s.mu.Lock()
	r := s.setup.script.at(s.chats)
	s.chats++
	s.mu.Unlock()
	if r.meanwhile != nil {
		if err := r.meanwhile(s.dir); err != nil {
			s.mu.Lock()
			s.err = err
			s.mu.Unlock()
		}
	}
	switch {
	case r.raw != nil:
		return r.raw
	case r.unavailable:
		return fakerouter.Thrown("router/provider_unavailable", "provider gone")
	case r.fail != "":
		return fakerouter.Failure("transient", r.fail)
	case r.stop != "":
		return fakerouter.Ended(r.text, r.stop)
	case r.never:
		go s.clock.expire(time.Duration(s.setup.settings.SummarizerTimeoutMS) * time.Millisecond)
		return fakerouter.Hanging()
	}
	return fakerouter.Summary(r.text)
}

func (s *socketSession) call(ctx context.Context, id string, request []byte) ([]byte, error) {
	answer, err := s.stack.call(ctx, id, request)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err != nil {
		return nil, s.err
	}
	if remote := (*bus.RemoteError)(nil); errors.As(err, &remote) {
		return nil, &failure{remote.Code, remote.Message}
	}
	return answer, err
}

func (s *socketSession) summaries() []prompt {
	out := []prompt{}
	if s.router == nil {
		return out
	}
	for _, c := range s.router.Calls(fakerouter.ChatID) {
		var q struct {
			prompt
			System   string `json:"system_prompt"`
			Messages []struct{ Content []struct{ Text string } }
		}
		if json.Unmarshal(c.Data, &q) != nil || len(q.Messages) != 1 || len(q.Messages[0].Content) != 1 {
			q.User = fmt.Sprintf("unexpected request %s", c.Data)
		} else {
			q.User = q.Messages[0].Content[0].Text
		}
		out = append(out, prompt{q.Model, q.Provider, q.System, q.User})
	}
	return out
}

func (s *socketSession) lookups() []lookup {
	out := []lookup{}
	if s.router == nil {
		return out
	}
	for _, c := range s.router.Calls(fakerouter.BudgetID) {
		var l lookup
		if err := json.Unmarshal(c.Data, &l); err != nil {
			l.ID = err.Error()
		}
		out = append(out, l)
	}
	return out
}

func (s *socketSession) leases() string         { return s.dir }
func (s *socketSession) now() int64             { return s.clock.Now().UnixMilli() }
func (s *socketSession) pass(d time.Duration)   { s.clock.pass(d) }
func (s *socketSession) expire(d time.Duration) { s.clock.expire(d) }

func (s *socketSession) registered(ctx context.Context) ([]registration, error) {
	raw, err := s.caller.Call(ctx, bus.Request{FunctionID: "engine::functions::list", Data: json.RawMessage(`{"prefix":"context::","include_internal":true}`)})
	if err != nil {
		return nil, err
	}
	var list struct {
		Functions []struct {
			ID        string `json:"function_id"`
			Namespace string `json:"namespace"`
			Metadata  json.RawMessage
		}
	}
	if err := json.Unmarshal(raw, &list); err != nil {
		return nil, err
	}
	var out []registration
	for _, f := range list.Functions {
		if f.Namespace == s.namespace || s.namespace == "" && f.Namespace == "default" {
			out = append(out, registration{f.ID, f.Metadata})
		}
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("no function in namespace %q: %s", s.namespace, strings.TrimSpace(string(raw)))
	}
	return out, nil
}
