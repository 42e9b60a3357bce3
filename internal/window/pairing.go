package window

import (
	"hash/maphash"

	"context-manager/internal/agent"
)

// A result, whether a message or a block inside one, answers the newest
// earlier call with its id that has no answer yet.

// Loose is a result that answers no call of its own.
type Loose struct {
	// Index is the message's position in the view.
	Index int
	// CallID is the id the result names.
	CallID []byte
	// Duplicate tells a second answer to an answered call from a result whose
	// call is not there.
	Duplicate bool
}

// Pairing says which calls and results of a view belong together.
type Pairing struct {
	// Loose lists the results without a call of their own, in order.
	Loose []Loose
	// held counts, per cut, the pairs that a cut before that message parts.
	held []int32
}

// Holds reports whether a pair lies across a cut before message i.
func (p *Pairing) Holds(i int) bool { return p.held != nil && p.held[i] > 0 }

// Pair finds the pairs of a view. Its work is linear: a call leaves the stack
// of its id when it is answered.
func Pair(v *View) Pairing {
	calls, results := 0, 0
	for i := range v.messages {
		c, r := count(v.messages[i].Blocks())
		calls += c
		results += r
		if v.messages[i].Role() == agent.RoleFunctionResult {
			results++
		}
	}
	if results == 0 {
		return Pairing{}
	}
	p := Pairing{held: make([]int32, len(v.messages)+1)}
	t := newIDTable(calls)
	for i := range v.messages {
		m := &v.messages[i]
		if m.Role() == agent.RoleFunctionResult {
			p.answer(t, i, m.CallID())
		}
		p.walk(t, i, m.Blocks())
	}
	for i, sum := 0, int32(0); i < len(p.held); i++ {
		sum += p.held[i]
		p.held[i] = sum
	}
	return p
}

func (p *Pairing) walk(t *idTable, i int, blocks []agent.Block) {
	for k := range blocks {
		switch b := &blocks[k]; b.Type() {
		case agent.BlockFunctionCall:
			t.push(b.CallID(), i)
		case agent.BlockFunctionResult:
			p.answer(t, i, b.CallID())
			p.walk(t, i, b.Inner())
		}
	}
}

func (p *Pairing) answer(t *idTable, i int, id []byte) {
	call, known := t.pop(id)
	if call < 0 {
		p.Loose = append(p.Loose, Loose{Index: i, CallID: id, Duplicate: known})
		return
	}
	if call < i { // the cuts before call+1 … i part them
		p.held[call+1]++
		p.held[i+1]--
	}
}

func count(blocks []agent.Block) (calls, results int) {
	for k := range blocks {
		switch blocks[k].Type() {
		case agent.BlockFunctionCall:
			calls++
		case agent.BlockFunctionResult:
			results++
			c, r := count(blocks[k].Inner())
			calls += c
			results += r
		}
	}
	return calls, results
}

// idTable maps call ids to their unanswered calls, newest first. It is an open
// table of its own because a map's allocations grow with its size, and this
// runs on every request.
type idTable struct {
	seed  maphash.Seed
	slots []idSlot
	calls []openCall
}

type idSlot struct {
	id   []byte
	used bool
	top  int32 // newest unanswered call, -1 when all are answered
}

type openCall struct {
	message int32
	below   int32
}

func newIDTable(calls int) *idTable {
	n := 8
	for n < calls*2 {
		n *= 2
	}
	return &idTable{seed: maphash.MakeSeed(), slots: make([]idSlot, n), calls: make([]openCall, 0, calls)}
}

func (t *idTable) slot(id []byte) *idSlot {
	mask := uint64(len(t.slots) - 1)
	for h := maphash.Bytes(t.seed, id); ; h++ {
		s := &t.slots[h&mask]
		if !s.used || string(s.id) == string(id) {
			return s
		}
	}
}

func (t *idTable) push(id []byte, message int) {
	s := t.slot(id)
	if !s.used {
		*s = idSlot{id: id, used: true, top: -1}
	}
	t.calls = append(t.calls, openCall{message: int32(message), below: s.top})
	s.top = int32(len(t.calls) - 1)
}

// pop takes the newest unanswered call with the id and returns its message, or
// -1; known tells whether any call with the id has been seen.
func (t *idTable) pop(id []byte) (message int, known bool) {
	s := t.slot(id)
	if !s.used || s.top < 0 {
		return -1, s.used
	}
	c := t.calls[s.top]
	s.top = c.below
	return int(c.message), true
}
