package devengine

import "time"

// What tests of other packages never need.

// Canonical writes a JSON text as payloads are written.
func Canonical(text []byte) ([]byte, error) {
	var s scanner
	s.reset(text, nil)
	err := s.document()
	return s.out, err
}

// Relay decodes a frame and, when it is a call, encodes it as an executor sees
// it; nil for other frames.
func Relay(text []byte, caller string) (seen []byte, err error) {
	var s scanner
	f, err := s.decode(text)
	if err != nil || f.kind != kindInvoke {
		return nil, err
	}
	return encodeInvoke(&call{
		id: f.invocation, function: f.word(fFunctionID), frame: f, data: f.raw(fData),
		metadata: f.some(fMetadata), caller: &conn{text: caller},
	}), nil
}

// Limits of decoding, and reasons for refusing.
const (
	MaxDepth   = maxDepth
	MaxFrame   = maxFrame
	MaxMessage = maxMessage
)

var (
	ErrDepth       = errDepth
	ErrSurrogate   = errSurrogate
	ErrNumber      = errNumber
	ErrUTF8        = errUTF8
	ErrDuplicate   = errDuplicate
	ErrFrameSize   = errFrameSize
	ErrMessageSize = errMessageSize
)

// Meter watches the sizes of frames.
type Meter struct{ m meter }

// Feed passes bytes through the meter.
func (m *Meter) Feed(p []byte) (int, error) { return m.m.feed(p) }

// YAMLScalar reads a plain scalar.
func YAMLScalar(text string) (any, bool) { return yamlScalar(text) }

// EntryFile writes an entry to its file's text, and reads it again.
func EntryFile(name string, value, metadata []byte) (text, valueAgain, metadataAgain []byte, err error) {
	e := &entry{id: "x", name: name, value: value, metadata: metadata}
	text = e.yaml()
	again, err := readEntry("x", text)
	if err != nil {
		return text, nil, nil, err
	}
	return text, again.value, again.metadata, nil
}

// ReadEntryFile is the value in the text of a file.
func ReadEntryFile(text []byte) ([]byte, error) {
	e, err := readEntry("x", text)
	if err != nil {
		return nil, err
	}
	return e.value, nil
}

// SweepChannels is what the clock does about channels.
func (e *Engine) SweepChannels(before time.Time) { e.sweepChannels(before) }

// AnnounceFunctions is what the clock does about functions.
func (e *Engine) AnnounceFunctions() { e.announceFunctions() }

// HurryTimers makes every timer fire now.
func (e *Engine) HurryTimers() {
	e.mu.Lock()
	defer e.mu.Unlock()
	for t := range e.timers {
		t.clock.Reset(0)
	}
}

// CleanTraceparent and BaggageWith are what an executor sees.
var (
	CleanTraceparent = cleanTraceparent
	BaggageWith      = baggageWith
)
