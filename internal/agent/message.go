package agent

// Role says who a message is from.
type Role uint8

// The roles of the contract; any other is refused.
const (
	RoleUser Role = iota + 1
	RoleAssistant
	RoleFunctionResult
	RoleCustom
)

// String returns the wire name of the role.
func (r Role) String() string {
	switch r {
	case RoleUser:
		return "user"
	case RoleAssistant:
		return "assistant"
	case RoleFunctionResult:
		return "function_result"
	case RoleCustom:
		return "custom"
	}
	return "unknown"
}

func roleOf(name []byte) Role {
	switch string(name) {
	case "user":
		return RoleUser
	case "assistant":
		return RoleAssistant
	case "function_result":
		return RoleFunctionResult
	case "custom":
		return RoleCustom
	}
	return 0
}

// span is a byte range of a message's raw bytes; start 0 means absent, since
// no member value can stand there.
type span struct{ start, end int }

// Message is one message as it stands in the bytes it arrived as. The zero
// value is not a message; one comes from decoding or from [New].
type Message struct {
	raw        []byte
	role       Role
	isError    bool
	denied     bool // details is an object whose status is "denied"
	timestamp  int64
	callID     []byte
	functionID []byte
	id         []byte
	content    span
	details    span
	blocks     []Block
	size       int // bytes of the canonical form
	estimate   int // the same with a result's details as null unless denied
}

// Raw returns the message's bytes. They must not be changed.
func (m *Message) Raw() []byte { return m.raw }

// Role returns who the message is from.
func (m *Message) Role() Role { return m.role }

// Timestamp returns the message's time in milliseconds since the epoch.
func (m *Message) Timestamp() int64 { return m.timestamp }

// Blocks returns the content blocks.
func (m *Message) Blocks() []Block { return m.blocks }

// CallID returns the function_call_id of a function_result message.
func (m *Message) CallID() []byte { return m.callID }

// FunctionID returns the function_id of a function_result message.
func (m *Message) FunctionID() []byte { return m.functionID }

// ID returns the message's own id, a member outside the contract that many
// transcripts carry, when it is a string; nil otherwise.
func (m *Message) ID() []byte { return m.id }

// IsError reports whether a function_result message is marked as an error.
func (m *Message) IsError() bool { return m.isError }

// Details returns the raw details of the message; nil when absent.
func (m *Message) Details() []byte {
	if m.details.start == 0 {
		return nil
	}
	return m.raw[m.details.start:m.details.end]
}

// Denied reports whether details.status is "denied": the envelope of a call
// that a policy refused, which is billed and must survive every rewrite.
func (m *Message) Denied() bool { return m.denied }

// Content returns the raw array of content blocks.
func (m *Message) Content() []byte { return m.raw[m.content.start:m.content.end] }

// Size returns the bytes of the message's canonical form.
func (m *Message) Size() int { return m.size }

// EstimateSize returns the bytes that the heuristic counts: the canonical form
// with a result's details as null, unless they are a denied envelope.
func (m *Message) EstimateSize() int { return m.estimate }

// TextLen returns the UTF-8 bytes of the text blocks on the top level.
func (m *Message) TextLen() int {
	n := 0
	for i := range m.blocks {
		if m.blocks[i].typ == BlockText {
			n += m.blocks[i].TextLen()
		}
	}
	return n
}

// AppendText appends the texts of the text blocks on the top level, joined
// without a separator.
func (m *Message) AppendText(dst []byte) []byte {
	for i := range m.blocks {
		if m.blocks[i].typ == BlockText {
			dst = m.blocks[i].AppendText(dst)
		}
	}
	return dst
}

// OnlyInlineResults reports whether a user message carries function results
// and nothing else: it answers calls and opens no turn.
func (m *Message) OnlyInlineResults() bool {
	if m.role != RoleUser || len(m.blocks) == 0 {
		return false
	}
	for i := range m.blocks {
		if m.blocks[i].typ != BlockFunctionResult {
			return false
		}
	}
	return true
}
