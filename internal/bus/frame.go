package bus

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"
)

// message is one decoded frame. Values are slices of the frame as they stand on
// the wire, nil when absent or null; data and result keep a null.
type message struct {
	kind string

	invocationID, functionID       []byte
	data, result                   []byte
	failure                        []byte // member "error"
	metadata, traceparent, baggage []byte
	id, triggerType, config        []byte
	namespace, triggerNamespace    []byte
	workerID, reattachToken        []byte
	code, workerName, owner        []byte
	resultDepth                    int
}

// decode scans a frame. Members that this package decodes itself may nest to
// maxDepth levels, counted from the frame; data is left to the handler.
func decode(frame []byte) (m message, err error) {
	s := scanner{b: frame}
	if err := s.open(); err != nil {
		return m, err
	}
	var kind []byte
	for {
		key, value, done, err := s.next()
		if err != nil {
			return m, err
		}
		if done {
			break
		}
		if string(value) == "null" && string(key) != "data" && string(key) != "result" {
			continue
		}
		field := m.field(key)
		switch {
		case string(key) == "type":
			kind = value
			continue
		case field == nil:
			continue
		case field == &m.data:
		case field == &m.result:
			m.resultDepth = s.depth + 1
		case s.depth >= maxDepth:
			return m, errFrame
		}
		*field = value
	}
	text, ok := unquote(kind)
	if !ok {
		return m, errFrame
	}
	m.kind = text
	return m, nil
}

func (m *message) field(key []byte) *[]byte {
	switch string(key) {
	case "invocation_id":
		return &m.invocationID
	case "function_id":
		return &m.functionID
	case "data":
		return &m.data
	case "result":
		return &m.result
	case "error":
		return &m.failure
	case "metadata":
		return &m.metadata
	case "traceparent":
		return &m.traceparent
	case "baggage":
		return &m.baggage
	case "id":
		return &m.id
	case "trigger_type":
		return &m.triggerType
	case "config":
		return &m.config
	case "namespace":
		return &m.namespace
	case "trigger_namespace":
		return &m.triggerNamespace
	case "worker_id":
		return &m.workerID
	case "reattach_token":
		return &m.reattachToken
	case "code":
		return &m.code
	case "worker_name":
		return &m.workerName
	case "owner_worker_id":
		return &m.owner
	}
	return nil
}

// unquote decodes a JSON string; plain ASCII needs no decoder.
func unquote(raw []byte) (string, bool) {
	if len(raw) < 2 || raw[0] != '"' {
		return "", false
	}
	for _, c := range raw[1 : len(raw)-1] {
		if c == '\\' || c == '"' || c < 0x20 || c >= 0x80 {
			var s string
			err := json.Unmarshal(raw, &s)
			return s, err == nil
		}
	}
	return string(raw[1 : len(raw)-1]), raw[len(raw)-1] == '"'
}

// text decodes an optional string; anything else counts as absent.
func text(raw []byte) string {
	s, _ := unquote(raw)
	return s
}

// remoteError decodes an error object.
func remoteError(raw []byte) (*RemoteError, bool) {
	var e struct {
		Code       *string `json:"code"`
		Message    *string `json:"message"`
		Stacktrace string  `json:"stacktrace"`
	}
	if json.Unmarshal(raw, &e) != nil || e.Code == nil || e.Message == nil {
		return nil, false
	}
	return &RemoteError{Code: *e.Code, Message: *e.Message, Stacktrace: e.Stacktrace}, true
}

func blank(frame []byte) bool { return len(bytes.TrimSpace(frame)) == 0 }

// The appenders below write the frames we send. Raw JSON is written as given.

func appendMember(b []byte, key string) []byte {
	if b[len(b)-1] != '{' {
		b = append(b, ',')
	}
	b = append(b, '"')
	b = append(b, key...)
	return append(b, '"', ':')
}

func appendText(b []byte, key, value string) []byte {
	return appendQuoted(appendMember(b, key), value)
}

// appendOptional leaves an empty value out.
func appendOptional(b []byte, key, value string) []byte {
	if value == "" {
		return b
	}
	return appendText(b, key, value)
}

// appendRaw leaves an absent value out.
func appendRaw(b []byte, key string, value []byte) []byte {
	if len(value) == 0 {
		return b
	}
	return append(appendMember(b, key), value...)
}

func appendFrame(b []byte, kind string) []byte {
	return appendText(append(b, '{'), "type", kind)
}

const hexDigits = "0123456789abcdef"

// appendQuoted writes a JSON string. Bytes that are not UTF-8 become U+FFFD,
// because the engine drops a frame that is not UTF-8.
func appendQuoted(b []byte, s string) []byte {
	b = append(b, '"')
	for i := 0; i < len(s); {
		c := s[i]
		switch {
		case c == '"' || c == '\\':
			b = append(b, '\\', c)
		case c == '\n':
			b = append(b, '\\', 'n')
		case c < 0x20:
			b = append(b, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
		case c < utf8.RuneSelf:
			b = append(b, c)
		default:
			r, size := utf8.DecodeRuneInString(s[i:])
			b = utf8.AppendRune(b, r)
			i += size
			continue
		}
		i++
	}
	return append(b, '"')
}
