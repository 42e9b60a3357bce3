package picture

import "encoding/binary"

// Size returns the width and height of a picture in pixels. ok is false for
// anything that is not the base64 text of a PNG, JPEG, GIF or WebP file with
// both of them above zero. Only the head of the file is checked.
func Size(text []byte) (width, height int, ok bool) {
	r := newReader(text)
	var head [30]byte
	n := len(head)
	for n > 12 && !r.at(head[:n], 0) {
		n--
	}
	b := head[:n]
	switch {
	case n >= 24 && string(b[:8]) == "\x89PNG\r\n\x1a\n" && string(b[12:16]) == "IHDR":
		width = int(binary.BigEndian.Uint32(b[16:]))
		height = int(binary.BigEndian.Uint32(b[20:]))
	case string(b[:6]) == "GIF87a" || string(b[:6]) == "GIF89a":
		width = int(binary.LittleEndian.Uint16(b[6:]))
		height = int(binary.LittleEndian.Uint16(b[8:]))
	case b[0] == 0xff && b[1] == 0xd8:
		width, height = jpeg(r)
	case n == len(head) && string(b[:4]) == "RIFF" && string(b[8:12]) == "WEBP":
		width, height = webp(b)
	}
	return width, height, width > 0 && height > 0
}

// webp reads the first chunk of a WebP file, of which b holds 30 bytes.
func webp(b []byte) (width, height int) {
	switch string(b[12:16]) {
	case "VP8 ": // lossy: a frame tag, a start code, two sizes of 14 bits
		if b[20]&1 == 0 && b[23] == 0x9d && b[24] == 0x01 && b[25] == 0x2a {
			return int(binary.LittleEndian.Uint16(b[26:]) & 0x3fff), int(binary.LittleEndian.Uint16(b[28:]) & 0x3fff)
		}
	case "VP8L": // lossless: a signature, two sizes less one of 14 bits
		if b[20] == 0x2f {
			bits := binary.LittleEndian.Uint32(b[21:])
			return int(bits&0x3fff) + 1, int(bits>>14&0x3fff) + 1
		}
	case "VP8X": // extended: flags, two sizes less one of 24 bits
		return uint24(b[24:]) + 1, uint24(b[27:]) + 1
	}
	return 0, 0
}

func uint24(b []byte) int { return int(b[0]) | int(b[1])<<8 | int(b[2])<<16 }
