package contract

import (
	"encoding/json"
	"fmt"
	"strconv"
)

// numbers are spellings of doubles that a JSON reader must take.
var numbers = []string{"0", "-0", "0.25", "1e-7", "5", "5.0", "1E+3", "-2.5e-3", "123456789.125", "1e300"}

// texts are strings in their JSON spelling: empty, plain, escaped, astral,
// markup, special tokens, and long enough to matter.
var texts = []string{
	`""`, `"a"`, `"shell::run"`, `"plain words"`, `"tab\tquote\"backslash\\solidus\/"`,
	`"\u00e9\ud83d\ude00 raw é😀"`, `"<b>&amp;</b>"`, "\"\u2028\u2029\"", `"\u0000\u001f\u007f"`,
	`"<|endoftext|>"`, `"null"`, `"中文字符"`, `"line one\nline two\r\n"`,
}

func (g *Instances) string(dst []byte) []byte {
	if g.one(20) {
		dst = append(dst, '"')
		for range g.rng.IntN(400) {
			dst = append(dst, 'x')
		}
		return append(dst, '"')
	}
	return append(dst, texts[g.rng.IntN(len(texts))]...)
}

// key appends a member's name, now and then with an escape in it.
func (g *Instances) key(dst []byte, name string) []byte {
	if name == "" || !g.one(12) {
		return strconv.AppendQuote(dst, name)
	}
	return fmt.Appendf(dst, `"\u%04x%s"`, name[0], name[1:])
}

// space appends insignificant space, now and then.
func (g *Instances) space(dst []byte) []byte {
	if g.one(15) {
		return append(dst, " \t\r\n"[:1+g.rng.IntN(4)]...)
	}
	return dst
}

// integer appends a number of the schema's format, whose ends are among the
// values. uint is as wide as uint64 here.
func (g *Instances) integer(dst []byte, s object) []byte {
	switch g.rng.IntN(10) {
	case 0:
		return append(dst, "5.0"...)
	case 1:
		return append(dst, "5e3"...)
	case 2:
		return append(dst, "1.25E+2"...)
	case 3:
		return append(dst, '0')
	case 4:
		if s["format"] == "int64" {
			return append(dst, "9223372036854775807"...)
		}
		return append(dst, "18446744073709551615"...)
	case 5:
		if _, bounded := s["minimum"]; !bounded {
			return append(dst, "-9223372036854775808"...)
		}
	case 6:
		return append(dst, "-0"...)
	case 7:
		return append(dst, "4200e-2"...)
	}
	return strconv.AppendInt(dst, g.rng.Int64N(1_000_000), 10)
}

// opaque are values for members of which the contract says nothing: keys twice,
// numbers beyond 64 bits, deep nesting.
var opaque = []string{
	`null`, `true`, `{}`, `[]`, `{"arg":"value"}`, `{"a":1,"a":2}`, `{"status":"denied","reason":"no"}`,
	`123456789012345678901234567890`, `-1.5e400`, `[[[[[[[[{"deep":[0]}]]]]]]]]`, `{"":{"\u0061":[1,"x",null,false]}}`,
}

func (g *Instances) any(dst []byte) []byte {
	if g.one(3) {
		return g.string(dst)
	}
	return append(dst, opaque[g.rng.IntN(len(opaque))]...)
}

// value appends a value that stands in the schema.
func (g *Instances) value(dst []byte, v any) []byte {
	text, err := json.Marshal(v)
	if err != nil { // it was parsed from JSON
		return append(dst, "null"...)
	}
	return append(dst, text...)
}
