package devengine_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"context-manager/internal/devengine"
)

// FuzzFrame holds the decoder against encoding/json: the same texts are valid,
// apart from the limits the engine adds, and what it writes is what a slow
// encoder with the same rules writes.
func FuzzFrame(f *testing.F) {
	for _, seed := range []string{
		`{"type":"invokefunction","invocation_id":"11111111-2222-4333-8444-555555555555","function_id":"f","data":{"b":[1,2.50,-0,1e3],"a":{"z":null,"y":true}}}`,
		`{"type":"invocationresult","invocation_id":"11111111222243338444555555555555","function_id":"f","result":[18446744073709551616,0.000001,1e400]}`,
		`{"type":"ping","type":"ping"}`, `{"a":"\ud83d\ude00\ud83d","\u0061":"\n\/\u001f` + "\x7f\u2028é" + `"}`,
		`{"data":{"_caller_worker_id":1,"\u005fcaller_worker_id":2},"type":"invokefunction","function_id":"\u0066"}`,
		"[\"\xff\"]", strings.Repeat("[", 129) + strings.Repeat("]", 129), ` {"B" : 1 , "A":[ ] } `,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		got, err := devengine.Canonical(text)
		want, ok := slowCanonical(text)
		if (err == nil) != ok {
			t.Fatalf("got error %v, want the text valid: %v", err, ok)
		}
		if !ok {
			if _, err := devengine.Relay(text, "W"); err == nil {
				t.Fatal("a frame was decoded from an invalid text")
			}
			return
		}
		if !bytes.Equal(got, want) {
			t.Fatalf("got %s, want %s", got, want)
		}
		if again, err := devengine.Canonical(got); err != nil || !bytes.Equal(again, got) {
			t.Fatalf("canonical text changed: got %s (%v), want %s", again, err, got)
		}
		call, err := devengine.Relay(text, "W")
		if err != nil || call == nil {
			return
		}
		checkRelay(t, text, call)
	})
}

// checkRelay compares a relayed call with the one that was sent.
func checkRelay(t *testing.T, sent, seen []byte) {
	t.Helper()
	var in, out map[string]any
	for _, p := range []struct {
		text []byte
		into *map[string]any
	}{{sent, &in}, {seen, &out}} {
		d := json.NewDecoder(bytes.NewReader(p.text))
		d.UseNumber()
		if err := d.Decode(p.into); err != nil {
			t.Fatalf("decoding %s: %v", p.text, err)
		}
	}
	if m, ok := in["data"].(map[string]any); ok {
		m["_caller_worker_id"] = "W"
	}
	if got, want := slowEncode(nil, out["data"]), slowEncode(nil, in["data"]); !bytes.Equal(got, want) {
		t.Fatalf("data: got %s, want %s", got, want)
	}
	if out["function_id"] != in["function_id"] {
		t.Fatalf("function_id: got %v, want %v", out["function_id"], in["function_id"])
	}
}

// slowCanonical is the engine's canonical form by way of encoding/json; ok is
// false where the engine must refuse.
func slowCanonical(text []byte) (out []byte, ok bool) {
	if !utf8.Valid(text) || !json.Valid(text) || depth(text) > devengine.MaxDepth || loneSurrogate(string(text)) {
		return nil, false
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, false
	}
	// A number too large counts even where a later key hides it.
	for t := json.NewDecoder(bytes.NewReader(text)); ; {
		t.UseNumber()
		token, err := t.Token()
		if err != nil {
			break
		}
		if n, isNumber := token.(json.Number); isNumber {
			if _, err := strconv.ParseFloat(n.String(), 64); err != nil {
				return nil, false
			}
		}
	}
	return slowEncode(nil, v), true
}

// depth is the deepest nesting of a valid text.
func depth(text []byte) (deepest int) {
	open, quoted := 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '[' || c == '{':
			open++
			deepest = max(deepest, open)
		case c == ']' || c == '}':
			open--
		}
	}
	return deepest
}

// loneSurrogate looks for half a pair among the escapes of a valid text.
func loneSurrogate(text string) bool {
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' {
			continue
		}
		if text[i+1] != 'u' {
			i++
			continue
		}
		n, _ := strconv.ParseUint(text[i+2:i+6], 16, 32)
		i += 5
		if !utf16.IsSurrogate(rune(n)) {
			continue
		}
		if n >= 0xdc00 || !strings.HasPrefix(text[i+1:], `\u`) {
			return true
		}
		second, _ := strconv.ParseUint(text[i+3:i+7], 16, 32)
		if second < 0xdc00 || second > 0xdfff {
			return true
		}
		i += 6
	}
	return false
}

func slowEncode(dst []byte, v any) []byte {
	switch v := v.(type) {
	case map[string]any:
		dst = append(dst, '{')
		for i, k := range slices.Sorted(maps.Keys(v)) {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(slowString(dst, k), ':')
			dst = slowEncode(dst, v[k])
		}
		return append(dst, '}')
	case []any:
		dst = append(dst, '[')
		for i, x := range v {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = slowEncode(dst, x)
		}
		return append(dst, ']')
	case string:
		return slowString(dst, v)
	case json.Number:
		return append(dst, slowNumber(v.String())...)
	default:
		b, _ := json.Marshal(v)
		return append(dst, b...)
	}
}

func slowString(dst []byte, text string) []byte {
	escapes := map[rune]string{'"': `\"`, '\\': `\\`, '\b': `\b`, '\f': `\f`, '\n': `\n`, '\r': `\r`, '\t': `\t`}
	dst = append(dst, '"')
	for _, r := range text {
		switch e, ok := escapes[r]; {
		case ok:
			dst = append(dst, e...)
		case r < 0x20:
			dst = append(dst, `\u00`+strconv.FormatInt(int64(r)+0x100, 16)[1:]...)
		default:
			dst = append(dst, string(r)...)
		}
	}
	return append(dst, '"')
}

// slowNumber lays out the shortest digits of a float by the place of its point.
func slowNumber(text string) string {
	if !strings.ContainsAny(text, ".eE") && text != "-0" {
		if _, err := strconv.ParseUint(text, 10, 64); err == nil {
			return text
		}
		if _, err := strconv.ParseInt(text, 10, 64); err == nil {
			return text
		}
	}
	f, _ := strconv.ParseFloat(text, 64)
	sign := ""
	if strings.HasPrefix(strconv.FormatFloat(f, 'g', -1, 64), "-") {
		sign, f = "-", -f
	}
	if f == 0 {
		return sign + "0.0"
	}
	mantissa, exponent, _ := strings.Cut(strconv.FormatFloat(f, 'e', -1, 64), "e")
	digits := strings.Replace(mantissa, ".", "", 1)
	n, _ := strconv.Atoi(exponent)
	point := n + 1 // digits before the point
	switch {
	case point > 0 && point <= 16 && len(digits) <= point:
		return sign + digits + strings.Repeat("0", point-len(digits)) + ".0"
	case point > 0 && point <= 16:
		return sign + digits[:point] + "." + digits[point:]
	case point > -5 && point <= 0:
		return sign + "0." + strings.Repeat("0", -point) + digits
	case len(digits) == 1:
		return sign + digits + "e" + strconv.Itoa(n)
	default:
		return sign + digits[:1] + "." + digits[1:] + "e" + strconv.Itoa(n)
	}
}
