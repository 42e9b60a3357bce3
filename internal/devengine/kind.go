package devengine

import (
	"errors"
	"fmt"

	"github.com/google/uuid"
)

// kind is the type of a message.
type kind uint8

const (
	kindIgnored kind = iota // known, and of no effect when a worker sends it
	kindRegisterFunction
	kindUnregisterFunction
	kindRegisterService
	kindRegisterTriggerType
	kindRegisterTrigger
	kindUnregisterTrigger
	kindTriggerResult
	kindInvoke
	kindResult
	kindPing
	kindReattach
)

// shape is what makes a message of one type decodable: fields that must hold a
// string, fields that may, and fields that must be there with any value.
// Fields not named may hold anything.
type shape struct {
	kind     kind
	strings  []field
	optional []field
	present  []field
}

var shapes = map[string]shape{
	"registerfunction":          {kindRegisterFunction, []field{fID}, []field{fDescription}, nil},
	"unregisterfunction":        {kindUnregisterFunction, []field{fID}, nil, nil},
	"registerservice":           {kindRegisterService, []field{fID}, []field{fName, fDescription, fParentServiceID}, nil},
	"registertriggertype":       {kindRegisterTriggerType, []field{fID, fDescription}, []field{fNamespace}, nil},
	"registertrigger":           {kindRegisterTrigger, []field{fID, fTriggerType, fFunctionID}, []field{fNamespace, fTriggerNamespace}, []field{fConfig}},
	"unregistertrigger":         {kindUnregisterTrigger, []field{fID}, []field{fTriggerType}, nil},
	"triggerregistrationresult": {kindTriggerResult, []field{fID, fTriggerType, fFunctionID}, nil, nil},
	"invokefunction":            {kindInvoke, []field{fFunctionID}, []field{fNamespace, fTraceparent, fBaggage}, []field{fData}},
	"invocationresult":          {kindResult, []field{fInvocationID, fFunctionID}, []field{fTraceparent, fBaggage}, nil},
	"reattach":                  {kindReattach, []field{fPreviousWorkerID}, []field{fReattachToken}, nil},
	"ping":                      {kind: kindPing},
	"pong":                      {kind: kindIgnored},
	"workerregistered":          {kind: kindIgnored},
	"registrationrejected":      {kind: kindIgnored},
}

// check gives a scanned frame its kind and refuses what does not fit it.
func (f *frame) check() error {
	if !isString(f.raw(fType)) {
		return errKind
	}
	s, ok := shapes[f.word(fType)]
	if !ok {
		return errKind
	}
	f.kind = s.kind
	for _, k := range s.strings {
		if !isString(f.raw(k)) {
			return fmt.Errorf("%s: no string", fieldNames[k])
		}
	}
	for _, k := range s.optional {
		if b := f.some(k); b != nil && !isString(b) {
			return fmt.Errorf("%s: no string", fieldNames[k])
		}
	}
	for _, k := range s.present {
		if f.raw(k) == nil {
			return fmt.Errorf("%s: missing", fieldNames[k])
		}
	}
	switch f.kind {
	case kindInvoke:
		return errors.Join(f.checkInvocation(), f.checkAction())
	case kindResult:
		return errors.Join(f.checkInvocation(), f.checkError())
	case kindTriggerResult:
		return f.checkError()
	case kindRegisterFunction:
		return f.checkHosting()
	default:
		return nil
	}
}

func isString(b []byte) bool { return len(b) > 0 && b[0] == '"' }

// checkInvocation reads invocation_id, in any spelling of a UUID.
func (f *frame) checkInvocation() error {
	b := f.some(fInvocationID)
	if b == nil {
		return nil
	}
	if !isString(b) {
		return errors.New("invocation_id: no string")
	}
	id, err := uuid.Parse(unquote(b))
	if err != nil {
		return fmt.Errorf("invocation_id: %w", err)
	}
	f.invocation, f.named = id, true
	return nil
}

func (f *frame) checkAction() error {
	b := f.some(fAction)
	if b == nil {
		return nil
	}
	m, ok := jsonObject(b)
	if !ok || !isString(m["type"]) {
		return errors.New("action: no type")
	}
	switch unquote(m["type"]) {
	case "void":
		f.action = actionVoid
	case "enqueue":
		if !isString(m["queue"]) {
			return errors.New("action.queue: no string")
		}
		f.action, f.queue = actionEnqueue, unquote(m["queue"])
	default:
		return errors.New("action: unknown type")
	}
	return nil
}

// checkError reads an error, of which three members survive.
func (f *frame) checkError() error {
	b := f.some(fError)
	if b == nil {
		return nil
	}
	m, ok := jsonObject(b)
	if !ok || !isString(m["code"]) || !isString(m["message"]) {
		return errors.New("error: wants code and message")
	}
	f.fault = &fault{code: unquote(m["code"]), message: unquote(m["message"])}
	if trace := m["stacktrace"]; isString(trace) {
		f.fault.stacktrace = unquote(trace)
		f.fault.traced = true
	} else if trace != nil && string(trace) != "null" {
		return errors.New("error.stacktrace: no string")
	}
	return nil
}

// checkHosting looks at the hosting of a function over HTTP, which this engine
// does not offer.
func (f *frame) checkHosting() error {
	b := f.some(fInvocation)
	if b == nil {
		return nil
	}
	if m, ok := jsonObject(b); !ok || !isString(m["url"]) {
		return errors.New("invocation: wants url")
	}
	return nil
}
