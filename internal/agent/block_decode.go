package agent

// block reads one content block that starts here. The content of a
// function_result block is only passed; innerBlocks reads it afterwards, so
// that a message's blocks stand next to each other in the slab and no input
// makes the decoder recurse.
func (d *decoder) block(parent, index int) error {
	start := d.pos
	if d.kind() != kindObject {
		if d.kind() == 0 {
			return d.unexpected("a content block")
		}
		return fieldErr("want a content block (an object), got %v", d.kind())
	}
	d.keys.reset()
	if err := d.enter(); err != nil {
		return err
	}
	inside := d.depth
	size := 2
	if !d.leave('}') {
		for {
			key, err := d.key()
			if err != nil {
				return err
			}
			id := blockKey(key)
			if !d.keys.add(id, key) {
				return duplicate(key)
			}
			m, err := d.memberValue()
			if err != nil {
				return at(err, string(key.bytes()))
			}
			if id >= 0 {
				d.members[id] = m
			}
			size += key.canon + 3 + m.canon
			done, err := d.next('}', "a comma or }")
			if err != nil {
				return err
			}
			if done {
				break
			}
			size++
		}
	}
	b := Block{raw: d.data[start:d.pos], parent: int32(parent), index: int32(index)}
	if err := d.fillBlock(&b, size); err != nil {
		return err
	}
	b.contentDepth = inside
	d.blocks = append(d.blocks, b)
	return nil
}

// memberValue passes a value and remembers where it is and what it would be.
func (d *decoder) memberValue() (member, error) {
	m := member{kind: d.scanner.kind(), start: d.pos}
	var err error
	if m.kind == kindString {
		m.str, err = d.str()
		m.canon = m.str.canon + 2
	} else {
		m.canon, err = d.value()
	}
	m.end = d.pos
	return m, err
}

// fillBlock checks the members against the block's type and takes what later
// passes ask for. whole is the canonical size of every member.
func (d *decoder) fillBlock(b *Block, whole int) error {
	if !d.keys.has(bkType) {
		return at(fieldErr("missing, want the block's type (a string)"), "type")
	}
	mem := &d.members
	if mem[bkType].kind != kindString {
		return at(fieldErr("want a string, got %v", mem[bkType].kind), "type")
	}
	b.typ = blockTypeOf(mem[bkType].str.bytes())
	if b.typ == BlockUnknown {
		b.size = whole
		return nil
	}
	rules := &rulesOfBlock[b.typ]
	for _, id := range rules.required {
		if !d.keys.has(id) {
			return at(fieldErr("missing, want %s", rules.shapes[id].want), blockKeyNames[id])
		}
	}
	for id := 0; id < bkCount; id++ {
		if w := &rules.shapes[id]; w.kinds != 0 && d.keys.has(id) {
			if err := w.check(&mem[id]); err != nil {
				return at(err, blockKeyNames[id])
			}
		}
	}
	switch b.typ {
	case BlockText:
		b.text = mem[bkText].str
		b.size = len(`{"type":"text","text":}`) + mem[bkText].canon
	case BlockThinking:
		b.text = mem[bkText].str
		b.size = len(`{"type":"thinking","text":}`) + mem[bkText].canon
		if d.keys.has(bkSignature) && mem[bkSignature].kind == kindString {
			b.signature, b.hasSign = mem[bkSignature].str, true
			b.size += len(`,"signature":`) + mem[bkSignature].canon
		}
	case BlockImage:
		b.text = mem[bkData].str
		b.mime = mem[bkMime].str.bytes()
		b.size = len(`{"type":"image","mime":,"data":}`) + mem[bkMime].canon + mem[bkData].canon
	case BlockFunctionCall:
		b.callID, b.functionID = mem[bkID].str.bytes(), mem[bkFunctionID].str.bytes()
		b.argCanon = len("null")
		if d.keys.has(bkArguments) {
			b.arguments = d.data[mem[bkArguments].start:mem[bkArguments].end]
			b.argCanon = mem[bkArguments].canon
		}
		b.size = len(`{"type":"function_call","id":,"function_id":,"arguments":}`) +
			mem[bkID].canon + mem[bkFunctionID].canon + b.argCanon
	case BlockFunctionResult:
		b.callID = mem[bkFunctionCallID].str.bytes()
		b.contentAt = mem[bkContent].start
		b.size = len(`{"type":"function_result","function_call_id":,"content":}`) + mem[bkFunctionCallID].canon
		if d.keys.has(bkIsError) && mem[bkIsError].kind == kindBool {
			b.hasIsError, b.isError = true, d.data[mem[bkIsError].start] == 't'
			b.size += len(`,"is_error":`) + mem[bkIsError].canon
		}
	}
	return nil
}

// innerBlocks reads the contents of the function_result blocks from slab index
// first on, level by level, and completes their sizes from the last level up.
func (d *decoder) innerBlocks(first int) error {
	pos, depth := d.pos, d.depth
	for i := first; i < len(d.blocks); i++ {
		if d.blocks[i].typ != BlockFunctionResult {
			continue
		}
		d.pos, d.depth = d.blocks[i].contentAt, d.blocks[i].contentDepth
		a := len(d.blocks)
		if err := d.blockArray(i); err != nil {
			return d.blockPath(err, i)
		}
		d.blocks[i].innerA, d.blocks[i].innerB = int32(a), int32(len(d.blocks))
		d.nested = append(d.nested, int32(i))
	}
	for i := len(d.blocks) - 1; i >= first; i-- {
		if b := &d.blocks[i]; b.typ == BlockFunctionResult {
			b.size += contentSize(d.blocks[b.innerA:b.innerB])
		}
	}
	d.pos, d.depth = pos, depth
	return nil
}

// blockArray reads an array of blocks into the slab.
func (d *decoder) blockArray(parent int) error {
	if err := d.enter(); err != nil {
		return err
	}
	if d.leave(']') {
		return nil
	}
	for i := 0; ; i++ {
		if err := d.block(parent, i); err != nil {
			return at(atIndex(err, i), "content")
		}
		done, err := d.next(']', "a comma or ]")
		if err != nil {
			return at(err, "content")
		}
		if done {
			return nil
		}
	}
}

// blockPath puts the path of slab block i, from its message on, before err's.
func (d *decoder) blockPath(err error, i int) error {
	for i >= 0 {
		b := &d.blocks[i]
		err = at(atIndex(err, int(b.index)), "content")
		i = int(b.parent)
	}
	return err
}

// contentSize is the canonical size of an array of blocks.
func contentSize(blocks []Block) int {
	n := 2
	for i := range blocks {
		n += blocks[i].size
	}
	if len(blocks) > 1 {
		n += len(blocks) - 1
	}
	return n
}
