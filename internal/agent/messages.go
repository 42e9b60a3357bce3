package agent

import "bytes"

// Messages is a history in request order.
type Messages []Message

// smallest plausible message and block, in bytes: they bound what a request
// can make the decoder reserve up front.
const (
	minMessageBytes = 40
	minBlockBytes   = 16
)

// decodeJSON reads an array of messages. The arrays that hold messages and
// blocks are sized once, by counting tags, so that the number of allocations
// does not grow with the history.
func (list *Messages) decodeJSON(s *scanner) error {
	if s.kind() != kindArray {
		return fieldErr("want an array of messages, got %v", s.kind())
	}
	rest := s.data[s.pos:]
	out := make([]Message, 0, 1+min(bytes.Count(rest, []byte(`"role"`)), len(rest)/minMessageBytes))
	d := decoder{scanner: *s}
	d.blocks = make([]Block, 0, 1+min(bytes.Count(rest, []byte(`"type"`)), len(rest)/minBlockBytes))
	err := func() error {
		if err := d.enter(); err != nil {
			return err
		}
		if d.leave(']') {
			return nil
		}
		for i := 0; ; i++ {
			out = append(out, Message{})
			if err := d.message(&out[i]); err != nil {
				return atIndex(err, i)
			}
			done, err := d.next(']', "a comma or ]")
			if done || err != nil {
				return err
			}
		}
	}()
	if err != nil {
		return err
	}
	d.link(out)
	*s = d.scanner
	*list = out
	return nil
}

// link points messages and blocks at their blocks once the slab is final.
func (d *decoder) link(list []Message) {
	for _, i := range d.nested {
		b := &d.blocks[i]
		b.inner = d.blocks[b.innerA:b.innerB:b.innerB]
	}
	for i := range list {
		m := &list[i]
		m.blocks = d.blocks[m.blockA:m.blockB:m.blockB]
	}
}

// DecodeMessage reads one message. The result refers to data, which must not
// change afterwards. Bad input gives a *FieldError.
func DecodeMessage(data []byte) (Message, error) {
	d := decoder{scanner: scanner{data: data}}
	d.space()
	var m Message
	if err := d.message(&m); err != nil {
		return Message{}, err
	}
	if err := d.end(); err != nil {
		return Message{}, err
	}
	one := []Message{m}
	d.link(one)
	return one[0], nil
}

// DecodeMessages reads a JSON array of messages; data must not change
// afterwards. Bad input gives a *FieldError.
func DecodeMessages(data []byte) (Messages, error) {
	s := scanner{data: data}
	s.space()
	var list Messages
	if err := list.decodeJSON(&s); err != nil {
		return nil, at(err, "messages")
	}
	if err := s.end(); err != nil {
		return nil, err
	}
	return list, nil
}

// AppendJSON appends the messages as a JSON array, each as its own bytes.
func (list Messages) AppendJSON(dst []byte) []byte {
	dst = append(dst, '[')
	for i := range list {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, list[i].raw...)
	}
	return append(dst, ']')
}

// MarshalJSON returns the messages as a JSON array, each as its own bytes.
func (list Messages) MarshalJSON() ([]byte, error) { return list.AppendJSON(nil), nil }

// MarshalJSON returns the message's own bytes.
func (m Message) MarshalJSON() ([]byte, error) { return m.raw, nil }

// RawLen returns the bytes AppendJSON appends.
func (list Messages) RawLen() int {
	n := 2 + len(list)
	for i := range list {
		n += len(list[i].raw)
	}
	return n
}
