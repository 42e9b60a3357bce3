package devengine

import (
	"encoding/json"
	"errors"

	"github.com/google/uuid"
)

// field is a key that some message of the protocol has at its root.
type field uint8

const (
	fType field = iota
	fID
	fDescription
	fRequestFormat
	fResponseFormat
	fMetadata
	fInvocation
	fTriggerRequestFormat
	fCallRequestFormat
	fNamespace
	fTriggerType
	fFunctionID
	fConfig
	fTriggerNamespace
	fError
	fInvocationID
	fData
	fAction
	fTraceparent
	fBaggage
	fResult
	fPreviousWorkerID
	fReattachToken
	fName
	fParentServiceID
	numFields
)

var fieldNames = [numFields]string{
	"type", "id", "description", "request_format", "response_format", "metadata", "invocation",
	"trigger_request_format", "call_request_format", "namespace", "trigger_type", "function_id",
	"config", "trigger_namespace", "error", "invocation_id", "data", "action", "traceparent",
	"baggage", "result", "previous_worker_id", "reattach_token", "name", "parent_service_id",
}

var fieldByName = func() map[string]field {
	m := make(map[string]field, numFields)
	for i, name := range fieldNames {
		m[name] = field(i)
	}
	return m
}()

// span is a part of a frame's text; the zero span is an absent field.
type span struct{ lo, hi int }

// frame is one decoded message of a worker. Its text is the canonical form of
// all values; fields point into it.
type frame struct {
	kind  kind
	text  []byte
	at    [numFields]span
	split slot // where the caller's id goes in data

	invocation uuid.UUID // valid when named
	named      bool      // an invocation_id came with it
	action     action
	queue      string // of actionEnqueue
	fault      *fault // error of a result
}

// action is what an invokefunction asks for.
type action uint8

const (
	actionCall action = iota
	actionVoid
	actionEnqueue
)

// raw is the text of a field, nil when it is absent.
func (f *frame) raw(k field) []byte {
	s := f.at[k]
	if s.hi == 0 {
		return nil
	}
	return f.text[s.lo:s.hi:s.hi]
}

// some is raw, with null counting as absent.
func (f *frame) some(k field) []byte {
	if b := f.raw(k); string(b) != "null" {
		return b
	}
	return nil
}

// str is the string in a field; ok is false when it is absent or null.
func (f *frame) str(k field) (text string, ok bool) {
	if b := f.some(k); b != nil {
		return unquote(b), true
	}
	return "", false
}

// word is the string of a field that decode has found to be one.
func (f *frame) word(k field) string {
	text, _ := f.str(k)
	return text
}

// release gives the text back. No slice of the frame may be used afterwards.
func (f *frame) release() {
	giveBuffer(f.text)
	f.text = nil
}

var (
	errRoot = errors.New("the frame is no object")
	errKind = errors.New("unknown message type")
)

// decode reads one frame. Every error means that the engine skips it.
func (s *scanner) decode(text []byte) (*frame, error) {
	s.reset(text, takeBuffer(len(text)+len(text)/8))
	f, err := s.root()
	if err == nil {
		err = f.check()
	}
	if err != nil {
		giveBuffer(s.out)
		return nil, err
	}
	return f, nil
}

func (s *scanner) root() (*frame, error) {
	s.space()
	if s.peek() != '{' {
		return nil, errRoot
	}
	base, start, err := s.object(1)
	if err != nil {
		return nil, err
	}
	if err := s.end(); err != nil {
		return nil, err
	}
	f := &frame{text: s.out, split: s.split}
	unknown := 0
	for _, m := range s.members[base:] {
		key := s.out[m.key+1 : m.colon-1]
		if m.escaped {
			key = []byte(unquote(s.out[m.key:m.colon]))
		}
		k, ok := fieldByName[string(key)]
		if !ok {
			unknown++
			continue
		}
		if f.at[k].hi != 0 {
			return nil, errDuplicate
		}
		f.at[k] = span{m.colon + 1, m.end}
	}
	if unknown > 1 {
		// The rare case: let the sorting of an object tell whether one of the
		// keys nobody knows came twice.
		n := len(s.members)
		scratch := scanner{out: append([]byte(nil), s.out[start:]...), members: append([]member(nil), s.members[base:]...)}
		for i := range scratch.members {
			m := &scratch.members[i]
			m.key, m.colon, m.end = m.key-start, m.colon-start, m.end-start
		}
		scratch.order(0, 0)
		if len(scratch.members) != n-base {
			return nil, errDuplicate
		}
	}
	return f, nil
}

// jsonObject decodes an object into its members.
func jsonObject(text []byte) (map[string]json.RawMessage, bool) {
	if len(text) == 0 || text[0] != '{' {
		return nil, false
	}
	var m map[string]json.RawMessage
	if err := json.Unmarshal(text, &m); err != nil {
		return nil, false
	}
	return m, true
}
