package agent

import "encoding/json"

// MessageVariant is one of the four kinds of message, told apart on the wire by
// role: [UserMessage], [AssistantMessage], [FunctionResultMessage] and
// [CustomMessage]. The variants build messages in Go and are the source of the
// published schemas; messages that arrive are never turned into them, because
// that would lose the members these structs do not know.
type MessageVariant interface {
	// AppendJSON appends the message's JSON: compact, role first, the members
	// every message must have always present, optional ones only when set, and
	// no character escaped that JSON lets stand. It fails on a member that holds
	// broken JSON or a number JSON cannot spell, and then appends nothing.
	AppendJSON(dst []byte) ([]byte, error)

	messageVariant()
}

// UserMessage is what the user said, possibly with inline function results.
type UserMessage struct {
	Content   []BlockVariant `json:"content" jsonschema_description:"What the user said, block by block."`
	Timestamp int64          `json:"timestamp" jsonschema_description:"When the message was made, in milliseconds since the Unix epoch."`
}

// AssistantMessage is one answer of a model, with the calls it asks for.
type AssistantMessage struct {
	Content          []BlockVariant `json:"content" jsonschema_description:"What the model wrote, thought and asked to have called, block by block."`
	StopReason       StopReason     `json:"stop_reason" jsonschema_description:"Why the model stopped writing."`
	NativeStopReason *string        `json:"native_stop_reason,omitempty" jsonschema_description:"The stop reason in the provider's own words, untouched."`
	ErrorMessage     *string        `json:"error_message,omitempty" jsonschema_description:"What went wrong, when the answer failed."`
	ErrorKind        *ErrorKind     `json:"error_kind,omitempty" jsonschema_description:"The class of the failure, when the answer failed."`
	Warnings         []string       `json:"warnings,omitempty" jsonschema_description:"Things worth telling that did not stop the answer, such as a parameter the provider does not take."`
	Usage            *Usage         `json:"usage,omitempty" jsonschema_description:"What the provider billed for this answer."`
	Model            string         `json:"model" jsonschema_description:"Id of the model that answered."`
	Provider         string         `json:"provider" jsonschema_description:"Id of the provider that ran the model."`
	Timestamp        int64          `json:"timestamp" jsonschema_description:"When the message was made, in milliseconds since the Unix epoch."`
}

// FunctionResultMessage answers one function call of an earlier message.
type FunctionResultMessage struct {
	FunctionCallID string          `json:"function_call_id" jsonschema_description:"Id of the function_call block that this message answers."`
	FunctionID     string          `json:"function_id" jsonschema_description:"Id of the function that was called."`
	Content        []BlockVariant  `json:"content" jsonschema_description:"The output as the model gets to read it, block by block."`
	Details        json.RawMessage `json:"details" jsonschema_default:"null" jsonschema_description:"Any JSON kept beside the output for the application. Not sent to a model and not counted, unless its status is denied."`
	IsError        bool            `json:"is_error" jsonschema_default:"false" jsonschema_description:"True when the output reports a failed call."`
	Timestamp      int64           `json:"timestamp" jsonschema_description:"When the message was made, in milliseconds since the Unix epoch."`
}

// CustomMessage is a transcript entry of the application's own, which no
// provider sees.
type CustomMessage struct {
	CustomType string          `json:"custom_type" jsonschema_description:"The application's name for this kind of entry."`
	Content    []BlockVariant  `json:"content" jsonschema_description:"The entry's content, block by block."`
	Display    *string         `json:"display,omitempty" jsonschema_description:"How the application wants the entry shown."`
	Details    json.RawMessage `json:"details,omitempty" jsonschema_description:"Any JSON the application keeps with the entry."`
	Timestamp  int64           `json:"timestamp" jsonschema_description:"When the message was made, in milliseconds since the Unix epoch."`
}

func (UserMessage) messageVariant()           {}
func (AssistantMessage) messageVariant()      {}
func (FunctionResultMessage) messageVariant() {}
func (CustomMessage) messageVariant()         {}

// SchemaDescription tells the schemas what the application may expect.
func (CustomMessage) SchemaDescription() string {
	return "A transcript entry of the application's own, such as a notice or a marker. No provider has a form for it, so context::assemble leaves it out of what it returns."
}

// AppendJSON implements [MessageVariant].
func (m UserMessage) AppendJSON(dst []byte) ([]byte, error) {
	w := openVariant(dst, "role", "user")
	w.blocks("content", m.Content)
	w.int64("timestamp", m.Timestamp)
	return w.done(dst)
}

// AppendJSON implements [MessageVariant].
func (m AssistantMessage) AppendJSON(dst []byte) ([]byte, error) {
	w := openVariant(dst, "role", "assistant")
	w.blocks("content", m.Content)
	w.string("stop_reason", string(m.StopReason))
	w.optionalString("native_stop_reason", m.NativeStopReason)
	w.optionalString("error_message", m.ErrorMessage)
	if m.ErrorKind != nil {
		w.string("error_kind", string(*m.ErrorKind))
	}
	w.optionalStrings("warnings", m.Warnings)
	if m.Usage != nil {
		w.usage("usage", *m.Usage)
	}
	w.string("model", m.Model)
	w.string("provider", m.Provider)
	w.int64("timestamp", m.Timestamp)
	return w.done(dst)
}

// AppendJSON implements [MessageVariant].
func (m FunctionResultMessage) AppendJSON(dst []byte) ([]byte, error) {
	w := openVariant(dst, "role", "function_result")
	w.string("function_call_id", m.FunctionCallID)
	w.string("function_id", m.FunctionID)
	w.blocks("content", m.Content)
	w.value("details", m.Details)
	w.bool("is_error", m.IsError)
	w.int64("timestamp", m.Timestamp)
	return w.done(dst)
}

// AppendJSON implements [MessageVariant].
func (m CustomMessage) AppendJSON(dst []byte) ([]byte, error) {
	w := openVariant(dst, "role", "custom")
	w.string("custom_type", m.CustomType)
	w.blocks("content", m.Content)
	w.optionalString("display", m.Display)
	if m.Details != nil {
		w.value("details", m.Details)
	}
	w.int64("timestamp", m.Timestamp)
	return w.done(dst)
}

// MarshalJSON gives the bytes of AppendJSON. json.Marshal escapes <, > and & in
// them afterwards; call AppendJSON where the bytes matter.
func (m UserMessage) MarshalJSON() ([]byte, error) { return m.AppendJSON(nil) }

// MarshalJSON gives the bytes of AppendJSON, as for [UserMessage].
func (m AssistantMessage) MarshalJSON() ([]byte, error) { return m.AppendJSON(nil) }

// MarshalJSON gives the bytes of AppendJSON, as for [UserMessage].
func (m FunctionResultMessage) MarshalJSON() ([]byte, error) { return m.AppendJSON(nil) }

// MarshalJSON gives the bytes of AppendJSON, as for [UserMessage].
func (m CustomMessage) MarshalJSON() ([]byte, error) { return m.AppendJSON(nil) }
