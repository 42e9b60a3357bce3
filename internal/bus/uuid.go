package bus

import (
	"crypto/rand"
	"encoding/hex"
)

// newID returns a random (version 4) UUID; the engine drops a call whose id is
// anything else.
func newID() string {
	var raw [16]byte
	rand.Read(raw[:]) // never fails
	raw[6] = raw[6]&0x0f | 0x40
	raw[8] = raw[8]&0x3f | 0x80
	var text [36]byte
	hex.Encode(text[0:8], raw[0:4])
	hex.Encode(text[9:13], raw[4:6])
	hex.Encode(text[14:18], raw[6:8])
	hex.Encode(text[19:23], raw[8:10])
	hex.Encode(text[24:36], raw[10:16])
	text[8], text[13], text[18], text[23] = '-', '-', '-', '-'
	return string(text[:])
}
