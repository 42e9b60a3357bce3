package agent

import "strconv"

// WithContent returns a copy of m whose content is the given JSON array of
// blocks. Every other byte of the message stays.
func (m *Message) WithContent(content []byte) (Message, error) {
	raw := make([]byte, 0, len(m.raw)+len(content))
	raw = append(raw, m.raw[:m.content.start]...)
	raw = append(raw, content...)
	raw = append(raw, m.raw[m.content.end:]...)
	return DecodeMessage(raw)
}

// WithDetails returns a copy of m whose details are the given JSON value,
// added at the end when the message has none. Every other byte stays.
func (m *Message) WithDetails(details []byte) (Message, error) {
	raw := make([]byte, 0, len(m.raw)+len(details)+len(`,"details":`))
	if m.details.start != 0 {
		raw = append(raw, m.raw[:m.details.start]...)
		raw = append(raw, details...)
		raw = append(raw, m.raw[m.details.end:]...)
		return DecodeMessage(raw)
	}
	raw = append(raw, m.raw[:len(m.raw)-1]...)
	raw = append(raw, `,"details":`...)
	raw = append(raw, details...)
	raw = append(raw, '}')
	return DecodeMessage(raw)
}

// WithText returns a copy of m whose texts and images are replaced by one text
// block at the start of the content. Blocks of every other type follow it as
// they were: a call or result may be half of a pair, thinking is signed, and
// nothing is known about an unknown type.
func (m *Message) WithText(text string) (Message, error) {
	content := append([]byte(nil), `[{"type":"text","text":`...)
	content = AppendString(content, text)
	content = append(content, '}')
	for i := range m.blocks {
		if t := m.blocks[i].typ; t != BlockText && t != BlockImage {
			content = append(content, ',')
			content = append(content, m.blocks[i].raw...)
		}
	}
	content = append(content, ']')
	return m.WithContent(content)
}

func appendInt(dst []byte, v int64) []byte { return strconv.AppendInt(dst, v, 10) }
