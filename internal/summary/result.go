package summary

import (
	"context-manager/internal/agent"
)

// result writes what a function gave back.
func (r *renderer) result(name []byte, failed bool, blocks []agent.Block) {
	r.open(agent.RoleFunctionResult.String())
	if len(name) > 0 {
		r.raw = appendName(append(r.raw, ' '), name)
	}
	if failed {
		r.raw = append(r.raw, " (error)"...)
	}
	total := outputLen(blocks)
	o := output{r: r, headEnd: total, tailStart: total, marked: true}
	if uint64(total) > r.max {
		limit := int(r.max) // below total
		o.headEnd = limit/10*6 + limit%10*6/10
		o.tailStart = total - (limit/10*4 + limit%10*4/10)
		o.marked = false
	}
	o.blocks(blocks)
	r.close()
}

// outputLen returns the bytes of the texts of a result, those of results inside
// it included. Nesting is bounded by the decoder.
func outputLen(blocks []agent.Block) int {
	n := 0
	for i := range blocks {
		switch b := &blocks[i]; b.Type() {
		case agent.BlockText:
			n += b.TextLen()
		case agent.BlockFunctionResult:
			n += outputLen(b.Inner())
		}
	}
	return n
}

// output writes the texts of one result as if they were one, leaving out the
// bytes from headEnd to tailStart.
type output struct {
	r                  *renderer
	headEnd, tailStart int
	at                 int  // bytes of text passed
	marked             bool // nothing is left out, or the mark stands already
}

func (o *output) blocks(blocks []agent.Block) {
	r := o.r
	for i := range blocks {
		switch b := &blocks[i]; b.Type() {
		case agent.BlockThinking:
		case agent.BlockText:
			o.text(b)
		case agent.BlockImage:
			r.raw = append(r.raw, imageStripped...)
		case agent.BlockFunctionCall:
			r.names.call(b)
			r.raw = append(r.raw, callStripped...)
		case agent.BlockFunctionResult:
			r.names.answer(b.CallID())
			o.blocks(b.Inner())
		default:
			r.raw = append(r.raw, unknownStripped...)
		}
	}
}

// text writes one text, or what is kept of it.
func (o *output) text(b *agent.Block) {
	r := o.r
	start, end := o.at, o.at+b.TextLen()
	o.at = end
	switch {
	case end <= o.headEnd && (o.marked || end < o.headEnd), start >= o.tailStart && o.marked:
		r.raw = b.AppendText(append(r.raw, '\n'))
		return
	case o.marked && start >= o.headEnd && end <= o.tailStart:
		return
	}
	r.text = b.AppendText(r.text[:0])
	r.raw = append(r.raw, '\n')
	r.raw = append(r.raw, r.text[:Prefix(r.text, o.headEnd-start)]...)
	if !o.marked && end >= o.headEnd {
		r.raw = append(r.raw, truncated...)
		o.marked = true
	}
	r.raw = append(r.raw, r.text[suffix(r.text, end-o.tailStart):]...)
}
