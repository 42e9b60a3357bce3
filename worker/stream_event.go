package worker

import (
	"encoding/json"
	"errors"
	"strings"
)

// streamEvent is what counts of one event of a stream.
type streamEvent struct {
	kind       string
	text       string // of the delta, or the text blocks of the message
	stopReason string
	message    string // why it failed
	errorKind  string
}

var errNoEvent = errors.New("not an event")

// decodeStreamEvent reads an event. Its partial, the message so far, is passed
// over: adding up the deltas gives the same. Bytes that are not UTF-8 come out as
// replacement characters.
func decodeStreamEvent(raw []byte) (streamEvent, error) {
	var members struct {
		Type         string          `json:"type"`
		Delta        json.RawMessage `json:"delta"`
		Message      json.RawMessage `json:"message"`
		Error        json.RawMessage `json:"error"`
		StopReason   json.RawMessage `json:"stop_reason"`
		ErrorMessage json.RawMessage `json:"error_message"`
		ErrorKind    json.RawMessage `json:"error_kind"`
	}
	if err := json.Unmarshal(raw, &members); err != nil {
		return streamEvent{}, err
	}
	if members.Type == "" {
		return streamEvent{}, errNoEvent
	}
	e := streamEvent{kind: members.Type}
	switch e.kind {
	case "text_delta":
		if err := json.Unmarshal(members.Delta, &e.text); err != nil {
			return streamEvent{}, err
		}
	case "done":
		e.read(members.Message)
	case "error":
		e.read(members.Error)
	case "stop":
		e.stopReason, e.message, e.errorKind = stringOf(members.StopReason), stringOf(members.ErrorMessage), stringOf(members.ErrorKind)
	}
	return e, nil
}

// read takes what counts of an assistant's message. A message without it still
// ends the stream.
func (e *streamEvent) read(message json.RawMessage) {
	var members struct {
		Content      json.RawMessage `json:"content"`
		StopReason   json.RawMessage `json:"stop_reason"`
		ErrorMessage json.RawMessage `json:"error_message"`
		ErrorKind    json.RawMessage `json:"error_kind"`
	}
	if json.Unmarshal(message, &members) != nil {
		return
	}
	e.stopReason, e.message, e.errorKind = stringOf(members.StopReason), stringOf(members.ErrorMessage), stringOf(members.ErrorKind)
	var blocks []struct {
		Type json.RawMessage `json:"type"`
		Text json.RawMessage `json:"text"`
	}
	if json.Unmarshal(members.Content, &blocks) != nil {
		return
	}
	var texts []string
	for _, b := range blocks {
		if stringOf(b.Type) == "text" {
			texts = append(texts, stringOf(b.Text))
		}
	}
	e.text = strings.Join(texts, "\n")
}
