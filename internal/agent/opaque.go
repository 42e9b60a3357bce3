package agent

import (
	"bytes"
	"iter"
	"slices"
)

// AppendCompact appends validated JSON without white space, its keys sorted
// and its strings in canonical spelling.
func AppendCompact(dst, raw []byte) []byte { return appendOpaque(dst, raw) }

func appendOpaqueOrNull(dst, raw []byte) []byte {
	if raw == nil {
		return append(dst, "null"...)
	}
	return appendOpaque(dst, raw)
}

// appendOpaque appends a validated value compactly, keys sorted by their
// bytes; duplicate keys stay, in their order.
func appendOpaque(dst, raw []byte) []byte {
	s := scanner{data: raw}
	s.space()
	return s.appendValue(dst)
}

func (s *scanner) appendValue(dst []byte) []byte {
	switch s.kind() {
	case kindString:
		t, err := s.str()
		if err != nil {
			return s.abandon(dst)
		}
		return appendStr(dst, t)
	case kindArray:
		return s.appendArray(dst)
	case kindObject:
		return s.appendObject(dst)
	}
	start := s.pos
	if _, err := s.value(); err != nil {
		return s.abandon(dst)
	}
	return append(dst, s.data[start:s.pos]...)
}

// abandon ends the walk over text that turns out not to be valid.
func (s *scanner) abandon(dst []byte) []byte {
	s.pos = len(s.data)
	return dst
}

func (s *scanner) appendArray(dst []byte) []byte {
	s.pos++
	s.space()
	dst = append(dst, '[')
	if s.leave(']') {
		return append(dst, ']')
	}
	for {
		dst = s.appendValue(dst)
		done, err := s.next(']', "a comma or ]")
		if err != nil {
			return s.abandon(dst)
		}
		if done {
			return append(dst, ']')
		}
		dst = append(dst, ',')
	}
}

// pair is where a member stands in the text being written: from its key's
// opening quote to the end of its value.
type pair struct {
	start, end int
	key        []byte
}

func (s *scanner) appendObject(dst []byte) []byte {
	var few [8]pair
	pairs := few[:0]
	sorted := true
	s.pos++
	s.space()
	dst = append(dst, '{')
	body := len(dst)
	for {
		k, more, err := s.nextKey(len(dst) == body)
		if err != nil {
			return s.abandon(dst)
		}
		if !more {
			break
		}
		if len(dst) > body {
			dst = append(dst, ',')
		}
		p := pair{start: len(dst), key: k.bytes()}
		dst = append(appendStr(dst, k), ':')
		dst = s.appendValue(dst)
		p.end = len(dst)
		if n := len(pairs); n > 0 && bytes.Compare(pairs[n-1].key, p.key) > 0 {
			sorted = false
		}
		pairs = append(pairs, p)
	}
	if !sorted { // an engine has sorted them already
		slices.SortStableFunc(pairs, func(a, b pair) int { return bytes.Compare(a.key, b.key) })
		members := slices.Clone(dst[body:])
		dst = dst[:body]
		for i, p := range pairs {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(dst, members[p.start-body:p.end-body]...)
		}
	}
	return append(dst, '}')
}

// opaqueMembers walks the keys and raw values of a validated object.
func (s *scanner) opaqueMembers() iter.Seq2[str, []byte] {
	return func(yield func(str, []byte) bool) {
		s.space()
		if s.kind() != kindObject {
			return
		}
		s.pos++
		s.space()
		for first := true; ; first = false {
			k, more, err := s.nextKey(first)
			if !more || err != nil {
				return
			}
			start := s.pos
			if _, err := s.value(); err != nil || !yield(k, s.data[start:s.pos]) {
				return
			}
		}
	}
}
