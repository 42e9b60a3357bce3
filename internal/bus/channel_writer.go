package bus

import (
	"context"
	"fmt"
	"time"

	"github.com/coder/websocket"
)

// channelPiece is the customary size of a binary frame.
const channelPiece = 64 << 10

// ChannelWriter is the writing end of a channel. One goroutine may use it at a
// time.
type ChannelWriter struct {
	client *Client
	ws     *socket
	stop   context.CancelFunc // ends the reader that notices the engine's close
}

// OpenWriter opens the writing end; the caller must Close it. Errors are those of
// [Client.OpenReader].
func (c *Client) OpenWriter(ctx context.Context, ref ChannelRef) (*ChannelWriter, error) {
	ws, err := c.openEnd(ctx, ref, "write")
	if err != nil {
		return nil, err
	}
	reading, stop := context.WithCancel(context.Background())
	ws.CloseRead(reading)
	return &ChannelWriter{client: c, ws: ws, stop: stop}, nil
}

// WriteText sends one text frame, by convention a JSON message. It waits while the
// channel is full; the end of ctx then closes the channel. When the reader has
// gone a later frame fails with [ErrDisconnected].
func (w *ChannelWriter) WriteText(ctx context.Context, text []byte) error {
	return w.write(ctx, websocket.MessageText, text)
}

// WriteBinary sends bytes in frames of at most 64 KiB, and otherwise is WriteText.
func (w *ChannelWriter) WriteBinary(ctx context.Context, data []byte) error {
	for {
		piece := data[:min(len(data), channelPiece)]
		data = data[len(piece):]
		if err := w.write(ctx, websocket.MessageBinary, piece); err != nil || len(data) == 0 {
			return err
		}
	}
}

func (w *ChannelWriter) write(ctx context.Context, kind websocket.MessageType, b []byte) error {
	if len(b) > maxMessage {
		return fmt.Errorf("writing a channel: %w", ErrTooLarge)
	}
	resume := w.client.GiveWay(ctx)
	err := w.ws.writeMessage(ctx, kind, b)
	resume()
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return fmt.Errorf("writing a channel: %w", context.Cause(ctx))
	}
	return fmt.Errorf("writing a channel: %w: %w", ErrDisconnected, err)
}

// Close ends the stream: the reader gets what was written, then the end.
func (w *ChannelWriter) Close() {
	defer w.stop()
	w.ws.bye(websocket.StatusNormalClosure, "", time.Second)
}
