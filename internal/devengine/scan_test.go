package devengine_test

import (
	"errors"
	"strings"
	"testing"

	"context-manager/internal/devengine"
)

func TestCanonical(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, in, want string }{
		{"white space goes", " { \"a\" : [ 1 , 2 ] }\n", `{"a":[1,2]}`},
		{"keys are sorted at every level", `{"b":{"d":1,"c":2},"a":[{"z":1,"y":2}]}`, `{"a":[{"y":2,"z":1}],"b":{"c":2,"d":1}}`},
		{"capitals sort before the underscore, small letters after", `{"a":1,"_":2,"A":3}`, `{"A":3,"_":2,"a":1}`},
		{"of equal keys the last stays", `{"a":1,"b":2,"a":3}`, `{"a":3,"b":2}`},
		{"equal keys in sorted order too", `{"a":1,"a":2}`, `{"a":2}`},
		{"keys are equal when they spell the same", `{"\u0061":1,"a":2}`, `{"a":2}`},
		{"an escaped key sorts by what it spells", `{"b":1,"\n":2,"!":3}`, `{"\n":2,"!":3,"b":1}`},
		{"empty containers stay", `{"a":{},"b":[]}`, `{"a":{},"b":[]}`},
		{"escapes that need not be go", `"\u00e9\ud83d\ude00\/\u0041"`, `"é😀/A"`},
		{"escapes that must be stay", `"\"\\\b\f\n\r\t\u0000\u001f"`, `"\"\\\b\f\n\r\t\u0000\u001f"`},
		{"controls get their short escape", `"\u000a\u0022\u005c"`, `"\n\"\\"`},
		{"delete and line separators are plain", "\"\\u007f\\u2028\"", "\"\x7f\u2028\""},
		{"a long text is copied", `"` + strings.Repeat("text ", 50) + `\u000d"`, `"` + strings.Repeat("text ", 50) + `\r"`},
		{"integers keep their digits", `[0,-1,18446744073709551615,-9223372036854775808]`, `[0,-1,18446744073709551615,-9223372036854775808]`},
		{"larger ones become floats", `[18446744073709551616,-9223372036854775809]`, `[1.8446744073709552e19,-9.223372036854776e18]`},
		{"minus zero is a float", `[-0,-0.0,0.0]`, `[-0.0,-0.0,0.0]`},
		{"floats stay floats", `[1.0,1e3,1E+2,120e-1]`, `[1.0,1000.0,100.0,12.0]`},
		{"exponents where floats are long", `[1e15,1e16,1e21,1.5e300]`, `[1000000000000000.0,1e16,1e21,1.5e300]`},
		{"exponents where floats are small", `[0.00001,0.000001,1.25e-7]`, `[0.00001,1e-6,1.25e-7]`},
		{"digits are the fewest that read back", `[0.1,0.30000000000000004,3.0000000000000000001]`, `[0.1,0.30000000000000004,3.0]`},
		{"too small is zero", `1e-400`, `0.0`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got, err := devengine.Canonical([]byte(c.in))
			if err != nil || string(got) != c.want {
				t.Errorf("got %s (%v), want %s", got, err, c.want)
			}
		})
	}
}

func TestCanonicalRefuses(t *testing.T) {
	t.Parallel()
	nested := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	for _, c := range []struct {
		name, in string
		want     error // nil: any
	}{
		{"nothing", "", nil},
		{"two values", "1 2", nil},
		{"a leading zero", "01", nil},
		{"a bare point", "1.", nil},
		{"a bare exponent", "1e", nil},
		{"a bare minus", "-", nil},
		{"a plus", "+1", nil},
		{"not a number", "NaN", nil},
		{"a trailing comma in a list", "[1,]", nil},
		{"a trailing comma in an object", `{"a":1,}`, nil},
		{"a missing colon", `{"a" 1}`, nil},
		{"a key without quotes", `{a:1}`, nil},
		{"an open list", "[1", nil},
		{"an open text", `"abc`, nil},
		{"an open escape", `"abc\`, nil},
		{"an unknown escape", `"\x"`, nil},
		{"a short unicode escape", `"\u12"`, nil},
		{"a control in a text", "\"a\nb\"", nil},
		{"a control far into a text", "\"0123456789\x01\"", nil},
		{"a broken word", "tru", nil},
		{"a zero byte", "\x00", nil},
		{"invalid UTF-8", "\"a\xffb\"", devengine.ErrUTF8},
		{"an encoded surrogate", "\"\xed\xa0\x80\"", devengine.ErrUTF8},
		{"invalid UTF-8 in a key", "{\"\xc3\":1}", devengine.ErrUTF8},
		{"a lone first surrogate", `"\ud83d"`, devengine.ErrSurrogate},
		{"a lone second surrogate", `"\ude00\ud83d"`, devengine.ErrSurrogate},
		{"a first surrogate before text", `"\ud83dabcdef"`, devengine.ErrSurrogate},
		{"a number beyond floats", "1e400", devengine.ErrNumber},
		{"nesting of 129", nested(129), devengine.ErrDepth},
		{"nesting of a million", nested(1_000_000), devengine.ErrDepth},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got, err := devengine.Canonical([]byte(c.in))
			if err == nil || c.want != nil && !errors.Is(err, c.want) {
				t.Errorf("got %.40s (%v), want %v", got, err, c.want)
			}
		})
	}
	if got, err := devengine.Canonical([]byte(nested(128))); err != nil || string(got) != nested(128) {
		t.Errorf("nesting of 128: got %s (%v), want it unchanged", got, err)
	}
}

// TestRelay looks at the place of the caller's id in a payload.
func TestRelay(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, data, want string }{
		{"an empty object", `{}`, `{"_caller_worker_id":"W"}`},
		{"first", `{"b":1,"a":2}`, `{"_caller_worker_id":"W","a":2,"b":1}`},
		{"in the middle", `{"a":1,"B":2}`, `{"B":2,"_caller_worker_id":"W","a":1}`},
		{"last", `{"B":1,"A":2}`, `{"A":2,"B":1,"_caller_worker_id":"W"}`},
		{"in place of a forged one", `{"a":1,"_caller_worker_id":{"x":1},"A":1}`, `{"A":1,"_caller_worker_id":"W","a":1}`},
		{"in place of a forged one in disguise", `{"\u005fcaller_worker_id":1}`, `{"_caller_worker_id":"W"}`},
		{"not inside", `{"a":{"b":1}}`, `{"_caller_worker_id":"W","a":{"b":1}}`},
		{"not in a list", `[{"b":1}]`, `[{"b":1}]`},
		{"not in a text", `"x"`, `"x"`},
		{"behind an escaped key", `{"\n":1}`, `{"\n":1,"_caller_worker_id":"W"}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			// Another object before and behind data must not disturb it.
			frame := `{"metadata":{"m":1},"type":"invokefunction","invocation_id":"11111111-2222-4333-8444-555555555555",` +
				`"function_id":"f","data":` + c.data + `,"extra":{"e":1}}`
			want := `{"type":"invokefunction","invocation_id":"11111111-2222-4333-8444-555555555555","function_id":"f","data":` +
				c.want + `,"metadata":{"m":1}}`
			got, err := devengine.Relay([]byte(frame), "W")
			if err != nil || string(got) != want {
				t.Errorf("got %s (%v), want %s", got, err, want)
			}
		})
	}
}

// TestUndecodable is frames the engine skips.
func TestUndecodable(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, frame string }{
		{"no object", `[]`},
		{"no type", `{"id":"x"}`},
		{"a type that is no string", `{"type":1}`},
		{"a repeated known key", `{"type":"registerfunction","id":"a","id":"b"}`},
		{"a repeated known key in disguise", `{"type":"registerfunction","id":"a","\u0069d":"b"}`},
		{"a repeated unknown key", `{"x":1,"type":"ping","y":2,"x":3}`},
		{"an id that is no string", `{"type":"registerfunction","id":1}`},
		{"an id that is null", `{"type":"registerfunction","id":null}`},
		{"a description that is no string", `{"type":"registerfunction","id":"f","description":1}`},
		{"a trigger type without description", `{"type":"registertriggertype","id":"t"}`},
		{"a trigger type with null for one", `{"type":"registertriggertype","id":"t","description":null}`},
		{"a trigger without config", `{"type":"registertrigger","id":"t","trigger_type":"x","function_id":"f"}`},
		{"a call without data", `{"type":"invokefunction","function_id":"f"}`},
		{"a call with a bad id", `{"type":"invokefunction","function_id":"f","data":1,"invocation_id":"x"}`},
		{"a call with an id that is a number", `{"type":"invokefunction","function_id":"f","data":1,"invocation_id":1}`},
		{"a call with an action that is a string", `{"type":"invokefunction","function_id":"f","data":1,"action":"void"}`},
		{"a call with a namespace that is a number", `{"type":"invokefunction","function_id":"f","data":1,"namespace":1}`},
		{"a result without id", `{"type":"invocationresult","function_id":"f"}`},
		{"a result with half an error", `{"type":"invocationresult","invocation_id":"11111111-2222-4333-8444-555555555555","function_id":"f","error":{"code":"x"}}`},
		{"a result with a stack that is a number", `{"type":"invocationresult","invocation_id":"11111111-2222-4333-8444-555555555555","function_id":"f","error":{"code":"x","message":"y","stacktrace":1}}`},
		{"a hosted function without url", `{"type":"registerfunction","id":"f","invocation":{}}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if _, err := devengine.Relay([]byte(c.frame), "W"); err == nil {
				t.Error("got no error, want the frame refused")
			}
		})
	}
	for _, frame := range []string{
		`{"type":"ping","x":1,"y":2}`,
		`{"type":"registertriggertype","id":"t","description":""}`,
		`{"type":"registertrigger","id":"t","trigger_type":"x","function_id":"f","config":null}`,
		`{"type":"invocationresult","invocation_id":"11111111222243338444555555555555","function_id":"f","error":null}`,
		`{"type":"registerfunction","id":"f","invocation":null,"request_format":[{"a":1,"a":2}]}`,
	} {
		if _, err := devengine.Relay([]byte(frame), "W"); err != nil {
			t.Errorf("%s: got %v, want it accepted", frame, err)
		}
	}
}
