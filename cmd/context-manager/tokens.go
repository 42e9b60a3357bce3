package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"

	"context-manager/internal/tokens"
	"context-manager/internal/tokens/bpe"
)

// runTokens counts a text in a public encoding. The number alone goes to
// stdout, so that it can be used in a script.
func runTokens(ctx context.Context, p process) error {
	var encoding, model string
	var lines bool
	given := map[string]*string{"--encoding": &encoding, "--model": &model}
	rest, stop, err := parse(p, func(fs *flag.FlagSet) {
		fs.StringVar(&encoding, "encoding", unset, "")
		fs.StringVar(&model, "model", unset, "")
		fs.BoolVar(&lines, "lines", false, "")
	})
	if stop || err != nil {
		return err
	}
	if err := notBlank(given); err != nil {
		return err
	}
	if len(rest) > 1 || encoding != "" && model != "" {
		return badUsage("tokens wants --encoding or --model, and at most one file: context-manager tokens [--encoding E | --model M] [--lines] [FILE|-]")
	}
	name, err := encodingOf(encoding, model)
	if err != nil {
		return err
	}
	in, closeIn, err := openInput(ctx, p, rest)
	if err != nil {
		return err
	}
	defer closeIn()
	if lines {
		return countLines(ctx, name, in, p.stdout)
	}
	codec, err := bpe.Load(name)
	if err != nil {
		return err
	}
	text, err := io.ReadAll(in)
	if err != nil {
		return fmt.Errorf("reading the text: %w", err)
	}
	return printLine(p.stdout, fmt.Append(nil, codec.Count(text)))
}

// unset tells a flag that was left out from one that is empty, such as that of
// a script whose variable is not set: the default would be a plausible wrong
// answer to it.
const unset = "\x00"

func notBlank(flags map[string]*string) error {
	for name, value := range flags {
		switch {
		case *value == unset:
			*value = ""
		case strings.TrimSpace(*value) == "":
			return badUsage("%s is blank; leave it out for the default", name)
		}
	}
	return nil
}

// encodingOf finds the encoding asked for; without one it is the newest.
func encodingOf(encoding, model string) (bpe.Encoding, error) {
	if model != "" {
		e, ok := tokens.EncodingForModel(model)
		if !ok {
			return "", badUsage("--model %s: its encoding is not public; its tokens can only be estimated (context-manager call count-tokens)", model)
		}
		return e, nil
	}
	if encoding == "" {
		return bpe.O200kBase, nil
	}
	return knownEncoding(encoding)
}

func knownEncoding(name string) (bpe.Encoding, error) {
	names := make([]string, 0, 5)
	for _, e := range bpe.Encodings() {
		if string(e) == name {
			return e, nil
		}
		names = append(names, string(e))
	}
	return "", badUsage("unknown encoding %q, want one of %s", name, strings.Join(names, ", "))
}

// countLines answers {"tokens":n} for each {"encoding","text"}; a line without
// an encoding takes the one of the flags.
func countLines(ctx context.Context, otherwise bpe.Encoding, in io.Reader, out io.Writer) error {
	r := bufio.NewReaderSize(in, 1<<16)
	w := bufio.NewWriter(out)
	for n := 1; ; n++ {
		line, readErr := r.ReadBytes('\n')
		if readErr != nil && !errors.Is(readErr, io.EOF) {
			return errors.Join(fmt.Errorf("reading the texts: %w", readErr), w.Flush())
		}
		if line = bytes.TrimSpace(line); len(line) > 0 {
			count, err := countLine(otherwise, line)
			if err != nil {
				return errors.Join(fmt.Errorf("line %d: %w", n, err), w.Flush())
			}
			fmt.Fprintf(w, "{\"tokens\":%d}\n", count)
		}
		if readErr != nil || ctx.Err() != nil {
			return errors.Join(context.Cause(ctx), w.Flush())
		}
		// Whoever waits for an answer before the next whole line gets it.
		if next, _ := r.Peek(r.Buffered()); bytes.IndexByte(next, '\n') < 0 {
			if err := w.Flush(); err != nil {
				return err
			}
		}
	}
}

func countLine(otherwise bpe.Encoding, line []byte) (int, error) {
	var request struct {
		Encoding string  `json:"encoding"`
		Text     *string `json:"text"`
	}
	if err := json.Unmarshal(line, &request); err != nil {
		return 0, fmt.Errorf("want {\"encoding\",\"text\"}: %w", err)
	}
	if request.Text == nil {
		return 0, errors.New("text: missing, want a string")
	}
	name := otherwise
	if request.Encoding != "" {
		var err error
		if name, err = knownEncoding(request.Encoding); err != nil {
			return 0, err
		}
	}
	codec, err := bpe.Load(name)
	if err != nil {
		return 0, err
	}
	return codec.CountString(*request.Text), nil
}
