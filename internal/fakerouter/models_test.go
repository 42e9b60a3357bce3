package fakerouter_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"context-manager/internal/bus"
	"context-manager/internal/fakerouter"
)

func TestTheTableOfModels(t *testing.T) {
	t.Parallel()
	vision := true
	w := setup(t, fakerouter.Options{Models: []fakerouter.Model{
		{ID: "m-1", Provider: "p-1", ContextWindow: 272_000, MaxOutputTokens: 128_000},
		{ID: "m-2", Provider: "p-1", ContextWindow: 200_000, MaxOutputTokens: 8_000, InputLimit: 100_000, ThinkingBudgets: map[string]uint64{"high": 16_000}, SupportsVision: &vision},
		{ID: "m-2", Provider: "p-2", ContextWindow: 1, MaxOutputTokens: 1},
		{ID: "odd", ContextWindow: 100, MaxOutputTokens: 10, EffectiveOutput: 20},
		{ID: "raw", Record: json.RawMessage(`{"thinking_budgets":{"HUGE":1}}`)},
	}})
	for _, tt := range []struct{ name, function, data, want string }{
		{"budget caps the output softly", fakerouter.BudgetID, `{"id":"m-1","provider":"p-1"}`,
			`{"effective_max_output_tokens":32000,"model":{"context_window":272000,"display_name":"m-1","id":"m-1","max_output_tokens":128000,"provider":"p-1","supports_tools":true}}`},
		{"a wish is lowered to the ceiling", fakerouter.BudgetID, `{"id":"m-1","max_output_tokens":200000}`, `{"effective_max_output_tokens":128000,`},
		{"a wish below the ceiling is granted", fakerouter.BudgetID, `{"id":"m-1","max_output_tokens":4000}`, `{"effective_max_output_tokens":4000,`},
		{"an effective output above the ceiling", fakerouter.BudgetID, `{"id":"odd"}`, `{"effective_max_output_tokens":20,`},
		{"optional members", fakerouter.BudgetID, `{"id":"m-2","provider":"p-1"}`, `"input_limit":100000,"max_output_tokens":8000,"provider":"p-1","supports_tools":true,"supports_vision":true,"thinking_budgets":{"high":16000}`},
		{"get has the record only", fakerouter.GetID, `{"id":"m-2","provider":"p-2"}`, `{"model":{"context_window":1,`},
		{"a record of the test's own", fakerouter.GetID, `{"id":"raw"}`, `{"model":{"thinking_budgets":{"HUGE":1}}}`},
		{"an id of two providers is ambiguous", fakerouter.BudgetID, `{"id":"m-2"}`, `null`},
		{"an unknown id is null", fakerouter.GetID, `{"id":"m-9"}`, `null`},
		{"an id of another provider is null", fakerouter.BudgetID, `{"id":"m-1","provider":"p-2"}`, `null`},
		{"an id with its provider", fakerouter.BudgetID, `{"id":"p-2::m-2"}`, `"provider":"p-2"`},
		{"an id with another provider than named", fakerouter.BudgetID, `{"id":"p-2::m-2","provider":"p-1"}`, `null`},
		{"list by provider", fakerouter.ListID, `{"provider":"p-2"}`, `{"models":[{"context_window":1,`},
		{"a malformed request", fakerouter.BudgetID, `{"id":7}`, `router/invalid_request`},
	} {
		if got := w.call(tt.function, tt.data); !strings.Contains(got, tt.want) {
			t.Errorf("%s: got %s, want %s", tt.name, got, tt.want)
		}
	}
	w.router.SetModels(fakerouter.Model{ID: "m-9", ContextWindow: 5, MaxOutputTokens: 1})
	if got := w.call(fakerouter.BudgetID, `{"id":"m-1"}`); got != "null" {
		t.Errorf("got %s after the table was replaced, want null", got)
	}
	if got := w.call(fakerouter.BudgetID, `{"id":"m-9"}`); !strings.Contains(got, `"context_window":5`) {
		t.Errorf("got %s, want the new record", got)
	}
}

func TestFunctionsCanBeMissingFailAndHang(t *testing.T) {
	t.Parallel()
	w := setup(t, fakerouter.Options{Without: []string{fakerouter.BudgetID}, Models: []fakerouter.Model{{ID: "m", ContextWindow: 1, MaxOutputTokens: 1}}})
	if got := w.call(fakerouter.BudgetID, `{"id":"m"}`); got != "function_not_found" {
		t.Errorf("got %s, want function_not_found of an older router", got)
	}
	w.router.Register(fakerouter.BudgetID)
	w.router.Unregister(fakerouter.GetID)
	if err := w.router.Ready(w.ctx); err != nil {
		t.Fatal(err)
	}
	if got := w.call(fakerouter.BudgetID, `{"id":"m"}`); got == "function_not_found" {
		t.Errorf("got %s after registering, want an answer", got)
	}
	if got := w.call(fakerouter.GetID, `{"id":"m"}`); got != "function_not_found" {
		t.Errorf("got %s after unregistering, want function_not_found", got)
	}
	w.router.Intercept(fakerouter.BudgetID, func(context.Context, []byte) (json.RawMessage, error) {
		return nil, fakerouter.Error("router/not_configured", "no")
	})
	if got := w.call(fakerouter.BudgetID, `{"id":"m"}`); got != "router/not_configured" {
		t.Errorf("got %s, want the intercepting error", got)
	}
	w.router.Intercept(fakerouter.BudgetID, func(ctx context.Context, _ []byte) (json.RawMessage, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	})
	if _, err := w.caller.Call(w.ctx, bus.Request{FunctionID: fakerouter.BudgetID, Timeout: time.Millisecond}); err == nil || !strings.Contains(err.Error(), "no answer in time") {
		t.Errorf("got %v, want a timeout", err)
	}
	if err := w.router.WaitCount(w.ctx, fakerouter.BudgetID, 3); err != nil {
		t.Fatal(err)
	}
	w.router.Intercept(fakerouter.BudgetID, nil)
	if got := w.call(fakerouter.BudgetID, `{"id":"m"}`); !strings.Contains(got, `"context_window":1`) {
		t.Errorf("got %s, want the table again", got)
	}
}

func TestARouterInANamespace(t *testing.T) {
	t.Parallel()
	w := setup(t, fakerouter.Options{Namespace: "ns", Models: []fakerouter.Model{{ID: "m", ContextWindow: 1, MaxOutputTokens: 1}}})
	if got := w.call(fakerouter.GetID, `{"id":"m"}`); got != "function_not_found" {
		t.Errorf("got %s without a namespace, want function_not_found", got)
	}
	result, err := w.caller.Call(w.ctx, bus.Request{FunctionID: fakerouter.GetID, Namespace: "ns", Data: []byte(`{"id":"m"}`)})
	if got := outcome(result, err); !strings.Contains(got, `"context_window":1`) {
		t.Errorf("got %s with the namespace, want the record", got)
	}
}

func TestWaitsEndWithTheirContext(t *testing.T) {
	t.Parallel()
	w := setup(t, fakerouter.Options{Without: []string{fakerouter.ChatID, fakerouter.BudgetID, fakerouter.GetID, fakerouter.ListID, fakerouter.ChangedID}})
	ctx, cancel := context.WithCancel(w.ctx)
	cancel()
	for name, err := range map[string]error{
		"WaitCount": w.router.WaitCount(ctx, fakerouter.ChatID, 1),
		"WaitBound": w.router.WaitBound(ctx, 1),
		"Ready":     fakerouter.New(fakerouter.Options{URL: w.engine.URL()}).Ready(ctx),
	} {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s: got %v, want context.Canceled", name, err)
		}
	}
}

func TestCallsAreRecorded(t *testing.T) {
	t.Parallel()
	w := setup(t, fakerouter.Options{})
	for range 3 {
		w.call(fakerouter.BudgetID, `{"provider":"p","id":"m"}`)
	}
	if _, err := w.caller.Call(w.ctx, bus.Request{FunctionID: fakerouter.GetID, Metadata: []byte(`{"k":1}`)}); err != nil {
		t.Fatal(err)
	}
	if got := w.router.Count(fakerouter.BudgetID); got != 3 {
		t.Errorf("got %d calls, want 3", got)
	}
	var request struct{ ID, Provider string }
	calls := w.router.Calls(fakerouter.BudgetID)
	if err := json.Unmarshal(calls[2].Data, &request); err != nil || request.ID != "m" || request.Provider != "p" {
		t.Errorf("got %s, want the request", calls[2].Data)
	}
	if got := string(w.router.Calls(fakerouter.GetID)[0].Metadata); got != `{"k":1}` {
		t.Errorf("got metadata %s, want the caller's", got)
	}
	w.router.Forget()
	if got := w.router.Count(fakerouter.BudgetID); got != 0 {
		t.Errorf("got %d calls after forgetting, want 0", got)
	}
}

func TestChangesReachEverybodyBound(t *testing.T) {
	t.Parallel()
	w := setup(t, fakerouter.Options{})
	events := make(chan string, 10)
	rejected := make(chan error, 1)
	for _, id := range []string{"caller::on", "caller::too"} {
		w.caller.RegisterFunction(bus.Function{ID: id, Handler: func(_ context.Context, call *bus.Call, dst []byte) ([]byte, error) {
			var e struct {
				Provider string
				Count    int
			}
			if err := json.Unmarshal(call.Data, &e); err != nil || e.Provider != "p-1" || e.Count != 12 {
				t.Errorf("got event %s, want provider p-1 and count 12", call.Data)
			}
			events <- call.FunctionID + " " + string(call.Metadata)
			return dst, nil
		}})
	}
	w.caller.RegisterTrigger(bus.Trigger{ID: "t1", Type: fakerouter.ChangedID, FunctionID: "caller::on", Metadata: []byte(`{"m":1}`)})
	w.caller.RegisterTrigger(bus.Trigger{ID: "t2", Type: fakerouter.ChangedID, FunctionID: "caller::too", Config: []byte(`null`)})
	w.caller.RegisterTrigger(bus.Trigger{ID: "t3", Type: fakerouter.ChangedID, FunctionID: "caller::on", Config: []byte(`{"filter":1}`), OnRejected: func(err error) { rejected <- err }})
	if err := w.router.WaitBound(w.ctx, 2); err != nil {
		t.Fatal(err)
	}
	if err := <-rejected; !strings.Contains(err.Error(), "takes no config") {
		t.Errorf("got %v, want the config refused", err)
	}
	if err := w.router.EmitChanged(w.ctx, "p-1", 12); err != nil {
		t.Fatal(err)
	}
	got := map[string]bool{<-events: true, <-events: true}
	if !got[`caller::on {"m":1}`] || !got["caller::too "] {
		t.Errorf("got %v, want both functions called, with the binding's metadata", got)
	}
	w.caller.UnregisterTrigger("t1")
	if err := w.router.WaitBound(w.ctx, 1); err != nil {
		t.Fatal(err)
	}
}
