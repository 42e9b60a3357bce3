package window

import (
	"slices"

	"context-manager/internal/agent"
)

// Sizer says what things cost, in tokens.
type Sizer interface {
	// Message is the cost of a whole message.
	Message(m *agent.Message) uint64
	// ResultText is the cost of the text of a function result message.
	ResultText(m *agent.Message) uint64
	// Text is the cost of a bare text.
	Text(s []byte) uint64
}

// View is a history under work: the messages, what each costs and where each
// stands in the request. It never changes the list it was made from.
type View struct {
	messages []agent.Message
	sizes    []uint64
	origin   []int // nil while every message stands at its own index
	total    uint64
	sizer    Sizer
	owned    bool // messages is a copy that may be written to
}

// NewView sizes the messages that keep accepts; a nil keep accepts all.
func NewView(list []agent.Message, sizer Sizer, keep func(*agent.Message) bool) *View {
	v := &View{sizer: sizer}
	kept := len(list)
	if keep != nil {
		kept = 0
		for i := range list {
			if keep(&list[i]) {
				kept++
			}
		}
	}
	if kept == len(list) {
		v.messages = list
	} else {
		v.owned = true
		v.messages = make([]agent.Message, 0, kept)
		v.origin = make([]int, 0, kept)
		for i := range list {
			if keep(&list[i]) {
				v.messages = append(v.messages, list[i])
				v.origin = append(v.origin, i)
			}
		}
	}
	v.sizes = make([]uint64, len(v.messages))
	for i := range v.messages {
		v.sizes[i] = sizer.Message(&v.messages[i])
		v.total = Add(v.total, v.sizes[i])
	}
	return v
}

// Len returns the number of messages.
func (v *View) Len() int { return len(v.messages) }

// At returns message i.
func (v *View) At(i int) *agent.Message { return &v.messages[i] }

// Size returns what message i costs, in tokens.
func (v *View) Size(i int) uint64 { return v.sizes[i] }

// Total returns what all messages cost, in tokens.
func (v *View) Total() uint64 { return v.total }

// Origin returns where message i stands in the request.
func (v *View) Origin(i int) int {
	if v.origin == nil {
		return i
	}
	return v.origin[i]
}

// Messages returns the messages as they are now; the slice must not be changed.
func (v *View) Messages() agent.Messages { return v.messages }

// Sum returns what messages from a up to, not including, b cost, in tokens.
func (v *View) Sum(a, b int) uint64 { return Add(v.sizes[a:b]...) }

// From returns the view of the messages from i on.
func (v *View) From(i int) *View {
	out := &View{sizer: v.sizer, messages: slices.Clone(v.messages[i:]), owned: true}
	out.sizes = slices.Clone(v.sizes[i:])
	out.total = Add(out.sizes...)
	for k := i; k < len(v.messages); k++ {
		out.origin = append(out.origin, v.Origin(k))
	}
	return out
}

// replace puts a rewritten message in place of message i.
func (v *View) replace(i int, m agent.Message) {
	if !v.owned {
		v.messages = slices.Clone(v.messages)
		v.owned = true
	}
	v.messages[i] = m
	old := v.sizes[i]
	v.sizes[i] = v.sizer.Message(&v.messages[i])
	v.total = Add(sub(v.total, old), v.sizes[i])
}
