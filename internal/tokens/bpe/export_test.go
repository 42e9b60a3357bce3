package bpe

import "io"

// Ops counts a text and returns the look-ups, heap steps and bytes scanned
// that it took.
func (c *Codec) Ops(text []byte) (count int, ops uint64) {
	var m merger
	count = c.count(&m, text)
	return count, m.ops
}

// Pieces returns where the pieces of a valid text end.
func (c *Codec) Pieces(text string) (ends []int) {
	for p := 0; p < len(text); {
		p, _ = c.split([]byte(text), p)
		ends = append(ends, p)
	}
	return ends
}

// Stitch merges one piece in windows that begin with the given size, which
// must be at least 4, and returns its tokens and the size that did.
func (c *Codec) Stitch(piece []byte, size int) (ids []int, used int) {
	var m merger
	for ; ; size *= 2 {
		ids = ids[:0]
		if _, ok := m.stitch(c.vocab, piece, size, &ids); ok {
			return ids, size
		}
	}
}

// Bytes returns the bytes of a token.
func (c *Codec) Bytes(id int) []byte { return c.vocab.bytes(uint32(id)) }

// Size returns the number of ranks, gaps included.
func (c *Codec) Size() int { return c.vocab.size() }

// Longest returns the bytes of the longest token.
func (c *Codec) Longest() int { return c.vocab.longest }

// ReadRanks reads a list of tokens and returns how many ranks it has.
func ReadRanks(r io.Reader, tokens int) (int, error) {
	v, err := readRanks(r, tokens, 0)
	if err != nil {
		return 0, err
	}
	return v.size(), nil
}

// The general categories that the splitter tells apart.
const (
	Other = iota
	Upper
	Lower
	Letter
	Mark
	Number
	Space
)

// CategoryOf returns the category of a code point in the pinned table.
func CategoryOf(r rune) int {
	switch classOf(r) {
	case upperRun | letter:
		return Upper
	case lowerRun | letter:
		return Lower
	case upperRun | lowerRun | letter:
		return Letter
	case mark:
		return Mark
	case number:
		return Number
	case space:
		return Space
	case 0:
		return Other
	}
	return -1
}

// Rank returns the rank of a token's bytes, or -1.
func (c *Codec) Rank(token []byte) int {
	if r := c.vocab.rank(token, 0, len(token)); r != none {
		return int(r)
	}
	return -1
}

// ReadAgain reads the ranks of an encoding as the first Load does.
func ReadAgain(e Encoding) error {
	ranks, _ := e.parts()
	_, err := ranks.read()
	return err
}

// RankIn reads a list of tokens and looks up bytes that are perhaps one.
func RankIn(r io.Reader, tokens int, token []byte) (int, error) {
	v, err := readRanks(r, tokens, 0)
	if err != nil {
		return 0, err
	}
	return (&Codec{vocab: v}).Rank(token), nil
}
