package agent

import "strconv"

// decoder reads messages; its arrays are reused from message to message.
type decoder struct {
	scanner
	keys    keyset
	members [mkCount]member // of the object being read; blocks use the first bkCount
	usage   usage
	blocks  []Block // the slab all messages' blocks stand in
	nested  []int32 // slab indices of blocks whose inner blocks must be linked
}

// message reads the message that starts here.
func (d *decoder) message(m *Message) error {
	start := d.pos
	if d.scanner.kind() != kindObject {
		if d.scanner.kind() == 0 {
			return d.unexpected("a message")
		}
		return fieldErr("want a message (an object), got %v", d.scanner.kind())
	}
	if err := d.enter(); err != nil {
		return err
	}
	var mem [mkCount]member
	var keys keyset // the decoder's own serves the blocks meanwhile
	*m = Message{blockA: int32(len(d.blocks))}
	m.blockB = m.blockA
	content := 0
	warnings := 0
	for first := true; ; first = false {
		if first {
			if d.leave('}') {
				break
			}
		} else {
			done, err := d.next('}', "a comma or }")
			if err != nil {
				return err
			}
			if done {
				break
			}
		}
		key, err := d.key()
		if err != nil {
			return err
		}
		id := messageKey(key)
		if !keys.add(id, key) {
			return duplicate(key)
		}
		var v member
		switch {
		case id == mkContent && d.scanner.kind() == kindArray:
			v = member{kind: kindArray, start: d.pos}
			if err := d.blockArray(-1); err != nil {
				return err
			}
			v.end = d.pos
			m.blockB = int32(len(d.blocks))
			if err := d.innerBlocks(int(m.blockA)); err != nil {
				return err
			}
			content = contentSize(d.blocks[m.blockA:m.blockB])
		case id == mkDetails && d.scanner.kind() == kindObject:
			v, m.denied, err = d.details()
		case id == mkWarnings && d.scanner.kind() == kindArray:
			v = member{kind: kindArray, start: d.pos}
			v.canon, warnings, err = d.stringArray()
			v.end = d.pos
		case id == mkUsage && d.scanner.kind() == kindObject:
			v, err = d.readUsage()
		default:
			v, err = d.memberValue()
		}
		if err != nil {
			return at(err, string(key.bytes()))
		}
		if id >= 0 {
			mem[id] = v
		}
	}
	m.raw = d.data[start:d.pos]
	return d.fillMessage(m, &mem, keys.known, start, content, warnings)
}

// fillMessage checks the members against the role and takes what later passes
// ask for. badWarning is the 1-based index of a warning that is no string.
func (d *decoder) fillMessage(m *Message, mem *[mkCount]member, known uint32, start, content, badWarning int) error {
	has := func(id int) bool { return known&(1<<id) != 0 }
	if !has(mkRole) {
		return at(fieldErr("missing, want user, assistant, function_result or custom"), "role")
	}
	if mem[mkRole].kind != kindString {
		return at(fieldErr("want a string, got %v", mem[mkRole].kind), "role")
	}
	role := mem[mkRole].str.bytes()
	if m.role = roleOf(role); m.role == 0 {
		return at(fieldErr("unknown role %q, want user, assistant, function_result or custom", short(role)), "role")
	}
	rules := &rulesOfRole[m.role]
	size := len(`{"role":""}`) + len(m.role.String())
	for _, id := range rules.order {
		if !has(id) {
			if rules.required&(1<<id) != 0 {
				return at(fieldErr("missing, want %s", rules.shapes[id].want), messageKeyNames[id])
			}
			continue
		}
		if err := rules.shapes[id].check(&mem[id]); err != nil {
			return at(err, messageKeyNames[id])
		}
		switch n := mem[id].canon; {
		case id == mkContent:
			size += memberSize(id, content)
		case id == mkTimestamp, id == mkIsError, id == mkDetails && m.role == RoleFunctionResult:
		case mem[id].kind == kindNull:
		default:
			size += memberSize(id, n)
		}
	}
	if has(mkWarnings) && badWarning > 0 && m.role == RoleAssistant {
		return at(atIndex(fieldErr("want a string"), badWarning-1), "warnings")
	}
	if m.role == RoleAssistant && has(mkUsage) && mem[mkUsage].kind == kindObject {
		if err := d.usage.bad; err != nil {
			return at(err, "usage")
		}
	}
	ts, err := int64Of(d.data[mem[mkTimestamp].start:mem[mkTimestamp].end])
	if err != nil {
		return at(err, "timestamp")
	}
	m.timestamp = ts
	size += memberSize(mkTimestamp, digitsOf(ts))
	m.content = span{mem[mkContent].start - start, mem[mkContent].end - start}
	if has(mkID) && mem[mkID].kind == kindString {
		m.id = mem[mkID].str.bytes()
	}
	if has(mkDetails) && (m.role == RoleFunctionResult || m.role == RoleCustom) {
		m.details = span{mem[mkDetails].start - start, mem[mkDetails].end - start}
	}
	m.denied = m.denied && m.role == RoleFunctionResult
	if m.role == RoleFunctionResult {
		m.callID, m.functionID = mem[mkFunctionCallID].str.bytes(), mem[mkFunctionID].str.bytes()
		m.isError = has(mkIsError) && d.data[mem[mkIsError].start] == 't'
		size += memberSize(mkIsError, len("false"))
		if m.isError {
			size--
		}
		details := len("null")
		if m.details.start != 0 {
			details = mem[mkDetails].canon
		}
		m.size = size + memberSize(mkDetails, details)
		m.estimate = m.size
		if !m.denied {
			m.estimate = size + memberSize(mkDetails, len("null"))
		}
		return nil
	}
	m.size, m.estimate = size, size
	return nil
}

// memberSize is what a member with a value of n bytes adds to an object that
// already has one: comma, quoted key, colon, value.
func memberSize(id, n int) int { return len(messageKeyNames[id]) + 4 + n }

func digitsOf(v int64) int {
	var b [20]byte
	return len(strconv.AppendInt(b[:0], v, 10))
}

// details passes a result's details object and tells whether its status is
// "denied", in the same pass since details can be as large as the content.
func (d *decoder) details() (m member, denied bool, err error) {
	m = member{kind: kindObject, start: d.pos}
	if err := d.enter(); err != nil {
		return m, false, err
	}
	m.canon = 2
	for first := true; ; first = false {
		if first && d.leave('}') {
			break
		}
		if !first {
			done, err := d.next('}', "a comma or }")
			if err != nil {
				return m, false, err
			}
			if done {
				break
			}
			m.canon++
		}
		key, err := d.key()
		if err != nil {
			return m, false, err
		}
		v, err := d.memberValue()
		if err != nil {
			return m, false, err
		}
		if string(key.bytes()) == "status" {
			denied = v.kind == kindString && string(v.str.bytes()) == "denied"
		}
		m.canon += key.canon + 3 + v.canon
	}
	m.end = d.pos
	return m, denied, nil
}

// stringArray passes an array and tells the 1-based index of the first element
// that is no string, or 0.
func (d *decoder) stringArray() (canon, bad int, err error) {
	if err := d.enter(); err != nil {
		return 0, 0, err
	}
	canon = 2
	if d.leave(']') {
		return canon, 0, nil
	}
	for i := 1; ; i++ {
		if d.scanner.kind() != kindString && bad == 0 {
			bad = i
		}
		n, err := d.value()
		if err != nil {
			return 0, 0, atIndex(err, i-1)
		}
		canon += n
		done, err := d.next(']', "a comma or ]")
		if done || err != nil {
			return canon, bad, err
		}
		canon++
	}
}
