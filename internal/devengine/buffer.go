package devengine

import "sync"

// Text of frames lives in pooled buffers. Small and large ones are kept apart,
// so that a queue of small frames never holds the memory of large ones.
const smallBuffer = 64 << 10

var smallBuffers, largeBuffers sync.Pool

// takeBuffer returns an empty buffer that is likely to hold n bytes.
func takeBuffer(n int) []byte {
	pool := &smallBuffers
	if n > smallBuffer {
		pool = &largeBuffers
	}
	if b, ok := pool.Get().(*[]byte); ok {
		if cap(*b) >= n {
			return (*b)[:0]
		}
		pool.Put(b)
	}
	return make([]byte, 0, n)
}

// giveBuffer takes a buffer back that nobody looks at any more.
func giveBuffer(b []byte) {
	switch {
	case cap(b) == 0:
	case cap(b) <= smallBuffer:
		smallBuffers.Put(&b)
	default:
		largeBuffers.Put(&b)
	}
}
