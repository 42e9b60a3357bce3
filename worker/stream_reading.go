package worker

import (
	"context"
	"io"
)

// reading is a goroutine that folds the frames of a channel until its end.
type reading struct {
	frames frameReader
	done   chan struct{} // closed when the goroutine has ended
	stream stream        // the goroutine's until then
	err    error         // why it ended, unless the stream did; likewise
}

// startReading takes over frames; the caller must call stop, which alone ends it
// unless ctx does. A failure to read
// is an end like any other: what came counts.
func startReading(ctx context.Context, frames frameReader) *reading {
	r := &reading{frames: frames, done: make(chan struct{})}
	go func() {
		defer close(r.done)
		for {
			f, err := frames.Next(ctx)
			if err != nil {
				if err != io.EOF { // one that is wrapped is a socket that was cut
					r.err = err
				}
				return
			}
			r.stream.add(f)
		}
	}()
	return r
}

// stop ends the reading, waits for it and returns what was folded. Where nothing
// came because the channel failed before, that is the failure.
func (r *reading) stop() *stream {
	var failed error
	select {
	case <-r.done:
		failed = r.err
	default:
	}
	r.frames.Close()
	<-r.done
	r.stream.end()
	if failed != nil && r.stream.blank() {
		r.stream.fail(failed)
	}
	return &r.stream
}
