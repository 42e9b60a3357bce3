package bpe

import (
	"fmt"
	"sync"
	"unicode/utf8"
	"unsafe"
)

// A Codec counts the tokens of texts in one encoding. It is safe for
// concurrent use.
//
// Texts are plain: what looks like a control token (<|endoftext|>) is counted
// as the characters it is made of. A byte that is not valid UTF-8 counts as
// U+FFFD.
type Codec struct {
	encoding Encoding
	vocab    *vocab
	split    splitter
}

// Load returns the codec of an encoding. The first call for a vocabulary reads
// it from the binary (some tens of ms, at most about 12 MB kept for good);
// later calls cost nothing. It fails for a name that Encodings does not list.
func Load(e Encoding) (*Codec, error) {
	ranks, split := e.parts()
	if ranks == nil {
		return nil, fmt.Errorf("loading encoding %q: unknown name", string(e))
	}
	v, err := ranks.once()
	if err != nil {
		return nil, fmt.Errorf("loading encoding %q: %w", string(e), err)
	}
	return &Codec{encoding: e, vocab: v, split: split}, nil
}

// Encoding returns the encoding that the codec was loaded for.
func (c *Codec) Encoding() Encoding { return c.encoding }

var mergers = sync.Pool{New: func() any { return new(merger) }}

// Count returns the number of tokens of a text.
func (c *Codec) Count(text []byte) int {
	m := mergers.Get().(*merger)
	n := c.count(m, text)
	m.release()
	return n
}

// CountString returns the number of tokens of a text.
func (c *Codec) CountString(text string) int {
	return c.Count(unsafe.Slice(unsafe.StringData(text), len(text)))
}

// Append appends the tokens of a text to dst: the numbers behind a count, for
// comparison with other implementations.
func (c *Codec) Append(dst []int, text []byte) []int {
	m := mergers.Get().(*merger)
	defer m.release()
	text = valid(text)
	for p := 0; p < len(text); {
		end, _ := c.split(text, p)
		switch n := end - p; {
		case c.vocab.rank(text, p, n) != none:
			dst = append(dst, int(c.vocab.rank(text, p, n)))
		case n <= shortPiece:
			m.short(c.vocab, text, p, n)
			for i := 0; i < n; i = int(m.next[i]) {
				dst = append(dst, int(c.vocab.rank(text, p+i, int(m.next[i])-i)))
			}
		default:
			m.windows(c.vocab, text[p:end], &dst)
		}
		p = end
	}
	return dst
}

func (c *Codec) count(m *merger, text []byte) (count int) {
	text = valid(text)
	v := c.vocab
	for p := 0; p < len(text); {
		end, seen := c.split(text, p)
		m.ops += uint64(seen - p)
		switch n := end - p; {
		case v.rank(text, p, n) != none:
			count++
		case n <= shortPiece:
			count += m.short(v, text, p, n)
		default:
			count += m.windows(v, text[p:end], nil)
		}
		p = end
	}
	return count
}

// release gives the working memory back for the next text.
func (m *merger) release() {
	if cap(m.long.ranks) > keepWindow {
		m.long = window{}
	}
	mergers.Put(m)
}

// valid returns text with U+FFFD in place of each byte that is no UTF-8.
func valid(text []byte) []byte {
	if utf8.Valid(text) {
		return text
	}
	bad := 0
	for rest := text; len(rest) > 0; {
		r, size := utf8.DecodeRune(rest)
		if r == utf8.RuneError && size == 1 {
			bad++
		}
		rest = rest[size:]
	}
	fixed := make([]byte, 0, len(text)+bad*(utf8.RuneLen(utf8.RuneError)-1))
	for rest := text; len(rest) > 0; {
		r, size := utf8.DecodeRune(rest)
		fixed = utf8.AppendRune(fixed, r)
		rest = rest[size:]
	}
	return fixed
}
