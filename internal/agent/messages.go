package agent

// Messages is a history in request order.
type Messages []Message

// The smallest plausible message and block, in bytes: they bound what a text
// can make the decoder reserve.
const (
	minMessageBytes = 40
	minBlockBytes   = 16
)

// decodeJSON reads an array of messages.
func (list *Messages) decodeJSON(s *scanner) error {
	d := decoder{scanner: *s}
	out, err := d.messages()
	if err != nil {
		return err
	}
	*s, *list = d.scanner, out
	return nil
}

// messages reads the array of messages that starts here.
func (d *decoder) messages() (Messages, error) {
	if k := d.kind(); k != kindArray {
		if k == 0 {
			return nil, d.unexpected("an array of messages")
		}
		return nil, fieldErr("want an array of messages, got %v", k)
	}
	if err := d.enter(); err != nil {
		return nil, err
	}
	out := Messages{}
	if d.leave(']') {
		return out, nil
	}
	for i := 0; ; i++ {
		if i == cap(out) {
			out = append(make(Messages, 0, i+d.room(i, 1, minMessageBytes)), out...)
		}
		out = out[:i+1]
		if err := d.message(&out[i]); err != nil {
			return nil, atIndex(err, i)
		}
		done, err := d.next(']', "a comma or ]")
		if err != nil {
			return nil, err
		}
		if done {
			return out, nil
		}
	}
}

// room is how many items to reserve when need of them are at hand and used came
// before: as many as the rest of the text holds if it is like what has been
// read. It grows step by step, since the beginning of a text may not be like the
// rest of it at all.
func (d *decoder) room(used, need, least int) int {
	rest := len(d.data) - d.pos
	alike := float64(used+need) * float64(rest) / float64(d.pos+1)
	n := min(int(alike*1.125), 16*used)
	n = max(n, min(rest/1024, 64), 7) // the first steps
	return need + min(n, rest/least)
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
	return m, nil
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
