package agent

import "bytes"

// member is one known member of the object being read.
type member struct {
	kind       kind
	start, end int // of the value in the scanned text
	canon      int // bytes of the value's canonical form
	str        str // when kind is kindString
}

// shape is the set of JSON types a member may have and how to say so.
type shape struct {
	kinds uint8 // bit per kind
	want  string
}

func kinds(ks ...kind) (m uint8) {
	for _, k := range ks {
		m |= 1 << k
	}
	return m
}

var (
	wantString     = shape{kinds(kindString), "a string"}
	wantStringNull = shape{kinds(kindString, kindNull), "a string or null"}
	wantBool       = shape{kinds(kindBool), "a boolean"}
	wantBoolNull   = shape{kinds(kindBool, kindNull), "a boolean or null"}
	wantMillis     = shape{kinds(kindNumber), "an integer (milliseconds)"}
	wantBlocks     = shape{kinds(kindArray), "an array of content blocks"}
	wantUsage      = shape{kinds(kindObject, kindNull), "an object or null"}
	wantStrings    = shape{kinds(kindArray, kindNull), "an array of strings or null"}
	wantAny        = shape{0xff, "any value"}
)

// check tells whether a present member has the wanted shape.
func (w shape) check(m *member) error {
	if w.kinds&(1<<m.kind) == 0 {
		return fieldErr("want %s, got %v", w.want, m.kind)
	}
	return nil
}

// keyset remembers the keys of one object to find duplicates. Known keys are
// bits; the others are few, and beyond eight move into a map so that a hostile
// object of a million keys stays linear.
type keyset struct {
	known   uint32
	unknown [][]byte
	many    map[string]struct{}
}

func (k *keyset) reset() {
	k.known = 0
	k.unknown = k.unknown[:0]
	k.many = nil
}

// add reports whether the key is new. id is negative for an unknown key.
func (k *keyset) add(id int, key str) bool {
	if id >= 0 {
		if k.known&(1<<id) != 0 {
			return false
		}
		k.known |= 1 << id
		return true
	}
	name := key.bytes()
	if k.many != nil {
		if _, dup := k.many[string(name)]; dup {
			return false
		}
		k.many[string(name)] = struct{}{}
		return true
	}
	for _, u := range k.unknown {
		if bytes.Equal(u, name) {
			return false
		}
	}
	k.unknown = append(k.unknown, name)
	if len(k.unknown) > 8 {
		k.many = make(map[string]struct{}, 32)
		for _, u := range k.unknown {
			k.many[string(u)] = struct{}{}
		}
	}
	return true
}

func (k *keyset) has(id int) bool { return k.known&(1<<id) != 0 }

// duplicate is the error for a key that stands twice.
func duplicate(key str) error {
	return fieldErr("duplicate key %q", short(key.bytes()))
}
