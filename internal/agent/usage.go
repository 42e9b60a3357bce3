package agent

import (
	"math"
	"strconv"
)

// usageKeys are the members of an assistant message's usage in canonical
// order, which is the published schema's.
var usageKeys = [...]string{"cache_read", "cache_write", "cost_usd", "input", "output", "reasoning"}

const usageCost = 2 // index of cost_usd, the only one that is no count

// usage passes a usage object; canon is the size of its canonical form. bad is
// the first thing that is wrong with it as usage.
func (d *decoder) usage() (canon int, bad, err error) {
	if err := d.enter(); err != nil {
		return 0, nil, err
	}
	canon = 2
	seen := uint32(0)
	for first := true; ; first = false {
		key, more, err := d.nextKey(first)
		if !more || err != nil {
			return canon, bad, err
		}
		v := &d.other
		if err := d.memberValue(v); err != nil {
			return 0, nil, atKey(err, key)
		}
		id := usageKey(key)
		if id < 0 || bad != nil {
			continue
		}
		if seen&(1<<id) != 0 {
			bad = duplicate(key)
			continue
		}
		seen |= 1 << id
		switch v.kind {
		case kindNull:
		case kindNumber:
			n, err := usageNumberSize(id, d.slice(v))
			if err != nil {
				bad = at(err, usageKeys[id])
				continue
			}
			if canon > 2 {
				canon++
			}
			canon += len(usageKeys[id]) + 3 + n
		default:
			bad = at(fieldErr("want a number or null, got %v", v.kind), usageKeys[id])
		}
	}
}

func usageKey(key str) int {
	switch string(key.bytes()) {
	case "cache_read":
		return 0
	case "cache_write":
		return 1
	case "cost_usd":
		return usageCost
	case "input":
		return 3
	case "output":
		return 4
	case "reasoning":
		return 5
	}
	return -1
}

// usageNumberSize is the length of what appendUsageNumber appends. Nearly every
// count is spelled canonically already.
func usageNumberSize(id int, num []byte) (int, error) {
	if _, digits := plainDigits(num); digits && id != usageCost {
		return len(num), nil
	}
	var buf [64]byte
	spelled, err := appendUsageNumber(buf[:0], id, num)
	return len(spelled), err
}

// appendUsageNumber spells a usage member canonically: counts in plain digits,
// the cost as a float, with .0 when it is whole.
func appendUsageNumber(dst []byte, id int, num []byte) ([]byte, error) {
	if id != usageCost {
		v, err := uint64Of(num)
		return strconv.AppendUint(dst, v, 10), err
	}
	f, err := strconv.ParseFloat(string(num), 64)
	if err != nil {
		return dst, fieldErr("%s is out of range, want a number of 64 bits", short(num))
	}
	if f == math.Trunc(f) && math.Abs(f) < 1e16 {
		return strconv.AppendFloat(dst, f, 'f', 1, 64), nil
	}
	return append(dst, num...), nil
}
