package devengine_test

import (
	"encoding/binary"
	"errors"
	"testing"

	"context-manager/internal/devengine"
)

// header is the header of a masked frame.
func header(first byte, length uint64) []byte {
	h := []byte{first, 0x80}
	switch {
	case length < 126:
		h[1] |= byte(length)
	case length < 1<<16:
		h[1] |= 126
		h = binary.BigEndian.AppendUint16(h, uint16(length))
	default:
		h[1] |= 127
		h = binary.BigEndian.AppendUint64(h, length)
	}
	return append(h, 1, 2, 3, 4)
}

const (
	text         = 0x01
	continuation = 0x00
	fin          = 0x80
	pingFrame    = 0x89
)

func TestMeter(t *testing.T) {
	t.Parallel()
	type frame struct {
		first  byte
		length uint64
	}
	quarter := []frame{{text, 16 << 20}, {continuation, 16 << 20}, {pingFrame, 5}, {continuation, 16 << 20}}
	for _, c := range []struct {
		name   string
		frames []frame
		want   error // of the last one
	}{
		{"a small frame passes", []frame{{fin | text, 5}}, nil},
		{"an empty frame passes", []frame{{fin | text, 0}, {fin | text, 0}}, nil},
		{"a frame with a two-byte length passes", []frame{{fin | text, 1000}}, nil},
		{"a frame at the limit passes", []frame{{fin | text, devengine.MaxFrame}}, nil},
		{"a frame above it does not", []frame{{fin | text, devengine.MaxFrame + 1}}, devengine.ErrFrameSize},
		{"a frame of absurd length does not", []frame{{fin | text, 1<<64 - 1}}, devengine.ErrFrameSize},
		{"fragments at the limit of a message pass", append(quarter, frame{fin | continuation, 16 << 20}), nil},
		{"one byte more does not", append(quarter[:4:4], frame{continuation, 16 << 20}, frame{fin | continuation, 1}), devengine.ErrMessageSize},
		{"messages do not add up", []frame{{fin | text, 16 << 20}, {fin | text, 16 << 20}, {fin | text, 16 << 20}, {fin | text, 16 << 20}, {fin | text, 16 << 20}}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var m devengine.Meter
			zeros := make([]byte, 1<<20)
			for i, f := range c.frames {
				h := header(f.first, f.length)
				// A byte at a time: a header may come in any pieces.
				for j := range h {
					n, err := m.Feed(h[j : j+1])
					last := i == len(c.frames)-1 && j == len(h)-1
					if n != 1 || last && !errors.Is(err, c.want) || !last && err != nil {
						t.Fatalf("frame %d, byte %d: got %d, %v; want 1, %v at the last", i, j, n, err, c.want)
					}
					if last && c.want == nil && err != nil {
						t.Fatalf("frame %d: got %v, want no error", i, err)
					}
				}
				if c.want != nil && i == len(c.frames)-1 {
					return
				}
				for left := f.length; left > 0; {
					n := min(left, uint64(len(zeros)))
					if got, err := m.Feed(zeros[:n]); got != int(n) || err != nil {
						t.Fatalf("payload of frame %d: got %d, %v; want %d", i, got, err, n)
					}
					left -= n
				}
			}
		})
	}
}

// TestMeterHandsOnWhatCameBefore: a good frame in the same piece of the stream
// is still read, and so is the header of the bad one.
func TestMeterHandsOnWhatCameBefore(t *testing.T) {
	t.Parallel()
	good := append(header(fin|text, 3), "abc"...)
	bad := header(fin|text, devengine.MaxFrame+1)
	var m devengine.Meter
	n, err := m.Feed(append(append(good, bad...), "payload"...))
	if want := len(good) + len(bad); n != want || !errors.Is(err, devengine.ErrFrameSize) {
		t.Errorf("got %d, %v; want %d, %v", n, err, want, devengine.ErrFrameSize)
	}
}

// FuzzMeter feeds the same stream whole and in pieces.
func FuzzMeter(f *testing.F) {
	f.Add(append(header(fin|text, 3), "abc"...), 1)
	f.Add(header(text, devengine.MaxFrame+1), 3)
	f.Add([]byte{fin | text, 0x03, 'a', 'b', 'c', pingFrame, 0x80}, 2)
	f.Fuzz(func(t *testing.T, stream []byte, piece int) {
		piece = max(1, piece&63)
		var whole, parts devengine.Meter
		wantN, wantErr := whole.Feed(stream)
		gotN := 0
		var gotErr error
		for rest := stream; len(rest) > 0 && gotErr == nil; {
			p := rest[:min(piece, len(rest))]
			rest = rest[len(p):]
			var n int
			n, gotErr = parts.Feed(p)
			gotN += n
		}
		if gotN != wantN || !errors.Is(gotErr, wantErr) {
			t.Errorf("in pieces of %d: got %d, %v; whole: %d, %v", piece, gotN, gotErr, wantN, wantErr)
		}
	})
}
