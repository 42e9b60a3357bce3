package agent

import (
	"bytes"
	"slices"
)

// AppendCanonical appends the message's canonical form: compact, the tag
// first, the members in contract order, absent options left out, keys inside
// opaque values sorted. It is what sizes and hashes are taken of; its length
// is Size. Only rare paths build it.
func (m *Message) AppendCanonical(dst []byte) []byte {
	dst = append(dst, `{"role":"`...)
	dst = append(dst, m.role.String()...)
	dst = append(dst, '"')
	mem := membersOf(m.raw)
	for _, id := range rulesOfRole[m.role].order {
		name := messageKeyNames[id]
		v, ok := mem[name]
		switch {
		case id == mkTimestamp:
			dst = appendInt(appendKey(dst, name), m.timestamp)
			continue
		case id == mkContent:
			dst = appendBlocks(appendKey(dst, name), m.blocks)
			continue
		case id == mkIsError:
			dst = appendBool(appendKey(dst, name), m.isError)
			continue
		case id == mkDetails && m.role == RoleFunctionResult && !ok:
			v = []byte("null")
		case !ok || string(v) == "null" && id != mkDetails,
			string(v) == "null" && m.role == RoleCustom:
			continue
		}
		dst = appendKey(dst, name)
		if id == mkUsage {
			dst = appendUsage(dst, v)
			continue
		}
		dst = appendOpaque(dst, v)
	}
	return append(dst, '}')
}

// AppendCanonical appends the tool's canonical form; its length is Size.
func (f *Function) AppendCanonical(dst []byte) []byte {
	dst = append(dst, `{"name":`...)
	dst = AppendString(dst, string(f.name))
	dst = appendKey(dst, "description")
	dst = AppendString(dst, string(f.description.bytes()))
	dst = appendOpaqueOrNull(appendKey(dst, "parameters"), f.parameters)
	if f.label != nil {
		dst = AppendString(appendKey(dst, "label"), string(f.label))
	}
	if f.executionMode != nil {
		dst = AppendString(appendKey(dst, "execution_mode"), string(f.executionMode))
	}
	return append(dst, '}')
}

// AppendCanonical appends the block's canonical form; its length is Size.
func (b *Block) AppendCanonical(dst []byte) []byte {
	if b.typ == BlockUnknown {
		return appendOpaque(dst, b.raw)
	}
	dst = append(dst, `{"type":"`...)
	dst = append(dst, b.typ.String()...)
	dst = append(dst, '"')
	switch b.typ {
	case BlockText, BlockThinking:
		dst = AppendString(appendKey(dst, "text"), string(b.text.bytes()))
		if b.hasSign {
			dst = AppendString(appendKey(dst, "signature"), string(b.signature.bytes()))
		}
	case BlockImage:
		dst = AppendString(appendKey(dst, "mime"), string(b.mime))
		dst = AppendString(appendKey(dst, "data"), string(b.text.bytes()))
	case BlockFunctionCall:
		dst = AppendString(appendKey(dst, "id"), string(b.callID))
		dst = AppendString(appendKey(dst, "function_id"), string(b.functionID))
		dst = appendOpaqueOrNull(appendKey(dst, "arguments"), b.arguments)
	case BlockFunctionResult:
		dst = AppendString(appendKey(dst, "function_call_id"), string(b.callID))
		dst = appendBlocks(appendKey(dst, "content"), b.inner)
		if b.hasIsError {
			dst = appendBool(appendKey(dst, "is_error"), b.isError)
		}
	}
	return append(dst, '}')
}

// AppendArguments appends a function_call's arguments as compact JSON with
// sorted keys; absent ones are null.
func (b *Block) AppendArguments(dst []byte) []byte { return appendOpaqueOrNull(dst, b.arguments) }

// AppendParameters appends the tool's parameters as compact JSON with sorted
// keys; absent ones are null.
func (f *Function) AppendParameters(dst []byte) []byte { return appendOpaqueOrNull(dst, f.parameters) }

// AppendCompact appends validated JSON without white space, its keys sorted
// and its strings in canonical spelling.
func AppendCompact(dst, raw []byte) []byte { return appendOpaque(dst, raw) }

func appendBlocks(dst []byte, blocks []Block) []byte {
	dst = append(dst, '[')
	for i := range blocks {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = blocks[i].AppendCanonical(dst)
	}
	return append(dst, ']')
}

func appendKey(dst []byte, name string) []byte {
	dst = append(dst, ',', '"')
	dst = append(dst, name...)
	return append(dst, '"', ':')
}

func appendBool(dst []byte, v bool) []byte {
	if v {
		return append(dst, "true"...)
	}
	return append(dst, "false"...)
}

func appendUsage(dst, raw []byte) []byte {
	dst = append(dst, '{')
	mem := membersOf(raw)
	first := true
	for id, name := range usageKeys {
		v, ok := mem[name]
		if !ok || string(v) == "null" {
			continue
		}
		spelled, err := usageNumber(id, v)
		if err != nil {
			continue // decoding has refused it already
		}
		if !first {
			dst = append(dst, ',')
		}
		first = false
		dst = append(dst, '"')
		dst = append(dst, name...)
		dst = append(dst, '"', ':')
		dst = append(dst, spelled...)
	}
	return append(dst, '}')
}

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
		t, _ := s.str()
		return AppendString(dst, string(t.bytes()))
	case kindArray:
		s.pos++
		s.space()
		dst = append(dst, '[')
		for first := true; s.pos < len(s.data) && !s.closes(']'); first = false {
			if !first {
				dst = append(dst, ',')
			}
			dst = s.appendValue(dst)
			s.comma()
		}
		return append(dst, ']')
	case kindObject:
		return s.appendObject(dst)
	}
	start := s.pos
	if _, err := s.value(); err != nil {
		s.pos = len(s.data)
		return dst
	}
	return append(dst, s.data[start:s.pos]...)
}

func (s *scanner) appendObject(dst []byte) []byte {
	type pair struct{ key, value []byte }
	var pairs []pair
	s.pos++
	s.space()
	for s.pos < len(s.data) && !s.closes('}') {
		k, err := s.key()
		if err != nil {
			s.pos = len(s.data)
			break
		}
		pairs = append(pairs, pair{k.bytes(), s.appendValue(nil)})
		s.comma()
	}
	slices.SortStableFunc(pairs, func(a, b pair) int { return bytes.Compare(a.key, b.key) })
	dst = append(dst, '{')
	for i, p := range pairs {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = AppendString(dst, string(p.key))
		dst = append(dst, ':')
		dst = append(dst, p.value...)
	}
	return append(dst, '}')
}

func (s *scanner) closes(c byte) bool {
	if s.data[s.pos] == c {
		s.pos++
		return true
	}
	return false
}

func (s *scanner) comma() {
	s.space()
	if s.pos < len(s.data) && s.data[s.pos] == ',' {
		s.pos++
		s.space()
	}
}

// membersOf maps the keys of a validated object to their raw values.
func membersOf(raw []byte) map[string][]byte {
	out := map[string][]byte{}
	s := scanner{data: raw}
	s.space()
	if s.kind() != kindObject {
		return out
	}
	s.pos++
	s.space()
	for s.pos < len(raw) && !s.closes('}') {
		k, err := s.key()
		if err != nil {
			break
		}
		start := s.pos
		if _, err := s.value(); err != nil {
			break
		}
		out[string(k.bytes())] = raw[start:s.pos]
		s.comma()
	}
	return out
}
