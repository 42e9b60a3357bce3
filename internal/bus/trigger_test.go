package bus_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"context-manager/internal/bus"
)

func TestARefusedTriggerIsReported(t *testing.T) {
	t.Parallel()
	p := newPeer(t)
	reasons := make(chan error, 1)
	p.start(bus.Options{}, func(c *bus.Client) {
		c.RegisterTrigger(bus.Trigger{ID: "t1", Type: "x", FunctionID: "a::on", OnRejected: func(err error) { reasons <- err }})
		c.RegisterTrigger(bus.Trigger{ID: "t2", Type: "x", FunctionID: "a::on"})
	})
	c := p.accept().announced()
	c.send(`{"type":"triggerregistrationresult","id":"t2","trigger_type":"x","function_id":"a::on","error":{"code":"c","message":"m"}}`)
	c.send(`{"type":"triggerregistrationresult","id":"t1","trigger_type":"x","function_id":"a::on"}`)
	c.send(`{"type":"triggerregistrationresult","id":"t1","trigger_type":"x","function_id":"a::on","error":{"code":"c","message":"bad config"}}`)
	var remote *bus.RemoteError
	if err := receive(t, reasons); !errors.As(err, &remote) || remote.Code != "c" || remote.Message != "bad config" {
		t.Errorf("got %v, want the provider's error", err)
	}
}

func TestAProvidedTriggerTypeTakesAnswersAndLosesBindings(t *testing.T) {
	t.Parallel()
	p := newPeer(t)
	events := make(chan string, 100)
	p.start(bus.Options{}, func(c *bus.Client) {
		c.RegisterTriggerType(bus.TriggerType{
			ID: "a::ev",
			OnBind: func(b bus.Binding) error {
				events <- fmt.Sprintf("bind %s %s %s %s %s", b.ID, b.FunctionID, b.Config, b.Metadata, b.Namespace)
				switch string(b.Config) {
				case `"refuse"`:
					return errors.New("no")
				case `"code"`:
					return codedError{"app/x", "app/x: no"}
				case `"panic"`:
					panic("x")
				}
				return nil
			},
			OnUnbind: func(id string) { events <- "unbind " + id },
		})
		c.RegisterTriggerType(bus.TriggerType{ID: "a::open"})
	})
	c := p.accept().announced()
	for _, tt := range []struct{ id, kind, config, code string }{
		{"b1", "a::ev", `{"k":1}`, ""},
		{"b2", "a::ev", `"refuse"`, "trigger_registration_failed"},
		{"b3", "a::ev", `"code"`, "app/x"},
		{"b4", "a::ev", `"panic"`, "context/internal"},
		{"b5", "a::none", `1`, "trigger_type_not_found"},
		{"b6", "a::open", `1`, ""},
	} {
		c.send(`{"type":"registertrigger","id":%q,"trigger_type":%q,"function_id":"f::on","config":%s,"metadata":{"m":2},"namespace":"ns"}`, tt.id, tt.kind, tt.config)
		f := c.expect("triggerregistrationresult")
		code := ""
		if f["error"] != nil {
			code = decode(t, f["error"])["code"].(string)
		}
		if f.str("id") != tt.id || f.str("trigger_type") != tt.kind || f.str("function_id") != "f::on" || code != tt.code {
			t.Errorf("got %v with code %q, want an answer for %s with code %q", f, code, tt.id, tt.code)
		}
	}
	c.send(`{"type":"registertrigger","id":"b7","trigger_type":"a::ev","function_id":"f::on","config":null}`)
	c.send(`{"type":"unregistertrigger","id":"b7","trigger_type":"a::ev"}`)
	c.send(`{"type":"unregistertrigger","id":"b2","trigger_type":"a::ev"}`) // was refused, so is not bound
	c.expect("triggerregistrationresult")
	c.ws.CloseNow()
	for _, want := range []string{
		`bind b1 f::on {"k":1} {"m":2} ns`, `bind b2 f::on "refuse" {"m":2} ns`, `bind b3 f::on "code" {"m":2} ns`, `bind b4 f::on "panic" {"m":2} ns`,
		`bind b7 f::on   `, "unbind b7", "unbind b1",
	} {
		if got := receive(t, events); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	second := p.accept().announced()
	second.send(`{"type":"registertrigger","id":"b1","trigger_type":"a::ev","function_id":"f::on","config":{}}`)
	second.expect("triggerregistrationresult")
	if got := receive(t, events); got != "bind b1 f::on {}  " {
		t.Errorf("got %q on the next connection, want the binding again", got)
	}
}

// A trigger fires by a void call with what the binding asked for.
func TestFiring(t *testing.T) {
	t.Parallel()
	p := newPeer(t)
	bound := make(chan bus.Binding, 1)
	r := p.start(bus.Options{}, func(c *bus.Client) {
		c.RegisterTriggerType(bus.TriggerType{ID: "a::ev", OnBind: func(b bus.Binding) error { bound <- b; return nil }})
	})
	c := p.accept().announced()
	c.send(`{"type":"registertrigger","id":"b","trigger_type":"a::ev","function_id":"f::on","config":{},"metadata":{"m":2},"namespace":"ns"}`)
	b := receive(t, bound)
	if err := r.Void(context.Background(), bus.Request{FunctionID: b.FunctionID, Namespace: b.Namespace, Metadata: b.Metadata, Data: []byte(`{"e":1}`)}); err != nil {
		t.Fatal(err)
	}
	if f := c.expect("invokefunction"); f.str("namespace") != "ns" || string(f["metadata"]) != `{"m":2}` || string(f["data"]) != `{"e":1}` {
		t.Errorf("got %v, want namespace and metadata of the binding", f)
	}
}
