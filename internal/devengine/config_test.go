package devengine_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"context-manager/internal/devengine"
)

const openSchema = `"name":"N","description":"D","schema":{"type":"object"}`

func TestConfigDir(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "with [odd] name", "config")
	e := start(t, devengine.Options{ConfigDir: dir})
	a := connect(t, e, "a")
	value := `{"big":18446744073709551615,"float":1.0,"list":[1,[],{}],"on":"on","tiny":1e-7,"zip":"007"}`
	a.call("configuration::register", `{"id":"c",`+openSchema+`,"metadata":{"m":[true,null]},"initial_value":`+value+`}`, `"$object"`)
	file := filepath.Join(dir, "c.yaml")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	want := `id: "c"
name: "N"
description: "D"
value:
  big: 18446744073709551615
  float: 1.0
  list:
    - 1
    - []
    - {}
  "on": "on"
  tiny: 1e-7
  zip: "007"
metadata:
  "m":
    - true
    - null
`
	if string(text) != want {
		t.Errorf("file: got\n%s\nwant\n%s", text, want)
	}
	if err := e.Restart(0); err != nil {
		t.Fatal(err)
	}
	b := connect(t, e, "b")
	id := b.ask("configuration::get", `{"id":"c"}`)
	if err := b.take("text", `{"type":"invocationresult","invocation_id":"`+id+`","function_id":"configuration::get","result":{"id":"c","value":`+value+`}}`, b.vars, patience); err != nil {
		t.Error(err)
	}
	b.call("configuration::list", `{}`, `{"configurations":[{"id":"c","name":"N","description":"D","schema":null,"metadata":{"m":[true,null]}}]}`)
	b.fail("configuration::set", `{"id":"c","value":{}}`, "SCHEMA_UNAVAILABLE")
	// A file edited while the engine is not looking counts at the next start;
	// one that is broken, or whose name is no id, is left out.
	for name, text := range map[string]string{
		"c.yaml":   "value:\n  port: ${PORT_OF_NOBODY:80}\n  deep: {a: [yes, no, 0x10]}\n",
		"bad.yaml": "value: [",
		"Bad.yaml": "value: 1",
		"c.yml":    "value: 1",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	e.Close()
	e = start(t, devengine.Options{ConfigDir: dir})
	c := connect(t, e, "c")
	c.call("configuration::get", `{"id":"c"}`, `{"id":"c","value":{"port":80,"deep":{"a":["yes","no",16]}}}`)
	c.call("configuration::list", `{}`, `{"configurations":[{"id":"c","$more":true}]}`)
	// Where the file cannot be written nothing changes.
	c.call("configuration::register", `{"id":"c",`+openSchema+`}`, `"$object"`)
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	c.fail("configuration::set", `{"id":"c","value":{}}`, "ADAPTER_ERROR")
	c.call("configuration::get", `{"id":"c"}`, `{"id":"c","value":{"port":80,"$more":true}}`)
}

func TestExpansion(t *testing.T) {
	t.Parallel()
	env := map[string]string{"SET": "v", "NUMBER": "8080", "EMPTY": "", "YES": "true"}
	e := start(t, devengine.Options{Getenv: func(name string) (string, bool) { v, ok := env[name]; return v, ok }})
	a := connect(t, e, "a")
	a.send(`{"type":"registerfunction","id":"on"}`)
	a.send(`{"type":"registertrigger","id":"b","trigger_type":"configuration","function_id":"on","config":{}}`)
	a.settle()
	a.call("configuration::register", `{"id":"c",`+openSchema+`,"initial_value":{
		"plain":"$SET {SET}","mixed":"x-${SET}-${NUMBER}","number":"${NUMBER}","default":"${NONE:7.50}","set wins":"${SET:d}",
		"empty":"${EMPTY}","empty wins":"${EMPTY:d}","flag":"${YES}","two":"${NUMBER}${NUMBER}","${SET}":"key","version":"${NONE:__III_ENGINE_VERSION__}",
		"list":["${NUMBER}",{"deep":" ${NUMBER} "}]}}`, `"$object"`)
	a.serve("on", `null`)
	a.call("configuration::get", `{"id":"c"}`, `{"id":"c","value":{
		"plain":"$SET {SET}","mixed":"x-v-8080","number":8080,"default":7.5,"set wins":"v","empty":"","empty wins":"","flag":true,
		"two":"80808080","${SET}":"key","version":"`+devengine.Version+`","list":[8080,{"deep":8080}]}}`)
	// The schema is about what a value expands to.
	a.call("configuration::register", `{"id":"n","name":"N","description":"D","schema":{"properties":{"n":{"type":"integer"}}},"initial_value":{"n":"${NUMBER}"}}`, `"$object"`)
	a.serve("on", `null`)
	a.fail("configuration::set", `{"id":"n","value":{"n":"${SET}"}}`, "SCHEMA_INVALID")
	// What is not set cannot be checked; it stays literal in events.
	a.call("configuration::set", `{"id":"n","value":{"b":"${NONE}","n":["${OTHER}","${NONE}"]}}`, `"$object"`)
	a.want(`{"type":"invokefunction","data":{"old_value":{"n":8080},"new_value":{"b":"${NONE}","n":["${OTHER}","${NONE}"]},"$more":true},"$more":true}`)
	if got, want := a.fail("configuration::get", `{"id":"n"}`, "EXPAND_FAILED"),
		"configuration 'n' references unset environment variable(s) with no default: NONE, OTHER"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	a.call("configuration::get", `{"id":"n","raw":true}`, `{"id":"n","value":{"b":"${NONE}","$more":true}}`)
}

func TestYAMLScalar(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"1": `1`, "-1": `-1`, "+1": `1`, "0": `0`, "-0": `-0.0`, "0x1F": `31`, "-0x10": `-16`, "0o17": `15`, "0b101": `5`,
		"18446744073709551615": `18446744073709551615`, "18446744073709551616": `1.8446744073709552e19`,
		"1.50": `1.5`, ".5": `0.5`, "5.": `5.0`, "1e3": `1000.0`, "+1.0": `1.0`, ".inf": `null`, "-.INF": `null`, ".nan": `null`,
		"true": `true`, "False": `false`, "~": `null`, "NULL": `null`,
	} {
		v, ok := devengine.YAMLScalar(text)
		if got := string(compact(v)); !ok || got != want {
			t.Errorf("%q: got %s (%v), want %s", text, got, ok, want)
		}
	}
	for _, text := range []string{"007", "-01", "on", "yes", "tRUE", "1_000", "0x", "0xg", "1e", ".", "-", "+", "inf", "nan", "1e400", "1 2", "0b2", "0o8", "[1]"} {
		if v, ok := devengine.YAMLScalar(text); ok {
			t.Errorf("%q: got %v, want a string", text, v)
		}
	}
}

// FuzzEntryFile writes a value to a file and reads it back.
func FuzzEntryFile(f *testing.F) {
	for _, seed := range []string{
		`{"a":{"b":[[],[{}],[[1]]]},"":null," x":"- y: #z","true":"true","1":"1"}`, `"\u0000\u001f\n\t\"\\ é😀 ` + "\x7f\u0085\u2028\ufeff" + `"`,
		`[0,-1,1.0,1e30,1e-7,-0.0,18446744073709551615,true,false,null]`, `"multi\nline\r\n"`, `{"${A:b}":"${C}"}`, `{"a\"b":{"c: d":1},"<<":{"x":1}}`,
	} {
		f.Add("N", []byte(seed))
	}
	f.Fuzz(func(t *testing.T, name string, value []byte) {
		want, err := devengine.Canonical(value)
		if err != nil || strings.ToValidUTF8(name, "") != name {
			return
		}
		text, got, metadata, err := devengine.EntryFile(name, want, want)
		if err != nil {
			t.Fatalf("reading %s: %v", text, err)
		}
		if string(got) != string(want) {
			t.Errorf("value: got %s, want %s, from\n%s", got, want, text)
		}
		if string(want) != "null" && string(metadata) != string(want) {
			t.Errorf("metadata: got %s, want %s", metadata, want)
		}
	})
}

// FuzzEntryText reads whatever a directory may hold.
func FuzzEntryText(f *testing.F) {
	f.Add([]byte("id: c\nname: N\nvalue:\n  a: [1, 'x', \"y\"]\n  b: |\n    t\nmetadata: {m: ~}\n"))
	f.Add([]byte("value: &a [*a]\n"))
	f.Add([]byte("? a\n: b\n--- !!map {}\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		value, err := devengine.ReadEntryFile(text)
		if err != nil {
			return
		}
		if again, err := devengine.Canonical(value); err != nil || string(again) != string(value) {
			t.Errorf("got %s (%v), want canonical JSON", value, err)
		}
	})
}

func TestEntryFileOfPeople(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, text, want string }{
		{"block and flow styles", "value:\n  a:\n  - 1\n  - x: 'it''s'\n  b: {c: [d, \"e\"], f: }\n", `{"a":[1,{"x":"it's"}],"b":{"c":["d","e"],"f":null}}`},
		{"comments and block texts", "# top\nvalue: # here\n  t: |\n    one\n    two\n  u: >-\n    one\n    two # kept\n", `{"t":"one\ntwo\n","u":"one two # kept"}`},
		{"words that other YAML takes for booleans", "value: [on, yes, n, True, 010, 1e2]", `["on","yes","n",true,"010",100.0]`},
		{"no value", "name: x\n", `null`},
		{"keys that are no strings", "value: {1: a, true: b}", `{"1":"a","true":"b"}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got, err := devengine.ReadEntryFile([]byte(c.text))
			if err != nil || string(got) != c.want {
				t.Errorf("got %s (%v), want %s", got, err, c.want)
			}
		})
	}
	for _, text := range []string{"", "[1]", "value: &a {x: 1}\nother: *a", "value: !!str 1", "value: {", "a: 1\n---\nb: 2", "value: " + strings.Repeat("[", 200) + strings.Repeat("]", 200)} {
		if got, err := devengine.ReadEntryFile([]byte(text)); err == nil {
			t.Errorf("%.40q: got %s, want it refused", text, got)
		}
	}
}

func TestSchemas(t *testing.T) {
	t.Parallel()
	e := start(t, devengine.Options{})
	a := connect(t, e, "a")
	register := func(schema string) {
		a.call("configuration::register", `{"id":"c","name":"N","description":"D","schema":`+schema+`}`, `"$object"`)
	}
	register(`{"$schema":"http://json-schema.org/draft-07/schema#","definitions":{"p":{"minimum":0}},"properties":{"a":{"$ref":"#/definitions/p"},"b":{"type":"string"}},"required":["c"]}`)
	if got, want := a.fail("configuration::set", `{"id":"c","value":{"a":-1,"b":2}}`, "SCHEMA_INVALID"), "schema validation failed: "; !strings.HasPrefix(got, want) ||
		!strings.Contains(got, "/a: ") || !strings.Contains(got, "/b: ") || strings.Count(got, "; ") != 2 {
		t.Errorf("got %q, want three errors with their places", got)
	}
	for _, broken := range []string{`{"$ref":"http://127.0.0.1:1/other.json"}`, `{"$ref":"file:///etc/passwd"}`, `3`, `{"pattern":"("}`, `{"minimum":"x"}`} {
		register(broken)
		if got, want := a.fail("configuration::set", `{"id":"c","value":{}}`, "SCHEMA_INVALID"), "schema validation failed: invalid JSON Schema: "; !strings.HasPrefix(got, want) {
			t.Errorf("%s: got %q, want it to begin with %q", broken, got, want)
		}
	}
	register(`true`)
	a.call("configuration::set", `{"id":"c","value":[18446744073709551615]}`, `"$object"`)
	register(`null`)
	a.fail("configuration::set", `{"id":"c","value":1}`, "SCHEMA_UNAVAILABLE")
	for _, data := range []string{`{"id":"c"}`, `{"value":1}`, `{"id":1,"value":1}`} {
		a.fail("configuration::set", data, "deserialization_error")
	}
	a.fail("configuration::get", `{"id":"c","raw":1}`, "deserialization_error")
	a.fail("configuration::schema", `{"id":"none"}`, "NOT_FOUND")
	a.fail("configuration::set", `{"id":"`+strings.Repeat("x", 65)+`","value":1}`, "INVALID_ID")
}

func TestConfigurationConditions(t *testing.T) {
	t.Parallel()
	e := start(t, devengine.Options{})
	a, b := connect(t, e, "a"), connect(t, e, "b")
	for _, id := range []string{"if", "one", "two"} {
		a.send(`{"type":"registerfunction","id":"` + id + `"}`)
	}
	bind := func(id, function, config string) {
		a.send(`{"type":"registertrigger","id":"` + id + `","trigger_type":"configuration","function_id":"` + function + `","metadata":{"m":1},"config":` + config + `}`)
	}
	bind("1", "one", `{"condition_function_id":"if"}`)
	bind("2", "two", `{"condition_function_id":"missing"}`) // skipped
	bind("3", "two", `{"event_types":["configuration:registered","configuration:updated"]}`)
	a.settle()
	change := func() {
		b.call("configuration::register", `{"id":"c",`+openSchema+`}`, `"$object"`)
	}
	change()
	// One after another: the second is not called before the first answers.
	a.want(`{"type":"invokefunction","invocation_id":"$uuid(i)","function_id":"if","data":{"event_type":"configuration:registered","$more":true}}`)
	a.none()
	a.send(`{"type":"invocationresult","invocation_id":"${i}","function_id":"if","result":null}`)
	a.want(`{"type":"invokefunction","invocation_id":"$uuid(i)","function_id":"one","metadata":{"m":1},"data":"$object"}`)
	a.none()
	a.send(`{"type":"invocationresult","invocation_id":"${i}","function_id":"one","error":{"code":"x","message":"y"}}`)
	a.serve("two", `1`)
	a.none()
	// Exactly false skips.
	change()
	a.serve("if", `false`)
	a.serve("two", `1`)
	a.none()
	for config, want := range map[string]string{
		`[]`:                        "invalid type: sequence, expected an object",
		`{"configuration_id":1}`:    "invalid type: number `1`, expected a string",
		`{"event_types":["other"]}`: "unknown variant `other`",
		`{"event_types":"x"}`:       "invalid type: string, expected a sequence of strings",
	} {
		bind("bad", "one", config)
		a.want(`{"type":"triggerregistrationresult","id":"bad","trigger_type":"configuration","function_id":"one",` +
			`"error":{"code":"trigger_registration_failed","message":"Failed to parse configuration trigger config: ` + want + `"}}`)
	}
}

func TestEngineWithoutConfiguration(t *testing.T) {
	t.Parallel()
	e := start(t, devengine.Options{DisableConfiguration: true})
	a := connect(t, e, "a")
	if got, want := a.fail("configuration::get", `{"id":"c"}`, "function_not_found"), "Function configuration::get not found in namespace default."; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	a.send(`{"type":"registertrigger","id":"b","trigger_type":"configuration","function_id":"f","config":{}}`)
	a.none() // parked
	a.call("engine::workers::list", `{"search":"configuration"}`, `{"workers":[]}`)
}
