package agent

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// variantWriter writes the members of one variant. The first error sticks.
type variantWriter struct {
	buf []byte
	err error
}

// openVariant starts an object with its tag.
func openVariant(dst []byte, tag, value string) variantWriter {
	w := variantWriter{buf: append(dst, '{')}
	w.buf = append(w.buf, '"')
	w.buf = append(w.buf, tag...)
	w.buf = append(w.buf, `":"`...)
	w.buf = append(w.buf, value...)
	w.buf = append(w.buf, '"')
	return w
}

// done closes the object. After an error it gives dst back without additions.
func (w *variantWriter) done(dst []byte) ([]byte, error) {
	if w.err != nil {
		return dst, w.err
	}
	return append(w.buf, '}'), nil
}

// key writes a member's name. Names are ours and need no escaping.
func (w *variantWriter) key(name string) {
	w.buf = append(w.buf, ',', '"')
	w.buf = append(w.buf, name...)
	w.buf = append(w.buf, '"', ':')
}

func (w *variantWriter) int64(name string, v int64) {
	w.key(name)
	w.buf = strconv.AppendInt(w.buf, v, 10)
}

func (w *variantWriter) bool(name string, v bool) {
	w.key(name)
	w.buf = strconv.AppendBool(w.buf, v)
}

func (w *variantWriter) string(name, v string) {
	w.key(name)
	w.quote(v)
}

func (w *variantWriter) optionalString(name string, v *string) {
	if v != nil {
		w.string(name, *v)
	}
}

// optionalStrings leaves out a nil list and writes an empty one.
func (w *variantWriter) optionalStrings(name string, list []string) {
	if list == nil {
		return
	}
	w.key(name)
	w.buf = append(w.buf, '[')
	for i, s := range list {
		if i > 0 {
			w.buf = append(w.buf, ',')
		}
		w.quote(s)
	}
	w.buf = append(w.buf, ']')
}

// value writes opaque JSON without its spaces; nil is null.
func (w *variantWriter) value(name string, raw json.RawMessage) {
	w.key(name)
	if raw == nil {
		w.buf = append(w.buf, "null"...)
		return
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, raw); err != nil {
		w.fail(fmt.Errorf("writing %s: %w", name, err))
		return
	}
	w.buf = append(w.buf, compact.Bytes()...)
}

// blocks writes a content list; a nil list is an empty one.
func (w *variantWriter) blocks(name string, list []BlockVariant) {
	w.key(name)
	w.buf = append(w.buf, '[')
	for i, b := range list {
		if i > 0 {
			w.buf = append(w.buf, ',')
		}
		if b == nil {
			w.fail(fmt.Errorf("writing %s[%d]: block is nil", name, i))
			return
		}
		buf, err := b.AppendJSON(w.buf)
		if err != nil {
			w.fail(fmt.Errorf("writing %s[%d]: %w", name, i, err))
			return
		}
		w.buf = buf
	}
	w.buf = append(w.buf, ']')
}

// usage writes the six members in the order of the struct.
func (w *variantWriter) usage(name string, u Usage) {
	w.key(name)
	w.buf = append(w.buf, '{')
	start := len(w.buf)
	count := func(key string, v *uint64) {
		if v != nil {
			w.key(key)
			w.buf = strconv.AppendUint(w.buf, *v, 10)
		}
	}
	count("cache_read", u.CacheRead)
	count("cache_write", u.CacheWrite)
	if u.CostUSD != nil {
		w.key("cost_usd")
		w.float(*u.CostUSD)
	}
	count("input", u.Input)
	count("output", u.Output)
	count("reasoning", u.Reasoning)
	if len(w.buf) > start { // key always writes a comma; the first is one too many
		w.buf = append(w.buf[:start], w.buf[start+1:]...)
	}
	w.buf = append(w.buf, '}')
}

// float writes the shortest spelling that reads back the same, with .0 when it
// is integral, so that a float stays one for readers that tell them apart.
func (w *variantWriter) float(v float64) {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		w.fail(errors.New("writing cost_usd: not a number that JSON can spell"))
		return
	}
	format := byte('f')
	if abs := math.Abs(v); abs != 0 && (abs < 1e-5 || abs >= 1e16) {
		format = 'e'
	}
	start := len(w.buf)
	w.buf = strconv.AppendFloat(w.buf, v, format, -1, 64)
	if !bytes.ContainsAny(w.buf[start:], ".e") {
		w.buf = append(w.buf, ".0"...)
	}
}

// quote writes a JSON string in canonical spelling. Invalid UTF-8, which no
// message may hold, becomes U+FFFD.
func (w *variantWriter) quote(s string) {
	w.buf = AppendString(w.buf, strings.ToValidUTF8(s, "\uFFFD"))
}

func (w *variantWriter) fail(err error) {
	if w.err == nil {
		w.err = err
	}
}
