package bpe

// A splitter returns the end of the piece that starts at p, which must lie
// within the text, and the end of what it looked at, which may be further. The
// text must be valid UTF-8. Every piece holds at least one code point and no
// merge crosses its ends.
//
// The splitters do by hand what the published regular expressions say; each
// names its expression. What a splitter looked at beyond the end of a piece is
// in the next piece or in the one after it, so the whole stays linear.
type splitter func(text []byte, p int) (end, seen int)

// splitO200k follows, with U = [\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}] and
// W = [\p{Ll}\p{Lm}\p{Lo}\p{M}]:
//
//	[^\r\n\p{L}\p{N}]?U*W+(?i:'s|'t|'re|'ve|'m|'ll|'d)?
//	[^\r\n\p{L}\p{N}]?U+W*(?i:'s|'t|'re|'ve|'m|'ll|'d)?
//	\p{N}{1,3}
//	 ?[^\s\p{L}\p{N}]+[\r\n/]*
//	\s*[\r\n]+
//	\s+(?!\S)
//	\s+
func splitO200k(text []byte, p int) (end, seen int) {
	c, size := classAt(text, p)
	switch {
	case c&letter != 0:
		end, seen, _ = casedWord(text, p)
		return contraction(text, end), seen
	case c&number != 0:
		end = threeNumbers(text, p)
		return end, end
	case text[p] == '\n' || text[p] == '\r':
		return whiteSpace(text, p)
	}
	after := p + size
	if d, _ := classAt(text, after); d&word != 0 {
		end, seen, lowered := casedWord(text, after)
		if c&word != 0 && !lowered {
			// A mark before capitals alone: the first line, with the mark as
			// part of U rather than in front, comes before the second.
			return after, seen
		}
		return contraction(text, end), seen
	}
	if c&word != 0 { // a mark alone
		return contraction(text, after), after
	}
	if end = punctuation(text, p); end == p {
		return whiteSpace(text, p)
	}
	for end < len(text) && (text[end] == '\r' || text[end] == '\n' || text[end] == '/') {
		end++
	}
	return end, end
}

// splitCL100k follows
//
//	(?i:'s|'t|'re|'ve|'m|'ll|'d)
//	[^\r\n\p{L}\p{N}]?\p{L}+
//	\p{N}{1,3}
//	 ?[^\s\p{L}\p{N}]+[\r\n]*
//	\s*[\r\n]+
//	\s+(?!\S)
//	\s+
func splitCL100k(text []byte, p int) (end, seen int) {
	c, size := classAt(text, p)
	switch {
	case c&letter != 0:
		end = run(text, p, letter)
		return end, end
	case c&number != 0:
		end = threeNumbers(text, p)
		return end, end
	case text[p] == '\n' || text[p] == '\r':
		return whiteSpace(text, p)
	}
	if end = contraction(text, p); end > p {
		return end, end
	}
	if end = run(text, p+size, letter); end > p+size {
		return end, end
	}
	if end = punctuation(text, p); end == p {
		return whiteSpace(text, p)
	}
	for end < len(text) && (text[end] == '\r' || text[end] == '\n') {
		end++
	}
	return end, end
}

// splitR50k follows
//
//	's|'t|'re|'ve|'m|'ll|'d
//	 ?\p{L}+
//	 ?\p{N}+
//	 ?[^\s\p{L}\p{N}]+
//	\s+(?!\S)
//	\s+
func splitR50k(text []byte, p int) (end, seen int) {
	if end = contraction(text, p); end > p && lowerASCII(text[p+1:end]) {
		return end, end
	}
	q := p
	if text[p] == ' ' {
		q++
	}
	c, size := classAt(text, q)
	switch {
	case c&letter != 0:
		end = run(text, q, letter)
	case c&number != 0:
		end = run(text, q, number)
	case c&space != 0 || size == 0:
		return blanks(text, p)
	default:
		end = punctuation(text, p)
	}
	return end, end
}

func lowerASCII(s []byte) bool {
	for _, b := range s {
		if b < 'a' || b > 'z' {
			return false
		}
	}
	return true
}
