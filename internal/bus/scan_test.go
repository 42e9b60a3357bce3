package bus_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"

	"context-manager/internal/bus"
)

// reference returns the members of a frame by encoding/json; ok is false when it
// is not one object or has a key twice.
func reference(frame []byte) (members map[string]string, ok bool) {
	if !json.Valid(frame) {
		return nil, false
	}
	d := json.NewDecoder(bytes.NewReader(frame))
	if open, err := d.Token(); err != nil || open != json.Delim('{') {
		return nil, false
	}
	members = map[string]string{}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return nil, false
		}
		var value json.RawMessage
		if d.Decode(&value) != nil {
			return nil, false
		}
		if _, twice := members[key.(string)]; twice {
			return nil, false
		}
		members[key.(string)] = string(value)
	}
	return members, true
}

var scanSeeds = []string{
	`{}`, ` { } `, `{"a":1}`, `{"a":1,"b":[1,{"c":"}"}],"d":"x\"y\\"}`, "\t{\n\"a\"\r:\n-1.5e+3 ,\"b\":null}\n", `{"\u0061":1,"b":"\u0022"}`,
	`{"a":1,"a":2}`, `{"a":1,"\u0061":2}`, `{"a":1,}`, `{,"a":1}`, `{"a" 1}`, `{"a":}`, `{"a":1 "b":2}`, `{"a":1}}`, `{"a":[}`, `{"a":[1}`, `{"a":"x`, `{"a`, `{`, ``, `[]`,
	`{"a":"\\\\\"","b":"\\"}`, `{"":{"":[]}}`, "{\"\xff\":1}", "{\"\xff\":1,\"\xfe\":2}", `{"é":"ü"}`, `{"a":[[[[]]]]}`, `{"a":tru}`, `{"a":1.}`, "{\"a\u0001\":1}", `{"k":{"x":"]"}}`,
	`{"type":"invokefunction","data":{"messages":[{"role":"user","content":[{"type":"text","text":"a \"quoted\" \\ text"}]}]},"function_id":"a::b","invocation_id":"1"}`,
}

func TestScannerAgreesWithTheStandardDecoder(t *testing.T) {
	t.Parallel()
	seeds := scanSeeds
	many := []string{}
	for i := range 100 {
		many = append(many, fmt.Sprintf(`"k%d":[%d]`, i, i))
	}
	seeds = append(seeds, "{"+strings.Join(many, ",")+"}", "{"+strings.Join(many, ",")+`,"k99":1}`, "{"+strings.Join(many, ",")+`,"k3":1}`)
	accepted := 0
	for _, seed := range seeds {
		if checkScan(t, []byte(seed)) {
			accepted++
		}
	}
	if accepted < 10 {
		t.Errorf("got %d seeds accepted, want at least 10", accepted)
	}
}

// checkScan compares and reports whether the reference accepts the frame. Of what
// it does not accept, duplicate keys must be refused by the scanner too; other
// mistakes may pass, but never for a member that the frame does not contain.
func checkScan(t *testing.T, frame []byte) bool {
	t.Helper()
	got, err := bus.Members(frame)
	want, ok := reference(frame)
	switch {
	case ok && err != nil:
		t.Errorf("got %v for %q, want members", err, frame)
	case ok && fmt.Sprint(got) != fmt.Sprint(want):
		t.Errorf("got members %q of %q, want %q", got, frame, want)
	case !ok && err == nil && json.Valid(frame):
		t.Errorf("got members %q of %q, want it refused", got, frame)
	}
	for _, value := range got {
		if !bytes.Contains(frame, []byte(value)) {
			t.Errorf("got value %q which is not in %q", value, frame)
		}
	}
	return ok
}

func FuzzScan(f *testing.F) {
	for _, seed := range scanSeeds {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, frame []byte) {
		checkScan(t, frame)
		kind, data, err := bus.Decoded(frame)
		if members, ok := reference(frame); ok && err == nil {
			if want := members["type"]; string(mustJSON(t, kind)) != string(normal(t, want)) {
				t.Errorf("got type %q of %q, want %s", kind, frame, want)
			}
			if string(data) != members["data"] {
				t.Errorf("got data %q of %q, want %q", data, frame, members["data"])
			}
		}
	})
}

func normal(t *testing.T, raw string) []byte {
	t.Helper()
	var s string
	if err := json.Unmarshal([]byte(raw), &s); err != nil {
		t.Errorf("got a decoded type from %s", raw)
	}
	return mustJSON(t, s)
}

func mustJSON(t *testing.T, v any) []byte {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func FuzzQuoted(f *testing.F) {
	for _, seed := range []string{"", "a\"\\\n\t\x00\x1f", "é😀", "\xff\xc3", "\u2028<&>", string([]rune{0xFFFD, 0x10FFFF})} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		var back string
		quoted := bus.Quoted(s)
		if err := json.Unmarshal([]byte(quoted), &back); err != nil || !utf8.ValidString(quoted) {
			t.Fatalf("got %s for %q, which is not JSON in UTF-8: %v", quoted, s, err)
		}
		if want := strings.ToValidUTF8(s, "\uFFFD"); utf8.ValidString(s) && back != want {
			t.Errorf("got %q back, want %q", back, want)
		}
	})
}

// The scan of a frame must not depend on what nests in data: it is iterative, and
// a run of backslashes or quotes costs linear time.
func TestScanningHostileFramesIsLinear(t *testing.T) {
	t.Parallel()
	for name, data := range map[string]string{
		"deep nesting":      nested(5_000_000),
		"many backslashes":  `"` + strings.Repeat(`\\`, 5_000_000) + `"`,
		"many quotes":       `"` + strings.Repeat(`\"`, 5_000_000) + `"`,
		"backslash pyramid": `"` + strings.Repeat(`\\\\\\\\\\\\\\\\\"`, 500_000) + `"`,
		"many keys":         `1,` + manyKeys(200_000),
	} {
		frame := []byte(`{"type":"invokefunction","data":` + data + `}`)
		kind, _, err := bus.Decoded(frame)
		if kind != "invokefunction" || err != nil {
			t.Errorf("%s: got %q, %v, want the frame decoded", name, kind, err)
		}
	}
}

func manyKeys(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `"k%d":%d,`, i, i)
	}
	return b.String() + `"last":1`
}

func TestScanningAllocatesNothingForTheData(t *testing.T) {
	for _, size := range []int{100, 1_000_000} {
		frame := []byte(`{"data":{"text":"` + strings.Repeat(`a\nb`, size) + `"},"function_id":"a::f","invocation_id":"1","type":"invokefunction"}`)
		allocs := testing.AllocsPerRun(5, func() {
			if _, _, err := bus.Decoded(frame); err != nil {
				t.Fatal(err)
			}
		})
		if allocs > 1 {
			t.Errorf("%d: got %v allocations, want at most 1", size, allocs)
		}
	}
}

// Memory that grew elsewhere may be anything up to the next size class, which is
// four times as large.
func TestASmallMessageNeverHoldsABigBuffer(t *testing.T) {
	for _, tt := range []struct{ size, most int }{{1 << 20, 16 << 20}, {100, 16 << 10}, {40 << 20, 128 << 20}, {5000, 64 << 10}, {100, 16 << 10}} {
		text, memory, err := bus.ReadPooled(strings.NewReader(strings.Repeat("x", tt.size)), 64<<20)
		if err != nil || len(text) != tt.size || memory > tt.most {
			t.Errorf("got %d bytes in %d, %v, want %d in at most %d", len(text), memory, err, tt.size, tt.most)
		}
	}
}

func TestReadingKeepsToTheLimit(t *testing.T) {
	t.Parallel()
	for size, fits := range map[int]bool{0: true, 9999: true, 10_000: true, 10_001: false, 1_000_000: false} {
		for name, r := range map[string]*strings.Reader{"whole": strings.NewReader(strings.Repeat("x", size)), "bytewise": strings.NewReader(strings.Repeat("y", size))} {
			var err error
			var text string
			if name == "whole" {
				text, _, err = bus.ReadPooled(r, 10_000)
			} else {
				text, _, err = bus.ReadPooled(iotest.OneByteReader(r), 10_000)
			}
			if (err == nil) != fits || fits && len(text) != size {
				t.Errorf("%s: got %d of %d bytes, %v, want fits %t", name, len(text), size, err, fits)
			}
		}
	}
}
