package agent_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"unicode/utf16"
)

// generator makes messages of every shape the contract allows, as trees, and
// prints them in every spelling JSON allows.
type generator struct {
	*rand.Rand
	spaces int // of 16 gaps between tokens, how many hold white space
}

func newGenerator(seed uint64) *generator {
	g := &generator{Rand: rand.New(rand.NewPCG(seed, 7))}
	g.spaces = []int{0, 0, 1, 12}[g.IntN(4)]
	return g
}

func (g *generator) once(n int) bool { return g.IntN(n) == 0 }

func pick[T any](g *generator, list ...T) T { return list[g.IntN(len(list))] }

// message is a valid message with its members in any order.
func (g *generator) message() object {
	o := object{{"content", g.content(0)}, {"timestamp", g.timestamp()}}
	role := pick(g, "user", "assistant", "function_result", "custom")
	o = append(o, field{"role", role})
	switch role {
	case "assistant":
		o = append(o, field{"model", g.text()}, field{"provider", g.text()},
			field{"stop_reason", pick(g, "end", "length", "function_call", "aborted", "error", "paused")})
		o = g.maybe(o, "native_stop_reason", func() any { return g.text() }, nil)
		o = g.maybe(o, "error_message", func() any { return g.text() }, nil)
		o = g.maybe(o, "error_kind", func() any { return pick(g, "transient", "permanent", "cosmic") }, nil)
		o = g.maybe(o, "warnings", func() any { return g.texts() }, nil)
		o = g.maybe(o, "usage", func() any { return g.usage() }, nil)
	case "function_result":
		o = append(o, field{"function_call_id", g.text()}, field{"function_id", g.text()})
		o = g.maybe(o, "details", g.details, nil)
		if g.once(2) {
			o = append(o, field{"is_error", g.once(2)})
		}
	case "custom":
		o = append(o, field{"custom_type", g.text()})
		o = g.maybe(o, "display", func() any { return g.text() }, nil)
		o = g.maybe(o, "details", g.details, nil)
	}
	return g.finish(o, "id", "usage_", "x", "é")
}

// maybe adds a member, the same as null, or neither.
func (g *generator) maybe(o object, key string, value func() any, null any) object {
	switch g.IntN(4) {
	case 0, 1:
		return append(o, field{key, value()})
	case 2:
		return append(o, field{key, null})
	}
	return o
}

// finish adds some unknown members and shuffles.
func (g *generator) finish(o object, unknown ...string) object {
	for _, key := range unknown {
		if g.once(6) {
			o = append(o, field{key, g.opaque(3)})
		}
	}
	g.Shuffle(len(o), func(i, j int) { o[i], o[j] = o[j], o[i] })
	return o
}

func (g *generator) content(level int) []any {
	list := []any{}
	for range pick(g, 0, 1, 1, 1, 2, 3) {
		list = append(list, g.block(level))
	}
	return list
}

func (g *generator) block(level int) object {
	kinds := []string{"text", "text", "image", "thinking", "function_call", "function_result", "hologram"}
	if level > 3 {
		kinds = kinds[:5]
	}
	kind := pick(g, kinds...)
	o := object{{"type", kind}}
	switch kind {
	case "text":
		o = append(o, field{"text", g.text()})
	case "image":
		o = append(o, field{"mime", g.text()}, field{"data", strings.Repeat("QUJD", g.IntN(40))})
	case "thinking":
		o = append(o, field{"text", g.text()})
		o = g.maybe(o, "signature", func() any { return g.text() }, nil)
	case "function_call":
		o = append(o, field{"id", g.text()}, field{"function_id", g.text()})
		o = g.maybe(o, "arguments", func() any { return g.opaque(4) }, nil)
	case "function_result":
		o = append(o, field{"function_call_id", g.text()}, field{"content", g.content(level + 1)})
		o = g.maybe(o, "is_error", func() any { return g.once(2) }, nil)
	case "hologram": // unknown: its members may be called like known ones
		o = g.maybe(o, "content", func() any { return pick[any](g, g.opaque(3), g.content(level+1)) }, nil)
		o = g.maybe(o, "text", func() any { return g.opaque(2) }, nil)
	}
	return g.finish(o, "x", "cache_control", "\n")
}

func (g *generator) details() any {
	if g.once(3) {
		o := object{{"status", pick[any](g, "denied", "ok", true)}, {"reason", g.text()}}
		return g.finish(o, "status", "deep")
	}
	return g.opaque(4)
}

func (g *generator) usage() object {
	o := object{}
	for _, key := range []string{"cache_read", "cache_write", "input", "output", "reasoning"} {
		o = g.maybe(o, key, func() any {
			return pick(g, json.Number("0"), "7", "-0", "1e3", "12.0", "1200e-2", "0e99999", "18446744073709551615", "1844674407370955161.5e1")
		}, nil)
	}
	o = g.maybe(o, "cost_usd", func() any {
		return pick(g, json.Number("0.0125"), "1", "-0", "3.0", "1e2", "1e15", "1e16", "1e-7", "0.10", "12345678901234567890", "0.99999999999999999999")
	}, nil)
	return g.finish(o, "input_tokens")
}

func (g *generator) timestamp() json.Number {
	return pick(g, json.Number(fmt.Sprint(1001+g.IntN(100))), "-1", "0", "-0", "1e3", "1001.0", "10010E-1", "1.001e+3",
		"1700000000000", "9223372036854775807", "-9223372036854775808", "9.223372036854775807e18", "-0.0e-5")
}

func (g *generator) texts() []any {
	list := []any{}
	for range g.IntN(3) {
		list = append(list, g.text())
	}
	return list
}

// opaque is any value; its objects may hold a key twice.
func (g *generator) opaque(depth int) any {
	n := 8
	if depth == 0 {
		n = 5
	}
	switch g.IntN(n) {
	case 0:
		return nil
	case 1:
		return g.once(2)
	case 2:
		return pick(g, json.Number("0"), "-0", "1.50", "1E+5", "1e400", "-12.5e-7", "123456789012345678901234567890", "18446744073709551616")
	case 3, 4:
		return g.text()
	case 5:
		list := []any{}
		for range g.IntN(4) {
			list = append(list, g.opaque(depth-1))
		}
		return list
	}
	o := object{}
	for range g.IntN(4) {
		o = append(o, field{pick(g, "a", "b", "aa", "Z", "é", "\U0001f642", "\uffff", "", g.text()), g.opaque(depth - 1)})
	}
	return o
}

// text is mostly short, sometimes longer than the 64 bytes that the scanner
// looks at together, and made of all that strings are made of.
func (g *generator) text() string {
	var b strings.Builder
	for range pick(g, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 5, 6, 6, 9, 40) {
		switch g.IntN(10) {
		case 0:
			b.WriteByte(byte(g.IntN(0x80)))
		case 1:
			b.WriteString(pick(g, "\n\t\t", "\"", "\\", "\\\"", "\r\n", "\b\f", "/", "\x00\x1f", "\x7f"))
		case 2:
			b.WriteString(pick(g, "é", "配置", "🙂", "\u2028", "\ufffd", "\uffff", "\U0010ffff", "ÿ", "е́"))
		case 3:
			b.WriteString(strings.Repeat("x", g.IntN(70)))
		default:
			b.WriteString(pick(g, "word ", "func (s *T)", "a", "status", "<&>"))
		}
	}
	return b.String()
}

// print writes a tree in a spelling of the generator's choice.
func (g *generator) print(b *strings.Builder, v any) {
	g.gap(b)
	switch v := v.(type) {
	case object:
		b.WriteByte('{')
		for i, f := range v {
			if i > 0 {
				b.WriteByte(',')
			}
			g.gap(b)
			g.quote(b, f.key)
			g.gap(b)
			b.WriteByte(':')
			g.print(b, f.value)
		}
		g.gap(b)
		b.WriteByte('}')
	case []any:
		b.WriteByte('[')
		for i, e := range v {
			if i > 0 {
				b.WriteByte(',')
			}
			g.print(b, e)
		}
		g.gap(b)
		b.WriteByte(']')
	case string:
		g.quote(b, v)
	case json.Number:
		b.WriteString(v.String())
	case bool:
		fmt.Fprint(b, v)
	case nil:
		b.WriteString("null")
	}
	g.gap(b)
}

func (g *generator) gap(b *strings.Builder) {
	if g.spaces > g.IntN(16) {
		b.WriteString(pick(g, " ", "\n", "\t", "\r\n  "))
	}
}

func (g *generator) quote(b *strings.Builder, s string) {
	odd := pick(g, 0, 0, 0, 1, 4) // of 8 characters, how many are escaped without need
	digits := pick(g, "0123456789abcdef", "0123456789ABCDEF")
	b.WriteByte('"')
	for _, r := range s {
		switch short := strings.IndexByte("\"\\\b\f\n\r\t/", byte(r)); {
		case odd > 0 && odd > g.IntN(8):
			for _, u := range utf16.AppendRune(nil, r) {
				b.WriteString(`\u`)
				for shift := 12; shift >= 0; shift -= 4 {
					b.WriteByte(digits[u>>shift&15])
				}
			}
		case r < 0x80 && short >= 0 && (r != '/' || g.once(2)):
			b.WriteString([]string{`\"`, `\\`, `\b`, `\f`, `\n`, `\r`, `\t`, `\/`}[short])
		case r < ' ':
			fmt.Fprintf(b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
}
