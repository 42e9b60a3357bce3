package worker

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"context-manager/functions"
	"context-manager/internal/bus"
)

// chatRequest is the whole request of a summary. There is no request_id, so a
// summary cannot be aborted, and no limits: the router's own apply.
func chatRequest(p functions.SummaryPrompt, writer bus.ChannelRef) (json.RawMessage, error) {
	type block struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	type message struct {
		Role      string  `json:"role"`
		Content   []block `json:"content"`
		Timestamp int64   `json:"timestamp"`
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false) // six bytes for every "<" of code would be sent in vain
	err := e.Encode(struct {
		Writer   bus.ChannelRef `json:"writer_ref"`
		Model    string         `json:"model"`
		Provider string         `json:"provider,omitempty"`
		System   string         `json:"system_prompt"`
		Messages []message      `json:"messages"`
		Tools    []struct{}     `json:"tools"`
	}{
		Writer: writer, Model: p.Model, Provider: p.Provider, System: p.System,
		Messages: []message{{Role: "user", Content: []block{{Type: "text", Text: p.User}}, Timestamp: p.Timestamp}},
		Tools:    []struct{}{},
	})
	return bytes.TrimRight(b.Bytes(), "\n"), err
}

// chatAnswer is what counts of the answer of router::chat. The stream says the
// rest with more authority.
type chatAnswer struct {
	stopReason string
	failure    error // nil unless ok is exactly false
}

// decodeChatAnswer reads an answer in any shape: what it does not say is taken
// from the stream.
func decodeChatAnswer(raw []byte) chatAnswer {
	var members struct {
		OK         json.RawMessage `json:"ok"`
		StopReason json.RawMessage `json:"stop_reason"`
		Error      json.RawMessage `json:"error"`
	}
	if json.Unmarshal(raw, &members) != nil {
		return chatAnswer{}
	}
	a := chatAnswer{stopReason: stringOf(members.StopReason)}
	if string(members.OK) == "false" {
		a.failure = routerError(members.Error)
	}
	return a
}

// routerError is the error of an answer. Routers spell codes as bare kinds
// (rate_limited) or with a prefix (router/rate_limited), and newer ones add
// members.
func routerError(raw json.RawMessage) error {
	var e struct {
		Code    json.RawMessage `json:"code"`
		Message json.RawMessage `json:"message"`
	}
	if json.Unmarshal(raw, &e) == nil {
		switch code, message := stringOf(e.Code), stringOf(e.Message); {
		case code != "" && message != "":
			return fmt.Errorf("the router failed: %s: %s", clip(code), clip(message))
		case code+message != "":
			return fmt.Errorf("the router failed: %s", clip(code+message))
		}
	}
	return errors.New("the router failed without saying why")
}

// stringOf returns a JSON string; empty for anything else.
func stringOf(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return ""
	}
	return s
}
