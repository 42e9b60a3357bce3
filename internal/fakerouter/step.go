package fakerouter

import (
	"bytes"
	"encoding/json"
	"time"
)

// Script is what one chat does, step by step. A script that neither answers nor
// throws answers {"ok":true,…} at its end.
type Script []Step

// Step is one thing a chat does; the functions below make them.
type Step struct {
	kind    stepKind
	build   func(ChatRequest) []byte // frame or answer
	pause   time.Duration
	until   <-chan struct{}
	code    string
	message string
}

type stepKind int

const (
	textStep stepKind = iota
	binaryStep
	closeStep
	answerStep
	throwStep
	pauseStep
	untilStep
	hangStep
)

// Text sends one text frame as it stands, JSON or not.
func Text(frame string) Step {
	return Step{kind: textStep, build: func(ChatRequest) []byte { return []byte(frame) }}
}

// Binary sends bytes, in pieces of at most 64 KiB.
func Binary(data []byte) Step {
	return Step{kind: binaryStep, build: func(ChatRequest) []byte { return data }}
}

// Close closes the channel; without it the channel stays open until [Router.Run]
// ends.
func Close() Step { return Step{kind: closeStep} }

// Answer returns a response, JSON; the steps behind it go on in the background.
func Answer(response string) Step {
	return Step{kind: answerStep, build: func(ChatRequest) []byte { return []byte(response) }}
}

// Throw fails the call with a bus error; the steps behind it go on in the
// background.
func Throw(code, message string) Step {
	return Step{kind: throwStep, code: code, message: message}
}

// Pause waits. Tests that can say what they wait for use [Until].
func Pause(d time.Duration) Step { return Step{kind: pauseStep, pause: d} }

// Until waits until the channel is closed or something is received from it.
func Until(c <-chan struct{}) Step { return Step{kind: untilStep, until: c} }

// Hang waits for ever: until the caller's or the router's connection ends.
func Hang() Step { return Step{kind: hangStep} }

// WithoutClose leaves the channel open.
func (s Script) WithoutClose() Script {
	return s.filter(func(step Step) bool { return step.kind != closeStep })
}

// AnswerBefore moves the answer in front of the last n frames, and the given
// steps between them, for example a [Pause].
func (s Script) AnswerBefore(n int, between ...Step) Script {
	isAnswer := func(step Step) bool { return step.kind == answerStep || step.kind == throwStep }
	rest := s.filter(func(step Step) bool { return !isAnswer(step) })
	answers := s.filter(isAnswer)
	at := len(rest)
	for at > 0 && n > 0 {
		at--
		if rest[at].isFrame() {
			n--
		}
	}
	moved := append(Script{}, rest[:at]...)
	moved = append(append(moved, answers...), between...)
	return append(moved, rest[at:]...)
}

// WithGarbage puts frames that are no events before and after every frame.
func (s Script) WithGarbage() Script {
	garbage := Script{Text("{not json"), Text(`{"type":"no_such_event"}`), Text("[]"), Text(""), Text(`"text_delta"`)}
	mixed := Script{}
	for _, step := range s {
		if step.isFrame() {
			mixed = append(mixed, garbage...)
		}
		mixed = append(mixed, step)
		if step.isFrame() {
			mixed = append(mixed, garbage...)
		}
	}
	return mixed
}

// AsBinaryLines sends all text frames as binary data, one line each, where the
// first of them stood.
func (s Script) AsBinaryLines() Script {
	frames := s.filter(Step.isFrame)
	lines := Step{kind: binaryStep, build: func(q ChatRequest) (data []byte) {
		for _, f := range frames {
			data = append(append(data, f.build(q)...), '\n')
		}
		return data
	}}
	var out Script
	done := false
	for _, step := range s {
		switch {
		case !step.isFrame():
			out = append(out, step)
		case !done:
			out = append(out, lines)
			done = true
		}
	}
	return out
}

func (s Step) isFrame() bool { return s.kind == textStep || s.kind == binaryStep }

func (s Script) filter(keep func(Step) bool) (out Script) {
	for _, step := range s {
		if keep(step) {
			out = append(out, step)
		}
	}
	return out
}

// event makes a frame that may name the model of the request.
func event(build func(q ChatRequest) map[string]any) Step {
	return Step{kind: textStep, build: func(q ChatRequest) []byte { return encode(build(q)) }}
}

// encode never fails on what this package makes.
func encode(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return []byte("null") // a malformed Model.Record
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}
