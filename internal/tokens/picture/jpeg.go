package picture

// maxSteps is where the search for a frame header ends. A photograph with a
// colour profile and previews has some dozens of segments before it.
const maxSteps = 4096

// jpeg looks for the frame header behind the segments that may precede it. As
// decoders do, it skips stray bytes between segments.
func jpeg(r reader) (width, height int) {
	at := 2
	for range maxSteps {
		var b [9]byte
		if !r.at(b[:4], at) {
			return 0, 0
		}
		marker := b[1]
		switch {
		case b[0] != 0xff || marker == 0xff: // a stray or fill byte
			at++
			continue
		case marker <= 0x01 || marker >= 0xd0 && marker <= 0xd7: // no length follows
			at += 2
			continue
		case marker == 0xd9 || marker == 0xda: // the picture, and no frame header came
			return 0, 0
		}
		length := int(b[2])<<8 | int(b[3])
		if length < 2 {
			return 0, 0
		}
		// C0 to CF are frame headers, apart from three tables.
		if marker >= 0xc0 && marker <= 0xcf && marker != 0xc4 && marker != 0xc8 && marker != 0xcc {
			if length < 8 || !r.at(b[:9], at) {
				return 0, 0
			}
			return int(b[7])<<8 | int(b[8]), int(b[5])<<8 | int(b[6])
		}
		at += 2 + length
	}
	return 0, 0
}
