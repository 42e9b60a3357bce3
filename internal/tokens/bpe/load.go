package bpe

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"strconv"
	"sync"

	"github.com/pkoukk/tiktoken-go-loader/assets"
)

// A rankFile is an embedded list of tokens. The numbers of tokens and of their
// bytes are hints that save growing.
type rankFile struct {
	name   string
	tokens int
	size   int
	once   func() (*vocab, error) // read, once in the life of the process
}

var (
	r50kRanks   = newRankFile("r50k_base.tiktoken", 50256, 320814)
	p50kRanks   = newRankFile("p50k_base.tiktoken", 50281, 321138)
	cl100kRanks = newRankFile("cl100k_base.tiktoken", 100256, 643830)
	o200kRanks  = newRankFile("o200k_base.tiktoken", 199998, 1397670)
)

func newRankFile(name string, tokens, size int) *rankFile {
	f := &rankFile{name: name, tokens: tokens, size: size}
	f.once = sync.OnceValues(f.read)
	return f
}

func (f *rankFile) read() (*vocab, error) {
	// Opened rather than read whole: ReadFile would copy the embedded bytes.
	file, err := assets.Assets.Open(f.name)
	if err != nil {
		return nil, fmt.Errorf("opening the ranks: %w", err)
	}
	defer file.Close()
	v, err := readRanks(file, f.tokens, f.size)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", f.name, err)
	}
	return v, nil
}

// readRanks reads lines that hold a token in base64, a space and its rank, in
// the order of the ranks. A rank that is left out becomes a gap.
func readRanks(r io.Reader, tokens, size int) (*vocab, error) {
	v := newVocab(tokens, size)
	lines := bufio.NewReaderSize(r, 1<<16)
	var token [maxToken + 2]byte
	for n := 1; ; n++ {
		line, err := lines.ReadSlice('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		if len(line) == 0 {
			break
		}
		code, digits, _ := bytes.Cut(bytes.TrimRight(line, "\r\n"), []byte{' '})
		if base64.StdEncoding.DecodedLen(len(code)) > len(token) {
			return nil, fmt.Errorf("line %d: a token of more than %d bytes", n, maxToken)
		}
		length, err := base64.StdEncoding.Decode(token[:], code)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		rank, err := strconv.ParseUint(string(digits), 10, 24)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		if length == 0 || int(rank) < v.size() || int(rank) >= tokens {
			return nil, fmt.Errorf("line %d: empty token, or rank %d out of order", n, rank)
		}
		for v.size() < int(rank) {
			v.add(nil)
		}
		v.add(token[:length])
	}
	for b, rank := range v.single {
		if rank == none {
			return nil, fmt.Errorf("byte %#02x is no token", b)
		}
	}
	return v, nil
}
