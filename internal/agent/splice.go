package agent

import "strconv"

// WithContent returns a copy of m whose content is the given JSON array of
// blocks, without white space around it. Every other byte of the message stays.
func (m *Message) WithContent(content []byte) (Message, error) {
	out, err := m.splice(m.content, "", content)
	if err == nil && out.content.end-out.content.start != len(content) {
		return Message{}, at(fieldErr("want one array of content blocks, got %s", short(content)), "content")
	}
	return out, err
}

// WithDetails returns a copy of m whose details are the given JSON value,
// without white space around it; they are added at the end when the message has
// none. Every other byte stays. Only function_result and custom messages have
// details.
func (m *Message) WithDetails(details []byte) (out Message, err error) {
	if m.details.start != 0 {
		out, err = m.splice(m.details, "", details)
	} else {
		end := len(m.raw) - 1
		out, err = m.splice(span{end, end}, `,"details":`, details)
	}
	if err == nil && out.details.end-out.details.start != len(details) {
		return Message{}, at(fieldErr("want one value in a function_result or custom message, got %s", short(details)), "details")
	}
	return out, err
}

// splice puts new text in the place of a part of the message.
func (m *Message) splice(part span, before string, text []byte) (Message, error) {
	raw := make([]byte, 0, len(m.raw)-(part.end-part.start)+len(before)+len(text))
	raw = append(raw, m.raw[:part.start]...)
	raw = append(raw, before...)
	raw = append(raw, text...)
	raw = append(raw, m.raw[part.end:]...)
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
