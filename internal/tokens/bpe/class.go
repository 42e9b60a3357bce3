package bpe

//go:generate go run ./classgen class_table.go

// class says to which of the splitter's character sets a code point belongs.
type class uint8

const (
	upperRun class = 1 << iota // may start a word: Lu, Lt, Lm, Lo, M
	lowerRun                   // may end a word: Ll, Lm, Lo, M
	letter                     // L
	number                     // N
	space                      // White_Space

	mark  = upperRun | lowerRun // M, when letter is not set
	word  = mark | letter       // any bit of a letter or mark
	solid = letter | number     // what no punctuation run may hold
)

// classOf returns the class of r by Unicode 16.0. The code point r must be
// valid (at most U+10FFFF).
func classOf(r rune) class {
	const low = 1<<classBlockBits - 1
	return classBlocks[int(classIndex[uint32(r)>>classBlockBits])<<classBlockBits|int(uint32(r)&low)]
}

// asciiClass is classOf for the bytes below 0x80; the others have class 0 here
// and must be decoded first.
var asciiClass = func() (t [256]class) {
	for b := range rune(0x80) {
		t[b] = classOf(b)
	}
	return t
}()

// decode returns the code point at p and its length in bytes. The text must be
// valid UTF-8 and hold a whole code point at p.
func decode(text []byte, p int) (rune, int) {
	b := text[p]
	switch {
	case b < 0x80:
		return rune(b), 1
	case b < 0xe0:
		return rune(b&0x1f)<<6 | rune(text[p+1]&0x3f), 2
	case b < 0xf0:
		return rune(b&0x0f)<<12 | rune(text[p+1]&0x3f)<<6 | rune(text[p+2]&0x3f), 3
	default:
		return rune(b&0x07)<<18 | rune(text[p+1]&0x3f)<<12 | rune(text[p+2]&0x3f)<<6 | rune(text[p+3]&0x3f), 4
	}
}

// classAt returns the class of the code point at p and its length in bytes;
// class 0 and length 0 at the end of the text.
func classAt(text []byte, p int) (class, int) {
	if uint(p) >= uint(len(text)) {
		return 0, 0
	}
	if b := text[p]; b < 0x80 {
		return asciiClass[b], 1
	}
	r, size := decode(text, p)
	return classOf(r), size
}
