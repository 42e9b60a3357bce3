package main

import (
	"context"
	"io"
	"os"
)

// interruptible is a reader whose Read ends with a context. A read of a terminal
// or pipe cannot be called off, so the goroutine that waits in it is left behind
// when the context ends, and ends with the process.
type interruptible struct {
	ctx    context.Context
	pieces chan piece
	rest   []byte
	err    error
}

// piece is what one read gave.
type piece struct {
	data []byte
	err  error
}

func newInterruptible(ctx context.Context, r io.Reader) *interruptible {
	i := &interruptible{ctx: ctx, pieces: make(chan piece)}
	go i.copy(r)
	return i
}

func (i *interruptible) copy(r io.Reader) {
	for {
		data := make([]byte, 1<<16)
		n, err := r.Read(data)
		select {
		case i.pieces <- piece{data[:n], err}:
		case <-i.ctx.Done():
			return
		}
		if err != nil {
			return
		}
	}
}

// Read implements io.Reader. Its error is the cause of the context's end, or
// that of the reader.
func (i *interruptible) Read(b []byte) (int, error) {
	for len(i.rest) == 0 && i.err == nil {
		select {
		case p := <-i.pieces:
			i.rest, i.err = p.data, p.err
		case <-i.ctx.Done():
			i.err = context.Cause(i.ctx)
		}
	}
	n := copy(b, i.rest)
	i.rest = i.rest[n:]
	if len(i.rest) > 0 || n > 0 {
		return n, nil
	}
	return 0, i.err
}

// lazyFile is a file that is opened by the first Read. It is closed by the end
// of the process.
type lazyFile struct {
	name string
	file *os.File
}

func (l *lazyFile) Read(b []byte) (n int, err error) {
	if l.file == nil {
		if l.file, err = os.Open(l.name); err != nil {
			return 0, err
		}
	}
	return l.file.Read(b)
}
