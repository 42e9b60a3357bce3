package worker

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"context-manager/functions"
	"context-manager/internal/bus"
)

// longestSummary is the most text, in bytes, that is kept of one stream; a
// summary comes from somebody else, and memory has to have a bound.
const longestSummary = 16 << 20

var errEndless = errors.New("the summary is longer than 16 MiB")

// stream folds the frames of one answer in the order of their arrival. A text
// frame is one event. Binary frames are lines of events, and a line may lie
// across several of them; it counts where it ends.
//
// The text is that of the last done event, or the deltas when that has none.
type stream struct {
	deltas     strings.Builder
	final      *finalMessage // of the last done event
	stopReason string        // of the last stop event
	failure    error         // of the first event that ended it badly
	line       []byte        // of binary frames, not ended
	skipped    int           // events that could not be read
}

// finalMessage is the message of a done event.
type finalMessage struct{ text, stopReason string }

// add folds a frame.
func (s *stream) add(f bus.Frame) {
	if !f.Binary {
		s.event(f.Data)
		return
	}
	rest := f.Data
	for {
		head, tail, ended := bytes.Cut(rest, []byte("\n"))
		if len(s.line)+len(head) > longestSummary {
			s.fail(errEndless)
			s.line, head = nil, nil
		}
		if !ended {
			s.line = append(s.line, head...)
			return
		}
		if len(s.line) > 0 {
			head = append(s.line, head...)
			s.line = s.line[:0]
		}
		s.event(head)
		rest = tail
	}
}

// end folds a line that nothing ended.
func (s *stream) end() {
	s.event(s.line)
	s.line = nil
}

// event folds one event. Events that are not known or cannot be read are passed
// over, as every reader of these streams does.
func (s *stream) event(raw []byte) {
	if len(bytes.TrimSpace(raw)) == 0 {
		return
	}
	e, err := decodeStreamEvent(raw)
	if err != nil {
		s.skipped++
		return
	}
	switch e.kind {
	case "text_delta":
		if s.deltas.Len()+len(e.text) > longestSummary {
			s.fail(errEndless)
			return
		}
		s.deltas.WriteString(e.text)
	case "done":
		s.final = &finalMessage{text: e.text, stopReason: e.stopReason}
	case "stop":
		s.stopReason = e.stopReason
		if e.stopReason == "error" {
			s.fail(streamError(e))
		}
	case "error":
		s.fail(streamError(e))
	}
}

// blank reports whether no text has come.
func (s *stream) blank() bool {
	return strings.TrimSpace(s.deltas.String()) == "" && (s.final == nil || strings.TrimSpace(s.final.text) == "")
}

func (s *stream) fail(err error) {
	if s.failure == nil {
		s.failure = err
	}
}

// outcome is the summary, given the answer that came beside the stream. A text
// that was aborted or cut at the output limit is not a summary of everything it
// replaces.
func (s *stream) outcome(a chatAnswer) (string, error) {
	switch {
	case a.failure != nil:
		return "", a.failure
	case s.failure != nil:
		return "", s.failure
	}
	text, reason := s.deltas.String(), a.stopReason
	if reason == "" {
		reason = s.stopReason
	}
	if s.final != nil {
		if strings.TrimSpace(s.final.text) != "" {
			text = s.final.text
		}
		if s.final.stopReason != "" {
			reason = s.final.stopReason
		}
	}
	switch reason {
	case "aborted", "length", "error":
		return "", &functions.SummaryRejected{StopReason: reason}
	}
	return text, nil
}

// streamError is the failure that an event tells. Its text counts only where
// there is no message: a newer router puts the text written so far there.
func streamError(e streamEvent) error {
	reason := e.message
	if reason == "" {
		reason = e.text
	}
	switch {
	case reason != "" && e.errorKind != "":
		return fmt.Errorf("the model failed: %s: %s", clip(e.errorKind), clip(reason))
	case reason+e.errorKind != "":
		return fmt.Errorf("the model failed: %s", clip(reason+e.errorKind))
	}
	return errors.New("the model failed without saying why")
}

// clip keeps a foreign text short enough for a log.
func clip(text string) string {
	const most = 300
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "..."
}
