package summary

import (
	"strconv"
	"unicode"

	"context-manager/internal/agent"
)

// maxName bounds a function's name on a label line, in bytes. A name is
// repeated on every result, so that one long name could blow up a prompt.
const maxName = 256

// callNames knows which function a result answers: the newest earlier call with
// its id that has no answer yet.
type callNames struct {
	calls map[string]*openCalls
}

// openCalls are the calls of one id.
type openCalls struct {
	unanswered [][]byte // functions, newest last
	answered   []byte   // function of the call answered last
}

// call learns a call.
func (n *callNames) call(b *agent.Block) {
	if n.calls == nil {
		n.calls = map[string]*openCalls{}
	}
	c := n.calls[string(b.CallID())]
	if c == nil {
		c = &openCalls{}
		n.calls[string(b.CallID())] = c
	}
	c.unanswered = append(c.unanswered, b.FunctionID())
}

// answer pairs a result with its call and returns the call's function; empty
// means that nobody knows it. A second answer to a call has the name of the
// first.
func (n *callNames) answer(id []byte) []byte {
	c := n.calls[string(id)]
	switch {
	case c == nil:
		return nil
	case len(c.unanswered) > 0:
		last := len(c.unanswered) - 1
		c.answered = c.unanswered[last]
		c.unanswered = c.unanswered[:last]
	}
	return c.answered
}

// appendName appends a function's name so that it stays one word: names with
// white space or controls are quoted, long ones cut.
func appendName(dst, name []byte) []byte {
	text := string(name[:Prefix(name, maxName)])
	if len(text) < len(name) {
		text += truncated
	}
	for _, r := range text {
		if unicode.IsSpace(r) || !unicode.IsGraphic(r) || r == '"' {
			return strconv.AppendQuote(dst, text)
		}
	}
	if text == "" {
		return append(dst, `""`...)
	}
	return append(dst, text...)
}
