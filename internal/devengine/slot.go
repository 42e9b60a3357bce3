package devengine

import "bytes"

// callerKey is the member the engine puts into every object a worker sends as
// the data of a call.
const callerKey = "_caller_worker_id"

// slot is the place of callerKey in an object: what stands in [at, cut) of the
// text gives way to the member, joined to its neighbours as join says.
type slot struct {
	at, cut int
	join    join
}

type join uint8

const (
	noSlot    join = iota // the value is no object
	onlyOne               // the object is empty
	before                // a member follows
	after                 // it is the last member
	valueOnly             // the key is there, its value is replaced
)

// placeCaller finds the slot in the object that starts at start of text and
// has these members, sorted.
func placeCaller(text []byte, ms []member, start int) slot {
	if len(ms) == 0 {
		return slot{start + 1, start + 1, onlyOne}
	}
	for _, m := range ms {
		key := text[m.key+1 : m.colon-1]
		if m.escaped {
			key = []byte(unquote(text[m.key:m.colon]))
		}
		switch c := bytes.Compare(key, []byte(callerKey)); {
		case c == 0:
			return slot{m.colon + 1, m.end, valueOnly}
		case c > 0:
			return slot{m.key, m.key, before}
		}
	}
	end := ms[len(ms)-1].end
	return slot{end, end, after}
}

// appendWithCaller appends text[lo:hi] to dst with the caller's id in its
// slot. An id is a UUID and needs no escaping.
func (p slot) appendWithCaller(dst, text []byte, lo, hi int, id string) []byte {
	if p.join == noSlot {
		return append(dst, text[lo:hi]...)
	}
	dst = append(dst, text[lo:p.at]...)
	if p.join == after {
		dst = append(dst, ',')
	}
	if p.join != valueOnly {
		dst = append(dst, `"`+callerKey+`":`...)
	}
	dst = append(dst, '"')
	dst = append(dst, id...)
	dst = append(dst, '"')
	if p.join == before {
		dst = append(dst, ',')
	}
	return append(dst, text[p.cut:hi]...)
}
