package main

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// session is a conversation being recorded. After the first error it records
// nothing more, so a story need not look at errors.
type session struct {
	w        *workspace
	messages [][]byte
	made     int // messages made so far, also those that were taken
	calls    int
	now      int64 // milliseconds
	err      error
}

// begin is the time of the first message. The clock of a session advances by
// the script, not by the machine.
const begin = 1_796_025_600_000

func newSession(w *workspace) *session { return &session{w: w, now: begin} }

// object is a JSON object; encoding/json sorts its keys, as an engine does.
type object = map[string]any

func textBlock(s string) object { return object{"type": "text", "text": s} }

// user records what the user says.
func (s *session) user(text string) {
	s.now += 48_000
	s.add(object{"role": "user", "content": []object{textBlock(text)}})
}

// say records an answer of the agent that ends its turn.
func (s *session) say(text string) { s.answer("end", textBlock(text)) }

// act records an answer that calls functions, and then what they return.
func (s *session) act(text string, calls ...call) {
	blocks := []object{textBlock(text)}
	ids := make([]string, len(calls))
	for i, c := range calls {
		s.calls++
		ids[i] = fmt.Sprintf("call-%03d", s.calls)
		blocks = append(blocks, object{"type": "function_call", "id": ids[i], "function_id": c.function, "arguments": c.arguments})
	}
	s.answer("function_call", blocks...)
	for i, c := range calls {
		if s.err != nil {
			return
		}
		done, err := c.do(s.w)
		if err != nil {
			s.err = fmt.Errorf("call %s: %w", ids[i], err)
			return
		}
		s.now += 900
		s.add(object{
			"role": "function_result", "function_call_id": ids[i], "function_id": c.function,
			"content": []object{textBlock(done.text)}, "details": done.details, "is_error": done.failed,
		})
	}
}

func (s *session) answer(stop string, blocks ...object) {
	s.now += 6_500
	// No model wrote this, and the message says so.
	s.add(object{"role": "assistant", "content": blocks, "stop_reason": stop, "model": "scripted", "provider": "transcript"})
}

func (s *session) add(m object) {
	if s.err != nil {
		return
	}
	s.made++
	m["id"] = fmt.Sprintf("message-%03d", s.made)
	m["timestamp"] = s.now
	raw, err := encode(m)
	if err != nil {
		s.err = err
		return
	}
	s.messages = append(s.messages, raw)
}

// take returns the messages since the last take.
func (s *session) take() [][]byte {
	out := s.messages
	s.messages = nil
	return out
}

// encode prints JSON compactly, with sorted keys and without escaping markup.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSpace(b.Bytes()), nil
}

// array prints messages as a JSON array, one a line.
func array(messages [][]byte) []byte {
	return append(append([]byte("[\n"), bytes.Join(messages, []byte(",\n"))...), "\n]\n"...)
}
