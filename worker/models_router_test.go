package worker

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"context-manager/internal/bus"

	"github.com/google/go-cmp/cmp"
)

func TestLookupRequests(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, provider, want string
	}{
		{"with a provider", "p", `{"id":"m","provider":"p"}`},
		{"without a provider", "", `{"id":"m"}`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			r := newResolverAlone(t, modelsOptions{})
			r.router.budget(small, nil)
			if got := r.window(test.provider, "m"); got != windowSmall {
				t.Errorf("got a window of %d, want %d", got, windowSmall)
			}
			want := []bus.Request{{FunctionID: "router::models::budget", Data: []byte(test.want), Timeout: 5 * time.Second}}
			if diff := cmp.Diff(r.router.calls, want); diff != "" {
				t.Errorf("calls (-got +want):\n%s", diff)
			}
		})
	}
}

func TestLookupFallsBackToTheRecord(t *testing.T) {
	t.Parallel()
	r := newResolverAlone(t, modelsOptions{})
	r.router.set(modelGetFunction, func(context.Context) (string, error) {
		return `{"model":{"context_window":64000,"max_output_tokens":16000}}`, nil
	})
	b, err := r.Resolve(t.Context(), "p", "m")
	if err != nil || b.Limits.ContextWindow != 64000 || b.Limits.MaxOutput != 16000 {
		t.Fatalf("got %+v, %v, want the limits of the record", b, err)
	}
	request := []byte(`{"id":"m","provider":"p"}`)
	want := []bus.Request{
		{FunctionID: "router::models::budget", Data: request, Timeout: 5 * time.Second},
		{FunctionID: "router::models::get", Data: request, Timeout: 5 * time.Second},
	}
	if diff := cmp.Diff(r.router.calls, want); diff != "" {
		t.Errorf("calls (-got +want):\n%s", diff)
	}
}

func TestOnlyTheCodeMeansThatAFunctionIsMissing(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		err  error
	}{
		{"a handler that speaks of something missing", &bus.RemoteError{Code: "invocation_failed", Message: "handler error: function_not_found: no function, not found"}},
		{"a router's own code", &bus.RemoteError{Code: "router/not_found", Message: "model not found"}},
		{"a lost connection", bus.ErrDisconnected},
		{"no answer in time", bus.ErrTimeout},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			r := newResolverAlone(t, modelsOptions{})
			r.router.budget("", test.err)
			r.router.set(modelGetFunction, func(context.Context) (string, error) { return small, nil })
			r.wantError(test.err)
			if got := r.router.asked(modelGetFunction); got != 0 {
				t.Errorf("the older function was asked %d times, want 0", got)
			}
		})
	}
}

func TestLookupWithoutARouterFails(t *testing.T) {
	t.Parallel()
	r := newResolverAlone(t, modelsOptions{})
	_, err := r.Resolve(t.Context(), "p", "m")
	if remote := (*bus.RemoteError)(nil); !errors.As(err, &remote) || remote.Code != "function_not_found" {
		t.Errorf("got %v, want the code function_not_found", err)
	}
}

func TestAnAnswerThatCannotBeReadNamesItsFunction(t *testing.T) {
	t.Parallel()
	r := newResolverAlone(t, modelsOptions{})
	r.router.budget(`{"model":{}}`, nil)
	_, err := r.Resolve(t.Context(), "p", "m")
	if err == nil || !strings.Contains(err.Error(), "router::models::budget") {
		t.Errorf("got %v, want an error that names router::models::budget", err)
	}
}
