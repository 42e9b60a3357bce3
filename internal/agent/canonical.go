package agent

import "slices"

// AppendCanonical appends the message's canonical form: compact, the tag
// first, the members in contract order, absent options left out, keys inside
// opaque values sorted. It is what sizes and hashes are taken of; its length
// is Size. Only rare paths build it.
func (m *Message) AppendCanonical(dst []byte) []byte {
	dst = append(dst, `{"role":"`...)
	dst = append(dst, m.role.String()...)
	dst = append(dst, '"')
	members := m.members()
	for _, rule := range rulesOfRole[m.role] {
		v := members[rule.id]
		result := m.role == RoleFunctionResult
		switch absent := v == nil || string(v) == "null"; {
		case rule.id == mkIsError: // always there
		case rule.id == mkDetails && result:
		case absent:
			continue
		}
		dst = appendKey(dst, messageKeyNames[rule.id])
		switch rule.id {
		case mkTimestamp:
			dst = appendInt(dst, m.timestamp)
		case mkContent:
			dst = appendBlocks(dst, m.blocks)
		case mkIsError:
			dst = appendBool(dst, m.isError)
		case mkUsage:
			dst = appendUsage(dst, v)
		default:
			dst = appendOpaqueOrNull(dst, v)
		}
	}
	return append(dst, '}')
}

// members finds the raw values of the members the contract knows.
func (m *Message) members() (out [mkCount][]byte) {
	s := scanner{data: m.raw}
	for key, value := range s.opaqueMembers() {
		if id := messageKey(key); id >= 0 {
			out[id] = value
		}
	}
	return out
}

// AppendCanonical appends the tool's canonical form; its length is Size.
func (f *Function) AppendCanonical(dst []byte) []byte {
	dst = append(dst, `{"name":`...)
	dst = appendString(dst, f.name)
	dst = appendStr(appendKey(dst, "description"), f.description)
	dst = appendOpaqueOrNull(appendKey(dst, "parameters"), f.parameters)
	if f.label != nil {
		dst = appendString(appendKey(dst, "label"), f.label)
	}
	if f.executionMode != nil {
		dst = appendString(appendKey(dst, "execution_mode"), f.executionMode)
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
		dst = appendStr(appendKey(dst, "text"), b.text)
		if b.has&hasSignature != 0 {
			dst = appendString(appendKey(dst, "signature"), b.name)
		}
	case BlockImage:
		dst = appendString(appendKey(dst, "mime"), b.name)
		dst = appendStr(appendKey(dst, "data"), b.text)
	case BlockFunctionCall:
		dst = appendString(appendKey(dst, "id"), b.callID)
		dst = appendString(appendKey(dst, "function_id"), b.name)
		dst = appendOpaqueOrNull(appendKey(dst, "arguments"), b.arguments)
	case BlockFunctionResult:
		dst = appendString(appendKey(dst, "function_call_id"), b.callID)
		dst = appendBlocks(appendKey(dst, "content"), b.inner)
		if b.has&hasIsError != 0 {
			dst = appendBool(appendKey(dst, "is_error"), b.IsError())
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
	var members [len(usageKeys)][]byte
	s := scanner{data: raw}
	for key, value := range s.opaqueMembers() {
		if id := usageKey(key); id >= 0 && string(value) != "null" {
			members[id] = value
		}
	}
	dst = append(dst, '{')
	start := len(dst)
	for id, v := range members {
		if v == nil {
			continue
		}
		dst = appendKey(dst, usageKeys[id])
		dst, _ = appendUsageNumber(dst, id, v) // decoding has refused what fails
	}
	if len(dst) > start { // appendKey writes a comma; the first is one too many
		dst = slices.Delete(dst, start, start+1)
	}
	return append(dst, '}')
}
