package summary

import (
	"context-manager/internal/agent"
)

// RenderOptions say how much of a head is rendered. The zero value keeps no function output.
type RenderOptions struct {
	// MaxOutput is how much of one function result's text is kept, in bytes. Of
	// a longer one, six tenths stay of its beginning and four tenths of its end,
	// where errors mostly stand.
	MaxOutput uint64
}

// What stands for blocks whose bytes no summary needs.
const (
	imageStripped   = "\n[image stripped]"
	callStripped    = "\n[function_call stripped]"
	unknownStripped = "\n[unknown block stripped]"
)

// labelToolCall labels a call; other labels are the names of roles.
const labelToolCall = "tool_call"

// Render returns the text of a head that goes between the conversation tags,
// fenced. Thinking stays out, as do the bytes of images and of blocks of unknown
// types. User texts, assistant texts and arguments are never cut.
func Render(head []agent.Message, o RenderOptions) []byte {
	r := renderer{max: o.MaxOutput}
	for i := range head {
		r.message(&head[i])
	}
	return r.out
}

// renderer writes labelled sections. The content of a section is collected raw
// and escaped as a whole, since a tag may be spread over two blocks.
type renderer struct {
	max   uint64
	names callNames
	out   []byte
	raw   []byte // the open section after its label
	text  []byte // scratch for one text
}

func (r *renderer) message(m *agent.Message) {
	r.out = append(r.out, '\n')
	if m.Role() == agent.RoleFunctionResult {
		name := r.names.answer(m.CallID())
		if len(m.FunctionID()) > 0 {
			name = m.FunctionID()
		}
		r.result(name, m.IsError(), m.Blocks())
		return
	}
	role := m.Role().String()
	blocks := m.Blocks()
	speaking := false // the open section is the message's own
	speak := func() {
		if !speaking {
			r.open(role)
			speaking = true
		}
	}
	silent := true
	for i := range blocks {
		switch b := &blocks[i]; b.Type() {
		case agent.BlockThinking:
			continue
		case agent.BlockFunctionCall:
			r.end(&speaking)
			r.call(b)
		case agent.BlockFunctionResult:
			r.end(&speaking)
			r.result(r.names.answer(b.CallID()), b.IsError(), b.Inner())
		case agent.BlockText:
			speak()
			r.raw = b.AppendText(append(r.raw, '\n'))
		case agent.BlockImage:
			speak()
			r.raw = append(r.raw, imageStripped...)
		default:
			speak()
			r.raw = append(r.raw, unknownStripped...)
		}
		silent = false
	}
	if silent {
		speak()
	}
	r.end(&speaking)
}

// call writes a function call on one line.
func (r *renderer) call(b *agent.Block) {
	r.names.call(b)
	r.open(labelToolCall)
	r.raw = appendName(append(r.raw, ' '), b.FunctionID())
	r.raw = b.AppendArguments(append(r.raw, ' '))
	r.close()
}

// open starts a section with its label.
func (r *renderer) open(label string) {
	r.out = append(r.out, mark+" ["...)
	r.out = append(r.out, label...)
	r.out = append(r.out, ']')
	r.raw = r.raw[:0]
}

// close ends the open section.
func (r *renderer) close() {
	r.out = append(appendEscaped(r.out, r.raw), '\n')
}

// end closes the message's own section if it is open.
func (r *renderer) end(speaking *bool) {
	if *speaking {
		r.close()
		*speaking = false
	}
}
