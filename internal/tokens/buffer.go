package tokens

import (
	"sync"

	"context-manager/internal/agent"
)

// keepBuffer is the largest buffer in bytes that is kept between texts.
const keepBuffer = 1 << 20

var buffers = sync.Pool{New: func() any { return new([]byte) }}

// getBuffer returns an empty buffer to build a text in.
func getBuffer() *[]byte { return buffers.Get().(*[]byte) }

func putBuffer(b *[]byte) {
	if cap(*b) <= keepBuffer {
		*b = (*b)[:0]
		buffers.Put(b)
	}
}

// appendTool appends what a provider reads of a tool, as compact JSON.
func appendTool(dst []byte, f *agent.Function) []byte {
	dst = append(dst, `{"name":`...)
	dst = agent.AppendString(dst, f.Name())
	dst = append(dst, `,"description":`...)
	dst = agent.AppendString(dst, f.Description())
	dst = append(dst, `,"parameters":`...)
	dst = f.AppendParameters(dst)
	return append(dst, '}')
}
