package agent

import "strconv"

// decoder reads messages. What it allocates it uses again for the next one, so
// that a history costs a few allocations, however long it is.
type decoder struct {
	scanner
	keys    keyset          // of the message being read
	members [mkCount]member // valid where keys has the bit
	parts   messageParts    // of the same message
	other   member          // the last one that nobody asks for again
	outer   blockFrame      // of a message's blocks
	frames  []*blockFrame   // of blocks inside function_result blocks, by depth
}

// messageParts is what only some members have, with the errors that count only
// if the role turns out to carry the member.
type messageParts struct {
	content    content
	denied     bool // details.status is "denied"
	badWarning int  // 1-based index of a warning that is no string, or 0
	badKind    kind // what that is
	badUsage   error
}

// message reads the message that starts here. Errors about its shape are found
// in the order of the checks, whatever the order of its keys.
func (d *decoder) message(m *Message) error {
	start := d.pos
	if k := d.kind(); k != kindObject {
		if k == 0 {
			return d.unexpected("a message")
		}
		return fieldErr("want a message (an object), got %v", k)
	}
	if err := d.enter(); err != nil {
		return err
	}
	d.keys.reset()
	d.parts = messageParts{}
	var bad error
	for first := true; ; first = false {
		key, more, err := d.nextKey(first)
		if err != nil {
			return err
		}
		if !more {
			break
		}
		id := messageKey(key)
		if !d.keys.add(id, key) && bad == nil {
			bad = duplicate(key)
		}
		if err := d.messageValue(id); err != nil {
			return atKey(err, key)
		}
	}
	if bad != nil {
		return bad
	}
	*m = Message{raw: d.data[start:d.pos:d.pos]}
	return d.fillMessage(m, start)
}

// messageValue passes a member's value. Where the contract looks inside a
// member, so does this pass.
func (d *decoder) messageValue(id int) (err error) {
	if id < 0 {
		return d.memberValue(&d.other)
	}
	m := &d.members[id]
	m.kind, m.start = d.kind(), d.pos
	switch {
	case id == mkContent && m.kind == kindArray:
		d.parts.content, err = d.content(0)
		m.canon = d.parts.content.size
	case id == mkDetails && m.kind == kindObject:
		m.canon, d.parts.denied, err = d.details()
	case id == mkWarnings && m.kind == kindArray:
		m.canon, d.parts.badWarning, d.parts.badKind, err = d.stringArray()
	case id == mkUsage && m.kind == kindObject:
		m.canon, d.parts.badUsage, err = d.usage()
	default:
		return d.memberValue(m)
	}
	m.end = d.pos
	return err
}

// fillMessage checks the members against the role and takes what later passes
// ask for.
func (d *decoder) fillMessage(m *Message, start int) error {
	mem := &d.members
	if !d.keys.has(mkRole) {
		return at(fieldErr("missing, want user, assistant, function_result or custom"), "role")
	}
	if mem[mkRole].kind != kindString {
		return at(fieldErr("want a string, got %v", mem[mkRole].kind), "role")
	}
	role := mem[mkRole].str.bytes()
	if m.role = roleOf(role); m.role == 0 {
		return at(fieldErr("unknown role %q, want user, assistant, function_result or custom", short(role)), "role")
	}
	m.size = len(`{"role":""}`) + len(m.role.String())
	for _, rule := range rulesOfRole[m.role] {
		if !d.keys.has(rule.id) {
			if rule.required {
				return at(fieldErr("missing, want %s", rule.shape.want), messageKeyNames[rule.id])
			}
			continue
		}
		v := &mem[rule.id]
		err := rule.shape.check(v)
		if err == nil {
			err = d.check(m, rule.id, v)
		}
		if err != nil {
			return at(err, messageKeyNames[rule.id])
		}
		if v.kind != kindNull {
			m.size += memberSize(rule.id, v.canon)
		}
	}
	m.blocks = d.parts.content.blocks
	m.content = span{mem[mkContent].start - start, mem[mkContent].end - start}
	if d.keys.has(mkID) && mem[mkID].kind == kindString {
		m.id = mem[mkID].str.bytes()
	}
	if d.keys.has(mkDetails) && (m.role == RoleFunctionResult || m.role == RoleCustom) {
		m.details = span{mem[mkDetails].start - start, mem[mkDetails].end - start}
	}
	m.estimate = m.size
	if m.role == RoleFunctionResult {
		d.fillResult(m)
	}
	return nil
}

// check judges the inside of a member that has the right JSON type.
func (d *decoder) check(m *Message, id int, v *member) error {
	switch id {
	case mkContent:
		return d.parts.content.bad
	case mkWarnings:
		if v.kind == kindArray && d.parts.badWarning > 0 {
			return atIndex(fieldErr("want a string, got %v", d.parts.badKind), d.parts.badWarning-1)
		}
	case mkUsage:
		if v.kind == kindObject {
			return d.parts.badUsage
		}
	case mkTimestamp:
		ts, err := int64Of(d.slice(v))
		m.timestamp, v.canon = ts, digitsOf(ts)
		return err
	}
	return nil
}

// fillResult completes a function_result message, of which details and is_error
// are always part of the canonical form.
func (d *decoder) fillResult(m *Message) {
	mem := &d.members
	m.callID, m.functionID = mem[mkFunctionCallID].str.bytes(), mem[mkFunctionID].str.bytes()
	if d.keys.has(mkIsError) {
		m.isError = d.data[mem[mkIsError].start] == 't'
	} else {
		m.size += memberSize(mkIsError, len("false"))
	}
	details := len("null")
	if d.keys.has(mkDetails) && mem[mkDetails].kind != kindNull {
		details = mem[mkDetails].canon
	} else {
		m.size += memberSize(mkDetails, len("null"))
	}
	m.denied = d.parts.denied
	m.estimate = m.size
	if !m.denied {
		m.estimate -= details - len("null")
	}
}

// memberSize is what a member with a value of n bytes adds to an object that
// already has one: comma, quoted key, colon, value.
func memberSize(id, n int) int { return len(messageKeyNames[id]) + 4 + n }

func digitsOf(v int64) int {
	var b [20]byte
	return len(strconv.AppendInt(b[:0], v, 10))
}

// details passes a details object and tells whether its status is "denied", in
// the same pass since details can be as large as the content.
func (d *decoder) details() (canon int, denied bool, err error) {
	if err := d.enter(); err != nil {
		return 0, false, err
	}
	canon = 2
	for first := true; ; first = false {
		key, more, err := d.nextKey(first)
		if !more || err != nil {
			return canon, denied, err
		}
		v := &d.other
		if err := d.memberValue(v); err != nil {
			return 0, false, err
		}
		if string(key.bytes()) == "status" {
			denied = v.kind == kindString && string(v.str.bytes()) == "denied"
		}
		canon += key.canon + 3 + v.canon
		if !first {
			canon++
		}
	}
}

// stringArray passes an array and tells the 1-based index of the first element
// that is no string, or 0.
func (d *decoder) stringArray() (canon, bad int, badKind kind, err error) {
	if err := d.enter(); err != nil {
		return 0, 0, 0, err
	}
	canon = 2
	if d.leave(']') {
		return canon, 0, 0, nil
	}
	for i := 1; ; i++ {
		if k := d.kind(); k != kindString && bad == 0 {
			bad, badKind = i, k
		}
		n, err := d.value()
		if err != nil {
			return 0, 0, 0, atIndex(err, i-1)
		}
		canon += n
		done, err := d.next(']', "a comma or ]")
		if done || err != nil {
			return canon, bad, badKind, err
		}
		canon++
	}
}
