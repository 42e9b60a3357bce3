package main

import (
	"bytes"
	"fmt"
	"strings"
	"time"

	"context-manager/internal/agent"
	"context-manager/internal/tokens"
)

// fitting is one assembled context beside the history it was made from.
type fitting struct {
	history      transcript
	before       byRole
	answer       *assembled
	pruned       []change // to a placeholder
	reduced      []change // to a reference
	sent, got    int      // bytes on the wire
	call, decode time.Duration
}

// change is one message that came back rewritten.
type change struct {
	index         int // in the request
	call          madeCall
	before, after uint64 // tokens of the message
	text          string // what it reads now
}

func (c change) freed() uint64 { return c.before - min(c.before, c.after) }

// fit assembles a history through the engine.
func (s *stage) fit(namespace string, history transcript) (*fitting, error) {
	f := &fitting{history: history}
	request := demoRequest(history)
	answer, took, err := s.call(namespace, "context::assemble", request)
	if err != nil {
		return nil, err
	}
	began := time.Now()
	if f.answer, err = decodeAssembled(answer); err != nil {
		return nil, err
	}
	f.call, f.decode, f.sent, f.got = took, time.Since(began), len(request), len(answer)
	f.before = f.roles(0, len(history.messages))
	return f, f.compare()
}

// The texts by which rewritten results are known. They are part of the wire
// contract.
const (
	prunedMark  = "[output pruned: was ~"
	reducedMark = "[function result reduced for context budget] "
)

// compare finds the messages that came back rewritten.
func (f *fitting) compare() error {
	from := f.answer.Applied.TailStartIndex
	if from < 0 || from+len(f.answer.messages) != len(f.history.messages) {
		return fmt.Errorf("%d messages came back for those from %d of %d", len(f.answer.messages), from, len(f.history.messages))
	}
	for k := range f.answer.messages {
		was, is := &f.history.messages[from+k], &f.answer.messages[k]
		if bytes.Equal(was.Raw(), is.Raw()) {
			continue
		}
		c := change{
			index: from + k, call: f.history.calls[string(was.CallID())],
			before: size(was), after: size(is), text: string(is.AppendText(nil)),
		}
		switch {
		case strings.HasPrefix(c.text, prunedMark):
			f.pruned = append(f.pruned, c)
		case strings.HasPrefix(c.text, reducedMark):
			f.reduced = append(f.reduced, c)
		default:
			// An engine may sort keys, and the bundled messages have theirs sorted.
			return fmt.Errorf("message %d came back changed, and is no placeholder", c.index)
		}
	}
	return nil
}

// size counts as the worker does for a model whose encoding is not public.
func size(m *agent.Message) uint64 { return tokens.NewHeuristic(0).Message(m) }

// roles sums the request's messages from a up to b by role.
func (f *fitting) roles(a, b int) (sum byRole) {
	for i := a; i < b; i++ {
		m := &f.history.messages[i]
		switch m.Role() {
		case agent.RoleUser:
			sum.User += size(m)
		case agent.RoleAssistant:
			sum.Assistant += size(m)
		case agent.RoleFunctionResult:
			sum.FunctionResult += size(m)
		}
	}
	return sum
}

func (r byRole) total() uint64 { return r.User + r.Assistant + r.FunctionResult }

// excess is by how many tokens the request was too large.
func (f *fitting) excess() uint64 { return f.answer.Applied.InitialTokenCount - f.answer.Usable }

// freed sums what changes have freed.
func freed(list []change) (sum uint64) {
	for _, c := range list {
		sum += c.freed()
	}
	return sum
}

// share is part of whole in per cent.
func share(part, whole uint64) float64 { return 100 * float64(part) / float64(max(whole, 1)) }
