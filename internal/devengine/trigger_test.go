package devengine_test

import (
	"strings"
	"testing"

	"context-manager/internal/devengine"
)

// provide registers a trigger type.
func (c *client) provide(id string) {
	c.send(`{"type":"registertriggertype","id":"` + id + `","description":"d"}`)
	c.settle()
}

// bind registers a binding; more are further members of the frame.
func (c *client) bind(id, trigger, more string) {
	c.send(`{"type":"registertrigger","id":"` + id + `","trigger_type":"` + trigger + `","function_id":"f","config":{}` + more + `}`)
	c.settle()
}

const told = `{"type":"registertrigger","id":"b","trigger_type":"t","function_id":"f","config":{}`

func TestBindingsFindTheirProvider(t *testing.T) {
	t.Parallel()
	e := start(t, devengine.Options{})
	def, home, c := connect(t, e, "def"), connect(t, e, "home", "ns"), connect(t, e, "c", "ns")
	def.provide("t")
	// Nobody at home provides it, so "default" does; the target's namespace
	// is "default" whatever the registrant's.
	c.bind("b", "t", "")
	def.want(told + `}`)
	// A provider at home takes it over.
	home.provide("t")
	def.want(`{"type":"unregistertrigger","id":"b","trigger_type":"t"}`)
	home.want(told + `,"trigger_namespace":"ns"}`)
	// When it leaves the binding falls back.
	e.Disconnect("home")
	def.want(told + `}`)
	// A type's namespace can be named, and is then the only one.
	c.bind("b", "t", `,"trigger_namespace":"ns","namespace":"target"`)
	def.want(`{"type":"unregistertrigger","id":"b","trigger_type":"t"}`)
	c.call("engine::registered-triggers::list", `{}`, `{"registered_triggers":[]}`)
	def.send(`{"type":"registertriggertype","id":"t","description":"d","namespace":"ns"}`)
	def.want(told + `,"namespace":"target","trigger_namespace":"ns"}`)
	// The same id from anybody replaces it; its provider is told anew.
	def.bind("b", "t", "")
	def.want(`{"type":"unregistertrigger","id":"b","trigger_type":"t"}`)
	def.want(told + `}`)
	def.bind("b", "t", `,"metadata":{"m":1}`)
	def.want(told + `,"metadata":{"m":1}}`)
	e.Disconnect("c")
	def.none()
}

func TestLastProviderWins(t *testing.T) {
	t.Parallel()
	e := start(t, devengine.Options{})
	p, q, c := connect(t, e, "p"), connect(t, e, "q"), connect(t, e, "c")
	p.provide("t")
	c.bind("b", "t", "")
	p.want(told + `}`)
	q.provide("t")
	q.want(told + `}`)
	// Only the present provider's word counts.
	p.send(`{"type":"triggerregistrationresult","id":"b","trigger_type":"t","function_id":"f","error":{"code":"x","message":"old"}}`)
	p.none()
	c.none()
	q.send(`{"type":"triggerregistrationresult","id":"b","trigger_type":"t","function_id":"f","error":{"code":"x","message":"new"}}`)
	c.want(`{"type":"triggerregistrationresult","id":"b","trigger_type":"t","function_id":"f","error":{"code":"x","message":"new"}}`)
	// Refused, it is parked, and handed to the next one that provides it.
	p.provide("t")
	p.want(told + `}`)
}

func TestBlankNamespaces(t *testing.T) {
	t.Parallel()
	e := start(t, devengine.Options{})
	c := connect(t, e, "c")
	for _, field := range []string{"namespace", "trigger_namespace"} {
		c.send(`{"type":"registertrigger","id":"b","trigger_type":"t","function_id":"f","config":{},"` + field + `":" "}`)
		c.want(`{"type":"triggerregistrationresult","id":"b","trigger_type":"t","function_id":"f","error":{"code":"INVALID_NAMESPACE","message":"` +
			"`" + field + "` is empty: it was named and left blank. Give it a name, or omit it to use `default`." + `"}}`)
	}
	c.send(`{"type":"registertriggertype","id":"t","description":"d","namespace":""}`)
	c.none()
	c.fail("engine::triggers::info", `{"id":"t"}`, "NOT_FOUND")
	c.fail("engine::register_trigger", `{"trigger_type":"t","function_id":"f","trigger_namespace":""}`, "INVALID_NAMESPACE")
}

func TestFunctionFormOfBindings(t *testing.T) {
	t.Parallel()
	e := start(t, devengine.Options{})
	p, c := connect(t, e, "p"), connect(t, e, "c")
	// An unknown type parks it and answers at once.
	c.call("engine::register_trigger", `{"trigger_type":"t","function_id":"f","config":{"k":1}}`, `{"id":"$uuid(parked)"}`)
	e.Disconnect("c")
	p.provide("t")
	p.want(`{"type":"registertrigger","id":"$uuid","trigger_type":"t","function_id":"f","config":{"k":1}}`)
	// A provider that leaves instead of answering ends the wait.
	d := connect(t, e, "d")
	id := d.ask("engine::register_trigger", `{"trigger_type":"t","function_id":"f"}`)
	p.want(`{"type":"registertrigger","id":"$uuid","trigger_type":"t","function_id":"f","config":null}`)
	e.Disconnect("p")
	d.answer(id, `{"id":"$uuid"}`)
	// Silence counts as consent in the end.
	p = connect(t, e, "p")
	p.provide("slow")
	id = d.ask("engine::register_trigger", `{"trigger_type":"slow","function_id":"f"}`)
	p.want(`{"type":"registertrigger","id":"$uuid","trigger_type":"slow","$more":true}`)
	d.none()
	e.HurryTimers()
	d.answer(id, `{"id":"$uuid"}`)
	// Types of the engine answer at once too.
	if got := d.fail("engine::register_trigger", `{"trigger_type":"configuration","function_id":"f"}`, "trigger_registration_failed"); !strings.HasPrefix(got, "Failed to parse configuration trigger config: ") {
		t.Errorf("got %q", got)
	}
	d.call("engine::register_trigger", `{"trigger_type":"configuration","function_id":"f","config":{}}`, `{"id":"$uuid(made)"}`)
	d.call("engine::registered-triggers::info", `{"id":"`+d.vars["made"].(string)+`"}`,
		`{"id":"$uuid","trigger_type":"configuration","function_id":"f","worker_name":"f","config":{},"function":null,"trigger":{"id":"configuration","instance_count":1,"$more":true}}`)
	d.call("engine::unregister_trigger", `{"id":"`+d.vars["made"].(string)+`"}`, `{"removed":true}`)
	d.fail("engine::registered-triggers::info", `{"id":"`+d.vars["made"].(string)+`"}`, "NOT_FOUND")
	d.fail("engine::register_trigger", `{"function_id":"f"}`, "deserialization_error")
	d.fail("engine::unregister_trigger", `{}`, "deserialization_error")
}

func TestFunctionsAvailable(t *testing.T) {
	t.Parallel()
	e := start(t, devengine.Options{})
	c := connect(t, e, "c")
	c.send(`{"type":"registerfunction","id":"f","metadata":{"internal":true}}`)
	c.bind("b", "engine::functions-available", `,"metadata":{"m":1}`)
	e.AnnounceFunctions()
	c.want(`{"type":"invokefunction","invocation_id":"$uuid","function_id":"f","metadata":{"m":1},"data":{"event":"functions_changed",` +
		`"functions":{"$has":[{"function_id":"f","namespace":"default","worker_name":"c","metadata":{"internal":true}}]}}}`)
	e.AnnounceFunctions() // nothing changed
	c.none()
	c.send(`{"type":"unregisterfunction","id":"other"}`)
	c.send(`{"type":"registerfunction","id":"g"}`)
	c.settle()
	e.AnnounceFunctions()
	c.want(`{"type":"invokefunction","function_id":"f","data":{"event":"functions_changed","functions":{"$has":[{"function_id":"g","$more":true}]}},"$more":true}`)
	// Whoever takes the type over fires it himself.
	c.provide("engine::functions-available")
	c.want(`{"type":"registertrigger","id":"b","$more":true}`)
	c.send(`{"type":"registerfunction","id":"h"}`)
	c.settle()
	e.AnnounceFunctions()
	c.none()
}

func TestIntrospection(t *testing.T) {
	t.Parallel()
	e := start(t, devengine.Options{})
	a, b := connect(t, e, "a"), connect(t, e, "b", "ns")
	a.send(`{"type":"registerfunction","id":"tool::alpha","description":"beta"}`)
	a.send(`{"type":"registerfunction","id":"Alphabet::x"}`)
	a.send(`{"type":"registerfunction","id":"my_alpha"}`)
	a.send(`{"type":"registerfunction","id":"z::z","description":"about ALPHA"}`)
	a.settle()
	b.send(`{"type":"registerfunction","id":"only::b"}`)
	b.send(`{"type":"registerfunction","id":"tool::alpha"}`)
	b.settle()
	row := func(id string) string { return `{"function_id":"` + id + `","$more":true}` }
	a.call("engine::functions::list", `{"search":"alpha","worker":"a"}`,
		`{"functions":[`+row("Alphabet::x")+`,`+row("tool::alpha")+`,`+row("my_alpha")+`,`+row("z::z")+`]}`)
	a.call("engine::functions::list", `{"workers":["b","none"]}`, `{"functions":[`+row("only::b")+`,`+row("tool::alpha")+`]}`)
	a.call("engine::functions::list", `{"prefix":"engine::"}`, `{"functions":[]}`)
	a.call("engine::functions::info", `{"function_id":"tool::alpha"}`, `{"namespace":"default","$more":true}`)
	a.call("engine::functions::info", `{"function_id":"tool::alpha","namespace":"ns"}`, `{"namespace":"ns","worker_name":"b","$more":true}`)
	a.call("engine::functions::info", `{"function_id":"only::b"}`, `{"namespace":"ns","$more":true}`)
	if got, want := a.fail("engine::functions::info", `{"function_id":"only::b","namespace":"default"}`, "NOT_FOUND"),
		"Function 'only::b' is ambiguous: it is registered in namespace(s): ns. Pass `namespace` to select one."; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	many := `"x` + strings.Join(strings.Split("0123456789abcdefghijklmnopqrstuvw", ""), `","x`) + `"`
	for data, want := range map[string]string{
		`{"function_id":"a","function_ids":["b"]}`: "pass either `function_id` or `function_ids`, not both",
		`{"function_ids":[]}`:                      "`function_ids` must be a non-empty array of function ids",
		`{"function_ids":[` + many + `]}`:          "too many function_ids (max 32)",
	} {
		if got := a.fail("engine::functions::info", data, "INVALID_ARGUMENTS"); got != want {
			t.Errorf("%s: got %q, want %q", data, got, want)
		}
	}
	a.fail("engine::functions::info", `{"function_ids":[1]}`, "deserialization_error")

	b.provide("ns-type")
	b.bind("long", "ns-type", `,"config2":0`)
	a.call("engine::triggers::list", `{"worker":"b"}`, `{"triggers":[{"id":"ns-type","namespace":"ns","worker_name":"b","description":"d"}]}`)
	a.call("engine::triggers::list", `{"include_internal":true,"prefix":"engine::f"}`, `{"triggers":[{"id":"engine::functions-available","$more":true}]}`)
	a.call("engine::triggers::info", `{"id":"ns-type","namespace":"ns"}`, `{"instance_count":1,"$more":true}`)
	a.send(`{"type":"registertrigger","id":"cut","trigger_type":"configuration","function_id":"f","config":{"configuration_id":"` + strings.Repeat("é", 80) + `"}}`)
	a.call("engine::registered-triggers::list", `{"worker":"a"}`,
		`{"registered_triggers":[{"config_summary":"{\"configuration_id\":\"`+strings.Repeat("é", 59)+`…","$more":true}]}`)
	a.call("engine::workers::list", `{"runtime":"engine"}`, `{"workers":[{"name":"configuration","status":"available","function_count":5,"$more":true},{"name":"iii-engine-functions","$more":true},{"name":"iii-observability","$more":true},{"name":"iii-worker-manager","$more":true}]}`)
	a.call("engine::workers::list", `{"status":"connected","search":"A"}`, `{"workers":[{"name":"a","function_count":4,"$more":true}]}`)
	a.call("engine::workers::info", `{"name":"configuration"}`, `{"worker":{"internal":true,"$more":true},"functions":["$object","$object","$object","$object","$object"],"trigger_types":["$object"],"registered_triggers":[]}`)
	a.call("engine::workers::info", `{"name":"b"}`, `{"functions":["$object","$object"],"trigger_types":["$object"],"registered_triggers":["$object"],"$more":true}`)
}
