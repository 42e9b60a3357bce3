package agent

import (
	"bytes"
	"math"
	"strconv"
)

// usageKeys are the members of an assistant message's usage in canonical
// order, which is the published schema's.
var usageKeys = [...]string{"cache_read", "cache_write", "cost_usd", "input", "output", "reasoning"}

// usage is what reading a usage object found out: whether a member is bad,
// which counts only if the role turns out to carry usage at all.
type usage struct{ bad error }

// readUsage passes a usage object; canon is the size of its canonical form.
func (d *decoder) readUsage() (member, error) {
	m := member{kind: kindObject, start: d.pos, canon: 2}
	d.usage = usage{}
	fail := func(key str, err error) {
		if d.usage.bad == nil {
			d.usage.bad = at(err, string(key.bytes()))
		}
	}
	if err := d.enter(); err != nil {
		return m, err
	}
	seen := uint32(0)
	for first := true; ; first = false {
		if first && d.leave('}') {
			break
		}
		if !first {
			done, err := d.next('}', "a comma or }")
			if err != nil {
				return m, err
			}
			if done {
				break
			}
		}
		key, err := d.key()
		if err != nil {
			return m, err
		}
		v, err := d.memberValue()
		if err != nil {
			return m, at(err, string(key.bytes()))
		}
		id := usageKey(key)
		if id < 0 {
			continue
		}
		if seen&(1<<id) != 0 {
			return m, duplicate(key)
		}
		seen |= 1 << id
		if v.kind == kindNull {
			continue
		}
		if v.kind != kindNumber {
			fail(key, fieldErr("want a number or null, got %v", v.kind))
			continue
		}
		spelled, err := usageNumber(id, d.data[v.start:v.end])
		if err != nil {
			fail(key, err)
			continue
		}
		if m.canon > 2 {
			m.canon++
		}
		m.canon += len(usageKeys[id]) + 3 + len(spelled)
	}
	m.end = d.pos
	return m, nil
}

func usageKey(key str) int {
	name := key.bytes()
	for i, k := range usageKeys {
		if string(name) == k {
			return i
		}
	}
	return -1
}

// usageNumber spells a usage member canonically: counts in plain digits, the
// cost as a float, with .0 when it is whole.
func usageNumber(id int, num []byte) ([]byte, error) {
	if usageKeys[id] != "cost_usd" {
		v, err := uint64Of(num)
		if err != nil {
			return nil, err
		}
		return strconv.AppendUint(nil, v, 10), nil
	}
	f, err := strconv.ParseFloat(string(num), 64)
	if err != nil {
		return nil, fieldErr("%s is out of range, want a number of 64 bits", short(num))
	}
	if f == math.Trunc(f) && math.Abs(f) < 1e16 {
		return strconv.AppendFloat(nil, f, 'f', 1, 64), nil
	}
	return bytes.Clone(num), nil
}
