package worker

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"context-manager/internal/agent/agenttest"
	"context-manager/internal/bus"
	"context-manager/internal/devengine"
	"context-manager/internal/fakerouter"
)

// A worker in a namespace of its own uses the router there, and the engine's
// default one where there is none.
func TestARouterAtHomeIsFoundFirst(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		routers map[string]uint64 // namespace to context window
		want    string
	}{
		"at home":            {map[string]uint64{"orders": 50_000}, `"usable":41000`},
		"at home of two":     {map[string]uint64{"orders": 50_000, "": 100_000}, `"usable":41000`},
		"the common one":     {map[string]uint64{"": 100_000}, `"usable":86000`},
		"an old one at home": {map[string]uint64{"old orders": 50_000, "": 100_000}, `"usable":41000`},
		"no router":          {nil, `"model_resolved":"fallback"`},
		"at another home":    {map[string]uint64{"billing": 50_000}, `"model_resolved":"fallback"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			engine := startEngine(t, devengine.Options{})
			for namespace, window := range tt.routers {
				var without []string
				if rest, old := strings.CutPrefix(namespace, "old "); old {
					namespace, without = rest, []string{fakerouter.BudgetID}
				}
				runRouter(t, fakerouter.Options{URL: engine.URL(), Namespace: namespace, Name: "router-" + namespace, Without: without,
					Models: []fakerouter.Model{{ID: "m", ContextWindow: window, MaxOutputTokens: 4000}},
					Answer: func(fakerouter.ChatRequest) fakerouter.Script {
						return fakerouter.Summary("## Goal\n- of " + namespace)
					}})
			}
			r := newRig(t, engine, Options{Namespace: " orders ", ConfigFile: seedIn(t, "lease_dir: "+t.TempDir()+"\n")})
			ask := func(function string, messages ...agenttest.Message) string {
				t.Helper()
				raw, err := r.caller.Call(context.Background(), bus.Request{FunctionID: function, Namespace: "orders", Timeout: patience,
					Data: agenttest.Request(agenttest.Object{"model": agenttest.Object{"id": "m"}}, messages...)})
				if err != nil {
					t.Fatal(err)
				}
				return string(raw)
			}
			if got := ask("context::assemble", agenttest.User("hi")); !strings.Contains(got, tt.want) {
				t.Errorf("got %s, want %s", got, tt.want)
			}
			want := `"reason":"unavailable"`
			if strings.Contains(name, "at home") {
				want = "of orders"
			} else if _, common := tt.routers[""]; common {
				want = "- of "
			}
			got := ask("context::compact", agenttest.User(agenttest.Tokens(3000)), agenttest.User("q2"), agenttest.User("q3"))
			if !strings.Contains(got, want) {
				t.Errorf("got %s, want %s", got, want)
			}
		})
	}
}

func runRouter(t *testing.T, o fakerouter.Options) {
	t.Helper()
	router := fakerouter.New(o)
	ctx, cancel := context.WithCancel(context.Background())
	ran := make(chan error, 1)
	go func() { ran <- router.Run(ctx) }()
	t.Cleanup(func() { cancel(); <-ran })
	wait, stop := context.WithTimeout(ctx, patience)
	defer stop()
	if err := router.Ready(wait); err != nil {
		t.Fatal(err)
	}
}

// A session that may not call a namespace learns that before anybody looks for
// the function.
func TestARouterThatIsForbiddenAtHomeIsLookedForElsewhere(t *testing.T) {
	t.Parallel()
	for code, want := range map[string]string{"FORBIDDEN": "orders default", "function_not_found": "orders default", "router/failed": "orders"} {
		var asked []string
		answer, err := atHomeFirst("orders", func(namespace string) (json.RawMessage, error) {
			if namespace == "" {
				asked = append(asked, "default")
				return json.RawMessage("{}"), nil
			}
			asked = append(asked, namespace)
			return nil, &bus.RemoteError{Code: code, Message: "m"}
		})
		if got := strings.Join(asked, " "); got != want || (err == nil) != (answer != nil) {
			t.Errorf("%s: asked in %s, got %s, %v, want %s", code, got, answer, err, want)
		}
	}
}
