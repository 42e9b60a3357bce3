package bus

import (
	"errors"
	"io"
	"sync"
)

// buffer is one message, in or out, in memory that is used again.
//
// Memory is pooled by size class so that a small message never keeps a huge
// buffer alive: the pool of a class that is no longer asked for is emptied by the
// garbage collector.
type buffer struct{ b []byte }

// Sizes of the classes. A message that outgrows one is copied into the next, so
// a factor of 4 costs a third of the message at worst.
const (
	smallestClass = 4 << 10
	largestClass  = 64 << 20
)

var classes = func() (sizes []int) {
	for n := smallestClass; n <= largestClass; n *= 4 {
		sizes = append(sizes, n)
	}
	return sizes
}()

var pools = make([]sync.Pool, len(classes))

// getBuffer returns an empty buffer with room for at least n bytes.
func getBuffer(n int) *buffer {
	for i, size := range classes {
		if size < n {
			continue
		}
		if b, ok := pools[i].Get().(*buffer); ok {
			b.b = b.b[:0]
			return b
		}
		return &buffer{b: make([]byte, 0, size)}
	}
	return &buffer{b: make([]byte, 0, n)}
}

// release gives the memory back. The buffer must not be used afterwards.
func (b *buffer) release() {
	if b == nil || cap(b.b) < smallestClass || cap(b.b) >= 2*largestClass {
		return
	}
	for i := len(classes) - 1; i >= 0; i-- {
		if cap(b.b) >= classes[i] {
			pools[i].Put(b)
			return
		}
	}
}

var errTooLong = errors.New("message over the read limit")

// grow moves the message into the next larger class.
func (b *buffer) grow() {
	bigger := getBuffer(cap(b.b) + 1)
	bigger.b = append(bigger.b, b.b...)
	*b, *bigger = *bigger, *b
	bigger.release()
}

// readFrom appends all of r, at most limit bytes: errTooLong when there are more.
func (b *buffer) readFrom(r io.Reader, limit int) error {
	for {
		if len(b.b) == limit {
			var more [1]byte
			switch n, err := io.ReadFull(r, more[:]); {
			case n > 0:
				return errTooLong
			case errors.Is(err, io.EOF):
				return nil
			default:
				return err
			}
		}
		if len(b.b) == cap(b.b) {
			b.grow()
		}
		n, err := r.Read(b.b[len(b.b):min(cap(b.b), limit)])
		b.b = b.b[:len(b.b)+n]
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}
