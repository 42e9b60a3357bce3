package bus

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/coder/websocket"
)

// ChannelReader is the reading end of a channel.
type ChannelReader struct {
	client *Client
	ws     *socket
	err    error // of the last Next that failed
}

// Frame is one item of a channel.
type Frame struct {
	Binary bool
	Data   []byte // the caller's to keep
}

// OpenReader opens the reading end; the caller must Close it. Errors:
// [ErrNoChannel], [ErrDisconnected] or the cause of ctx's end. An end that was
// opened before opens again but is at its end at once.
func (c *Client) OpenReader(ctx context.Context, ref ChannelRef) (*ChannelReader, error) {
	ws, err := c.openEnd(ctx, ref, "read")
	if err != nil {
		return nil, err
	}
	return &ChannelReader{client: c, ws: ws}, nil
}

// Next waits for the next frame. It returns [io.EOF] after the writer closed, or
// went: the engine does not tell which. The end of ctx closes the channel. In a
// handler, with its context, other handlers run meanwhile. One goroutine may call
// it at a time.
func (r *ChannelReader) Next(ctx context.Context) (Frame, error) {
	if r.err != nil {
		return Frame{}, r.err
	}
	resume := r.client.GiveWay(ctx)
	kind, b, err := r.ws.readMessage(ctx, int(r.client.opts.ReadLimit))
	resume()
	if err != nil {
		r.err = r.reason(ctx, err)
		r.Close()
		return Frame{}, r.err
	}
	defer b.release()
	return Frame{Binary: kind == websocket.MessageBinary, Data: bytes.Clone(b.b)}, nil
}

func (r *ChannelReader) reason(ctx context.Context, err error) error {
	switch {
	case websocket.CloseStatus(err) != -1:
		return io.EOF
	case ctx.Err() != nil:
		return fmt.Errorf("reading a channel: %w", context.Cause(ctx))
	case errors.Is(err, errTooLong):
		r.ws.bye(websocket.StatusMessageTooBig, "message too big", lingerTime)
		return fmt.Errorf("reading a channel: %w", err)
	}
	return fmt.Errorf("reading a channel: %w: %w", ErrDisconnected, err)
}

// Close drops the connection. No handshake: an engine that has nothing to deliver
// does not read from this socket and would never answer one.
func (r *ChannelReader) Close() { r.ws.kill() }
