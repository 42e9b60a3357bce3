package bpe

// casedWord returns the end of the longest U*W+ at p, or else of U+, the end of
// what it looked at, and whether it was the former. A letter or mark must stand
// at p.
//
// Where no W follows the run of U, the expression gives back characters of U
// until one of them is a W too, that is: it ends after the last Lm, Lo or M.
func casedWord(text []byte, p int) (end, seen int, lowered bool) {
	i, both := p, -1
	for i < len(text) {
		c, size := classAt(text, i)
		if c&upperRun == 0 {
			break
		}
		i += size
		if c&lowerRun != 0 {
			both = i
		}
	}
	switch end := run(text, i, lowerRun); {
	case end > i:
		return end, end, true
	case both >= 0:
		return both, i, true
	}
	return i, i, false
}

// run returns the end of the characters of a class that begin at p.
func run(text []byte, p int, of class) int {
	for p < len(text) {
		b := text[p]
		if b < 0x80 {
			if asciiClass[b]&of == 0 {
				break
			}
			p++
			continue
		}
		r, size := decode(text, p)
		if classOf(r)&of == 0 {
			break
		}
		p += size
	}
	return p
}

// threeNumbers returns the end of at most three numbers at p.
func threeNumbers(text []byte, p int) int {
	for range 3 {
		c, size := classAt(text, p)
		if c&number == 0 {
			break
		}
		p += size
	}
	return p
}

// punctuation returns the end of ` ?[^\s\p{L}\p{N}]+` at p, or p.
func punctuation(text []byte, p int) int {
	start := p
	if text[p] == ' ' {
		start++
	}
	end := start
	for end < len(text) {
		c, size := classAt(text, end)
		if c&(space|solid) != 0 {
			break
		}
		end += size
	}
	if end == start {
		return p
	}
	return end
}

// whiteSpace returns the end of `\s*[\r\n]+|\s+(?!\S)|\s+` at p, and of the run.
func whiteSpace(text []byte, p int) (end, seen int) {
	line, last, seen := spaces(text, p)
	if line > p {
		return line, seen
	}
	return beforeSolid(text, p, last, seen), seen
}

// blanks returns the end of `\s+(?!\S)|\s+` at p, and of the run.
func blanks(text []byte, p int) (end, seen int) {
	_, last, seen := spaces(text, p)
	return beforeSolid(text, p, last, seen), seen
}

// spaces returns the end of the white space at p, where its last character
// begins, and where its last line break ends; p when there is none.
func spaces(text []byte, p int) (line, last, end int) {
	line, last, end = p, p, p
	for end < len(text) {
		c, size := classAt(text, end)
		if c&space == 0 {
			break
		}
		last = end
		end += size
		if b := text[last]; b == '\n' || b == '\r' {
			line = end
		}
	}
	return line, last, end
}

// beforeSolid leaves the last white space of a run to what follows it, unless
// that is the end of the text or the run has no other.
func beforeSolid(text []byte, p, last, end int) int {
	if end == len(text) || last == p {
		return end
	}
	return last
}

// contraction returns the end of `(?i:'s|'t|'re|'ve|'m|'ll|'d)` at p, or p.
// The long s U+017F is an s when case is ignored.
func contraction(text []byte, p int) int {
	if p+1 >= len(text) || text[p] != '\'' {
		return p
	}
	a := text[p+1]
	switch a | 0x20 {
	case 's', 't', 'm', 'd':
		return p + 2
	}
	if p+2 >= len(text) {
		return p
	}
	b := text[p+2]
	switch uint16(a|0x20)<<8 | uint16(b|0x20) {
	case 'r'<<8 | 'e', 'v'<<8 | 'e', 'l'<<8 | 'l':
		return p + 3
	}
	if a == 0xc5 && b == 0xbf {
		return p + 3
	}
	return p
}
