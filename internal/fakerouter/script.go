package fakerouter

import (
	"encoding/json"
	"unicode/utf8"
)

// Summary streams a text as a provider does: start, the text in pieces with the
// message so far, usage, stop, done; then closes and answers ok.
func Summary(text string) Script { return stream(text, 3, true, "end", text) }

// Deltas streams a text in pieces and ends with a done that holds none.
func Deltas(text string) Script { return stream(text, 3, true, "end", "") }

// Slim is Summary without the message so far in its deltas, and an empty done.
func Slim(text string) Script { return stream(text, 3, false, "end", "") }

// Many is Slim in at least n pieces, to overfill a channel's queue.
func Many(text string, n int) Script { return stream(text, n, false, "end", "") }

// Ended is Summary with another stop reason, "aborted" or "length".
func Ended(text, stopReason string) Script { return stream(text, 3, true, stopReason, text) }

// Silent sends no frame and answers ok.
func Silent() Script { return Script{Close(), okAnswer("end", 0)} }

// Failure sends an error frame of a kind, such as rate_limited, and answers
// ok:false with that kind as code.
func Failure(kind, message string) Script {
	return Script{start(), errorFrame(kind, message), Close(), notOK(kind, message)}
}

// StopError sends a stop that tells of an error, and then a done with the text
// and an ok answer all the same.
func StopError(message, text string) Script {
	return Script{
		start(),
		event(func(ChatRequest) map[string]any {
			return map[string]any{"type": "stop", "stop_reason": "error", "error_message": message, "error_kind": "permanent"}
		}),
		done(text, "end"), Close(), okAnswer("end", len(text)),
	}
}

// Thrown fails the call with a bus error before any frame and closes the channel,
// as when a provider is missing.
func Thrown(code, message string) Script { return Script{Close(), Throw(code, message)} }

// Refused is Thrown with the one error frame that a failed validation leaves.
func Refused(code, message string) Script {
	return Script{errorFrame("permanent", message), Close(), Throw(code, message)}
}

// Hanging sends a start and never goes on.
func Hanging() Script { return Script{start(), Hang()} }

func stream(text string, pieces int, partials bool, stopReason, last string) Script {
	s := Script{start(), partial("text_start", "", true, "")}
	sent := 0
	for _, piece := range split(text, pieces) {
		sent += len(piece)
		s = append(s, partial("text_delta", text[:sent], partials, piece))
	}
	return append(s,
		partial("text_end", text, true, ""),
		event(func(ChatRequest) map[string]any { return map[string]any{"type": "usage", "usage": usage(len(text))} }),
		event(func(ChatRequest) map[string]any { return map[string]any{"type": "stop", "stop_reason": stopReason} }),
		done(last, stopReason), Close(), okAnswer(stopReason, len(text)))
}

// split cuts on character boundaries into n pieces, fewer when the text is short.
func split(text string, n int) (pieces []string) {
	size := max(1, len(text)/max(1, n))
	for len(text) > 0 {
		end := min(size, len(text))
		for end < len(text) && !utf8.RuneStart(text[end]) {
			end++
		}
		pieces = append(pieces, text[:end])
		text = text[end:]
	}
	return pieces
}

func start() Step {
	return event(func(q ChatRequest) map[string]any {
		return map[string]any{"type": "start", "partial": q.message([]any{}, "end")}
	})
}

// partial makes an event of a text block; text is the block so far.
func partial(kind, text string, with bool, delta string) Step {
	return event(func(q ChatRequest) map[string]any {
		e := map[string]any{"type": kind}
		if kind == "text_delta" {
			e["delta"] = delta
		}
		if with {
			e["partial"] = q.message([]any{textBlock(text)}, "end")
		}
		return e
	})
}

func done(text, stopReason string) Step {
	return event(func(q ChatRequest) map[string]any {
		content := []any{}
		if text != "" {
			content = append(content, textBlock(text))
		}
		m := q.message(content, stopReason)
		m["usage"] = usage(len(text))
		return map[string]any{"type": "done", "message": m}
	})
}

func errorFrame(kind, message string) Step {
	return event(func(q ChatRequest) map[string]any {
		m := q.message([]any{}, "error")
		m["error_message"], m["error_kind"] = message, kind
		return map[string]any{"type": "error", "error": m}
	})
}

func textBlock(text string) map[string]any { return map[string]any{"type": "text", "text": text} }

// usage is made up; a text counts a token for four bytes.
func usage(textBytes int) map[string]any {
	return map[string]any{"input": 100, "output": textBytes / 4}
}

func okAnswer(stopReason string, textBytes int) Step {
	return Step{kind: answerStep, build: func(q ChatRequest) []byte {
		return encode(map[string]any{"ok": true, "provider": q.provider(), "model": q.Model, "stop_reason": stopReason, "usage": usage(textBytes)})
	}}
}

func notOK(kind, message string) Step {
	return Step{kind: answerStep, build: func(q ChatRequest) []byte {
		return encode(map[string]any{"ok": false, "provider": q.provider(), "model": q.Model, "stop_reason": "error",
			"usage": usage(0), "error": map[string]any{"code": kind, "message": message}})
	}}
}

// message is an assistant message of the request's model.
func (q ChatRequest) message(content []any, stopReason string) map[string]any {
	return map[string]any{"role": "assistant", "content": content, "stop_reason": stopReason,
		"model": q.Model, "provider": q.provider(), "timestamp": json.Number("1766000000000")}
}
