package agent

// content is an array that has been read where content blocks may stand. The
// block around it tells its type only later, and an unknown type makes the
// array an opaque value; so both readings are kept, and no input is read twice.
type content struct {
	blocks []Block // when it is content
	size   int     // bytes of the canonical form, as content blocks
	whole  int     // bytes of the canonical form, as an opaque value
	bad    error   // why the array is no content; nil when it is
}

// blockFrame holds what is known of one block while its members are read, and
// the finished blocks of all arrays that are as deep.
type blockFrame struct {
	keys    keyset
	members [bkCount]member // valid where keys has the bit
	slab    []Block         // its end is the array being read
	open    int             // where in the slab that array starts
	read    int             // blocks in all slabs so far
}

// frame returns the frame of blocks that are nested that deep.
func (d *decoder) frame(level int) *blockFrame {
	if level == 0 {
		return &d.outer
	}
	if level > len(d.frames) {
		d.frames = append(d.frames, new(blockFrame))
	}
	return d.frames[level-1]
}

// push adds a block to the array being read. Arrays must be contiguous and
// finished ones must not move, so a full slab is left to the blocks in it and a
// new one begun with the open array.
func (d *decoder) push(f *blockFrame) *Block {
	if len(f.slab) == cap(f.slab) {
		open := f.slab[f.open:]
		f.slab = make([]Block, len(open), len(open)+d.room(f.read, 1, minBlockBytes))
		copy(f.slab, open)
		f.open = 0
	}
	f.read++
	f.slab = f.slab[:len(f.slab)+1]
	return &f.slab[len(f.slab)-1]
}

// content reads the array that starts here. An error is about the text itself;
// an array that is no content only sets bad.
func (d *decoder) content(level int) (c content, err error) {
	if err := d.enter(); err != nil {
		return c, err
	}
	c.size, c.whole = 2, 2
	if d.leave(']') {
		return c, nil
	}
	f := d.frame(level)
	f.open = len(f.slab)
	for i := 0; ; i++ {
		var size, whole int
		if c.bad != nil { // no element can mend it
			whole, err = d.value()
		} else if size, whole, c.bad, err = d.block(level, f); c.bad != nil {
			c.bad = atIndex(c.bad, i)
		}
		if err != nil {
			return c, atIndex(err, i)
		}
		c.size += size
		c.whole += whole
		done, err := d.next(']', "a comma or ]")
		if err != nil {
			return c, err
		}
		if done {
			break
		}
		c.size++
		c.whole++
	}
	c.blocks = f.slab[f.open:len(f.slab):len(f.slab)]
	return c, nil
}

// block reads one content block that starts here into the open array. size and
// whole are the lengths of its canonical form as a block and as an opaque value.
func (d *decoder) block(level int, f *blockFrame) (size, whole int, bad, err error) {
	start := d.pos
	if k := d.kind(); k != kindObject {
		if k == 0 {
			return 0, 0, nil, d.unexpected("a content block")
		}
		whole, err = d.value()
		return 0, whole, fieldErr("want a content block (an object), got %v", k), err
	}
	f.keys.reset()
	if err := d.enter(); err != nil {
		return 0, 0, nil, err
	}
	whole = 2
	var inner content
	for first := true; ; first = false {
		key, more, err := d.nextKey(first)
		if err != nil {
			return 0, 0, nil, err
		}
		if !more {
			break
		}
		id := blockKey(key)
		if !f.keys.add(id, key) && bad == nil {
			bad = duplicate(key)
		}
		m := &d.other
		if id >= 0 {
			m = &f.members[id]
		}
		if id == bkContent && d.kind() == kindArray {
			m.kind, m.start = kindArray, d.pos
			inner, err = d.content(level + 1)
			m.end, m.canon = d.pos, inner.whole
		} else {
			err = d.memberValue(m)
		}
		if err != nil {
			return 0, 0, nil, atKey(err, key)
		}
		if !first {
			whole++
		}
		whole += key.canon + 3 + m.canon
	}
	if bad != nil {
		return 0, whole, bad, nil
	}
	b := d.push(f)
	*b = Block{raw: d.data[start:d.pos:d.pos]}
	if bad := d.fillBlock(b, f, &inner, whole); bad != nil {
		return 0, whole, bad, nil
	}
	return b.size, whole, nil, nil
}

// memberValue passes a value and remembers where it is and what it would be.
func (d *decoder) memberValue(m *member) (err error) {
	m.start = d.pos
	if m.kind = d.kind(); m.kind == kindString {
		m.str, err = d.str()
		m.canon = m.str.canon + 2
	} else {
		m.canon, err = d.value()
	}
	m.end = d.pos
	return err
}

// fillBlock checks the members against the block's type and takes what later
// passes ask for. whole is the canonical size of every member.
func (d *decoder) fillBlock(b *Block, f *blockFrame, inner *content, whole int) error {
	mem := &f.members
	if !f.keys.has(bkType) {
		return at(fieldErr("missing, want the block's type (a string)"), "type")
	}
	if mem[bkType].kind != kindString {
		return at(fieldErr("want a string, got %v", mem[bkType].kind), "type")
	}
	b.typ = blockTypeOf(mem[bkType].str.bytes())
	if b.typ == BlockUnknown {
		b.size = whole
		return nil
	}
	for _, rule := range rulesOfBlock[b.typ] {
		switch {
		case f.keys.has(rule.id):
			if err := rule.shape.check(&mem[rule.id]); err != nil {
				return at(err, blockKeyNames[rule.id])
			}
		case rule.required:
			return at(fieldErr("missing, want %s", rule.shape.want), blockKeyNames[rule.id])
		}
	}
	switch b.typ {
	case BlockText:
		b.text = mem[bkText].str
		b.size = len(`{"type":"text","text":}`) + mem[bkText].canon
	case BlockThinking:
		b.text = mem[bkText].str
		b.size = len(`{"type":"thinking","text":}`) + mem[bkText].canon
		if f.keys.has(bkSignature) && mem[bkSignature].kind == kindString {
			b.name = mem[bkSignature].str.bytes()
			b.has |= hasSignature
			b.size += len(`,"signature":`) + mem[bkSignature].canon
		}
	case BlockImage:
		b.text = mem[bkData].str
		b.name = mem[bkMime].str.bytes()
		b.size = len(`{"type":"image","mime":,"data":}`) + mem[bkMime].canon + mem[bkData].canon
	case BlockFunctionCall:
		b.callID, b.name = mem[bkID].str.bytes(), mem[bkFunctionID].str.bytes()
		b.argCanon = len("null")
		if f.keys.has(bkArguments) {
			b.arguments = d.slice(&mem[bkArguments])
			b.argCanon = mem[bkArguments].canon
		}
		b.size = len(`{"type":"function_call","id":,"function_id":,"arguments":}`) +
			mem[bkID].canon + mem[bkFunctionID].canon + b.argCanon
	case BlockFunctionResult:
		if inner.bad != nil {
			return at(inner.bad, "content")
		}
		b.callID = mem[bkFunctionCallID].str.bytes()
		b.inner = inner.blocks
		b.size = len(`{"type":"function_result","function_call_id":,"content":}`) +
			mem[bkFunctionCallID].canon + inner.size
		if f.keys.has(bkIsError) && mem[bkIsError].kind == kindBool {
			b.has |= hasIsError
			if d.data[mem[bkIsError].start] == 't' {
				b.has |= isTrueError
			}
			b.size += len(`,"is_error":`) + mem[bkIsError].canon
		}
	}
	return nil
}

// slice is the text of a member's value.
func (d *decoder) slice(m *member) []byte { return d.data[m.start:m.end:m.end] }
