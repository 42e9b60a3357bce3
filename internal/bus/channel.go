package bus

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
)

// ChannelRef names one end of a stream through the engine. It travels inside the
// payloads of calls; who holds it may open that end, once.
type ChannelRef struct {
	ChannelID string `json:"channel_id"`
	AccessKey string `json:"access_key"`
	Direction string `json:"direction"` // "read" or "write"
}

// ErrNoChannel says that the engine does not know the channel or its key. It
// removes channels that are not opened within minutes.
var ErrNoChannel error = &sentinel{"channel_not_found", "no such channel"}

// CreateChannel makes a channel in which the engine keeps at most bufferSize
// frames that have not been read; 0 = the engine's default (64), at most 1,024.
// Errors are those of [Client.Call].
func (c *Client) CreateChannel(ctx context.Context, bufferSize int) (writer, reader ChannelRef, err error) {
	data := json.RawMessage("{}")
	if bufferSize > 0 {
		data = json.RawMessage(`{"buffer_size":` + strconv.Itoa(bufferSize) + `}`)
	}
	result, err := c.Call(ctx, Request{FunctionID: "engine::channels::create", Data: data})
	if err != nil {
		return writer, reader, fmt.Errorf("creating a channel: %w", err)
	}
	var ends struct{ Writer, Reader ChannelRef }
	if err := json.Unmarshal(result, &ends); err != nil {
		return writer, reader, fmt.Errorf("creating a channel: %w: %w", ErrUndecodable, err)
	}
	return ends.Writer, ends.Reader, nil
}

// openEnd connects one end of a channel. The socket belongs to the caller, not to
// the client's connection.
func (c *Client) openEnd(ctx context.Context, ref ChannelRef, direction string) (*socket, error) {
	address, err := channelURL(c.opts.URL, ref, direction)
	if err != nil {
		return nil, fmt.Errorf("opening a channel: %w", err)
	}
	resume := c.GiveWay(ctx)
	defer resume()
	ctx, cancel := context.WithTimeout(ctx, c.opts.DialTimeout)
	defer cancel()
	ws, err := dial(ctx, address)
	var refused *dialError
	switch {
	case err == nil:
		return ws, nil
	case errors.As(err, &refused) && refused.status == http.StatusNotFound:
		return nil, fmt.Errorf("opening a channel: %w", ErrNoChannel)
	case errors.As(err, &refused):
		return nil, fmt.Errorf("opening a channel: status %d: %s", refused.status, refused.body)
	case ctx.Err() != nil:
		return nil, fmt.Errorf("opening a channel: %w", context.Cause(ctx))
	}
	return nil, fmt.Errorf("opening a channel: %w: %w", ErrDisconnected, err)
}

func channelURL(engine string, ref ChannelRef, direction string) (string, error) {
	base, err := url.Parse(engine)
	if err != nil {
		return "", err
	}
	address := base.JoinPath("ws", "channels", ref.ChannelID)
	address.RawQuery = url.Values{"key": {ref.AccessKey}, "dir": {direction}}.Encode()
	return address.String(), nil
}
