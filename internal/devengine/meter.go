package devengine

import (
	"encoding/binary"
	"errors"
)

// Limits of what a peer may send, those of the iii engine: one frame, and the
// frames of one message together.
const (
	maxFrame   = 16 << 20
	maxMessage = 64 << 20
)

var (
	errFrameSize   = errors.New("frame above 16 MiB")
	errMessageSize = errors.New("message above 64 MiB")
)

// meter follows the WebSocket framing of a byte stream from a client and
// watches the sizes its headers announce. coder/websocket limits messages
// only, and answers one that is too long with a close frame; the iii engine
// limits frames too and drops the connection without a word.
type meter struct {
	header  [14]byte
	have    int    // bytes of the header seen so far
	payload uint64 // bytes of the payload still to come
	message uint64 // announced length of the message so far
	newest  int    // announced length of the newest data frame
}

// feed looks at the next bytes of the stream. On an error the first ok bytes,
// through the end of the offending header, are still good to hand on.
func (m *meter) feed(p []byte) (ok int, err error) {
	for i := 0; i < len(p); {
		if m.payload > 0 {
			n := min(m.payload, uint64(len(p)-i))
			m.payload -= n
			i += int(n)
			continue
		}
		m.header[m.have] = p[i]
		m.have++
		i++
		if m.have < 2 || m.have < m.size() {
			continue
		}
		m.have = 0
		if err := m.enter(); err != nil {
			return i, err
		}
	}
	return len(p), nil
}

// size is the length of the header, which its second byte tells.
func (m *meter) size() int {
	n := 2
	switch m.header[1] & 0x7f {
	case 126:
		n += 2
	case 127:
		n += 8
	}
	if m.header[1]&0x80 != 0 {
		n += 4
	}
	return n
}

// enter takes the header that has just become complete.
func (m *meter) enter() error {
	m.payload = uint64(m.header[1] & 0x7f)
	switch m.payload {
	case 126:
		m.payload = uint64(binary.BigEndian.Uint16(m.header[2:]))
	case 127:
		m.payload = binary.BigEndian.Uint64(m.header[2:])
	}
	const (
		fin     = 0x80
		opcode  = 0x0f
		control = 0x08
	)
	if m.header[0]&control != 0 {
		return nil
	}
	if m.payload > maxFrame {
		return errFrameSize
	}
	m.newest = int(m.payload)
	if m.header[0]&opcode != 0 {
		m.message = 0 // no continuation
	}
	if m.message += m.payload; m.message > maxMessage {
		return errMessageSize
	}
	if m.header[0]&fin != 0 {
		m.message = 0
	}
	return nil
}
