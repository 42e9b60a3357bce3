package contract_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"context-manager/internal/contract"
)

func TestPublishedListsTheContract(t *testing.T) {
	t.Parallel()
	functions, err := contract.Published()
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range functions {
		got = append(got, f.Name)
		if !f.Metadata["trace_hidden"] {
			t.Errorf("%s: got metadata %v, want trace_hidden", f.Name, f.Metadata)
		}
		if d, err := contract.Diff(f.RequestSchema, f.RequestSchema); err != nil || len(d) > 0 {
			t.Errorf("%s differs from itself: %q, %v", f.Name, d, err)
		}
	}
	if len(got) != 6 {
		t.Errorf("got functions %q, want six", got)
	}
	if _, err := contract.Lookup("context::nothing"); err == nil {
		t.Error("got no error for a function that the contract does not have")
	}
}

func TestValidationFollowsThePublishedSchemas(t *testing.T) {
	t.Parallel()
	const count = "context::count-tokens"
	for _, tc := range []struct {
		name, text string
		valid      bool
		check      func(string, []byte) error
	}{
		{"a plain request", `{"model":{"id":"m"},"messages":[]}`, true, contract.RequestError},
		{"an unknown member", `{"model":{"id":"m"},"future":42}`, true, contract.RequestError},
		{"an integer spelled as a float", `{"model":{"id":"m","limits":{"context_window":5e3,"max_output_tokens":5.0}}}`, true, contract.RequestError},
		{"no model", `{"messages":[]}`, false, contract.RequestError},
		{"an unknown role", `{"model":{"id":"m"},"messages":[{"role":"wizard","content":[],"timestamp":1}]}`, false, contract.RequestError},
		{"a negative limit", `{"model":{"id":"m","limits":{"context_window":-1,"max_output_tokens":5}}}`, false, contract.RequestError},
		{"text that is no JSON", `{`, false, contract.RequestError},
		{"a plain answer", `{"tokens":1,"estimator":"heuristic"}`, true, contract.ResponseError},
		{"an answer with additions", `{"tokens":1,"estimator":"heuristic","calibration":"c"}`, true, contract.ResponseError},
		{"an unknown estimator", `{"tokens":1,"estimator":"guess"}`, false, contract.ResponseError},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			if err := tc.check(count, []byte(tc.text)); (err == nil) != tc.valid {
				t.Errorf("got %v, want valid %v", err, tc.valid)
			}
		})
	}
}

// recorder stands in for a test that is expected to fail.
type recorder struct {
	testing.TB
	failed bool
}

func (r *recorder) Helper()               {}
func (r *recorder) Errorf(string, ...any) { r.failed = true }

func TestValidateExchangeChecksAnswersToPublishedRequestsOnly(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, request, response string
		checked, failed         bool
	}{
		{"a good answer to a published request", `{"messages":[]}`, `{"messages":[],"pruned_parts":0,"pruned_tokens":0,"scanned_parts":0}`, true, false},
		{"a bad answer to a published request", `{"messages":[]}`, `{"messages":[]}`, true, true},
		{"a bad answer to a request of our own", `{"messages":[{"role":"user","content":[{"type":"new"}],"timestamp":1}]}`, `{}`, false, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			var r recorder
			checked := contract.ValidateExchange(&r, "context::prune", []byte(tc.request), []byte(tc.response))
			if checked != tc.checked || r.failed != tc.failed {
				t.Errorf("got checked %v and failed %v, want %v and %v", checked, r.failed, tc.checked, tc.failed)
			}
		})
	}
}

func TestInstancesAreVariedAndRepeatable(t *testing.T) {
	t.Parallel()
	const name = "context::assemble"
	first, err := contract.NewInstances(name, 7)
	if err != nil {
		t.Fatal(err)
	}
	again, err := contract.NewInstances(name, 7)
	if err != nil {
		t.Fatal(err)
	}
	var all bytes.Buffer
	for range 300 {
		instance := first.Next()
		if second := again.Next(); !bytes.Equal(instance, second) {
			t.Fatalf("one seed gave two instances:\n%s\n%s", instance, second)
		}
		var parsed map[string]json.RawMessage
		if err := json.Unmarshal(instance, &parsed); err != nil {
			t.Fatalf("%v\n%s", err, instance)
		}
		if list := parsed["messages"]; len(list) == 0 || list[0] != '[' {
			t.Fatalf("got messages %s, want an array", list)
		}
		all.Write(instance)
	}
	for _, want := range []string{
		`"user"`, `"assistant"`, `"function_result"`, `"custom"`, `"text"`, `"image"`, `"thinking"`, `"function_call"`,
		`"xhigh"`, `"sequential"`, `"rate_limited"`, `18446744073709551615`, `-9223372036854775808`, `9223372036854775807`,
		`5e3`, `5.0`, `null`, `"x_`, `{"a":1,"a":2}`,
	} {
		if !bytes.Contains(all.Bytes(), []byte(want)) {
			t.Errorf("300 instances never hold %s", want)
		}
	}
}
