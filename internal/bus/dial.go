package bus

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/coder/websocket"
)

// socket is one WebSocket and the TCP connection under it.
type socket struct {
	*websocket.Conn
	link *link
}

// dialError is a refused handshake.
type dialError struct {
	status int
	body   string
	err    error
}

func (e *dialError) Error() string { return e.err.Error() }
func (e *dialError) Unwrap() error { return e.err }

// dial opens a WebSocket without compression: on loopback it would multiply the
// time of a long message by 20. ctx bounds the handshake only. The reader must
// keep to a limit of its own, see [socket.readMessage].
func dial(ctx context.Context, url string) (*socket, error) {
	var l *link
	transport := &http.Transport{
		Proxy:             http.ProxyFromEnvironment,
		DisableKeepAlives: true,
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			conn, err := new(net.Dialer).DialContext(ctx, network, address)
			if err != nil {
				return nil, err
			}
			l = newLink(conn)
			return l, nil
		},
	}
	conn, response, err := websocket.Dial(ctx, url, &websocket.DialOptions{
		HTTPClient:      &http.Client{Transport: transport},
		CompressionMode: websocket.CompressionDisabled,
	})
	if err != nil {
		if response != nil && response.Body != nil {
			body, _ := io.ReadAll(io.LimitReader(response.Body, 200))
			return nil, &dialError{status: response.StatusCode, body: string(body), err: err}
		}
		return nil, err
	}
	conn.SetReadLimit(-1)
	l.gather()
	return &socket{Conn: conn, link: l}, nil
}

// kill drops the connection without a handshake.
func (s *socket) kill() {
	s.link.Close()
	s.CloseNow()
}

// bye closes with a handshake. It throws away what still arrives, so that the
// peer reads our close frame before it meets a reset, for at most timeout.
func (s *socket) bye(code websocket.StatusCode, reason string, timeout time.Duration) {
	timer := time.AfterFunc(timeout, func() { s.link.Close() })
	defer timer.Stop()
	s.Close(code, reason)
}

// readMessage reads the next message into a pooled buffer. It returns errTooLong
// when there are more than limit bytes: the caller then says bye.
func (s *socket) readMessage(ctx context.Context, limit int) (websocket.MessageType, *buffer, error) {
	kind, r, err := s.Reader(ctx)
	if err != nil {
		return 0, nil, err
	}
	b := getBuffer(smallestClass)
	if err := b.readFrom(r, limit); err != nil {
		b.release()
		return 0, nil, err
	}
	return kind, b, nil
}

// Redacted is an engine's address as it may be shown: without its password. Of
// one that cannot be read, whatever may be a password is left out.
func Redacted(address string) string {
	u, err := url.Parse(address)
	switch at := strings.LastIndex(address, "@"); {
	case err == nil && u.Host != "" && u.User == nil:
		return address
	case err == nil && u.Host != "":
		return u.Redacted()
	case at >= 0:
		scheme := ""
		if i := strings.Index(address, "://"); i >= 0 && i < at {
			scheme = address[:i+len("://")]
		}
		return scheme + "xxxxx" + address[at:]
	}
	return address
}

// dialSession makes one attempt to reach the engine.
func (c *Client) dialSession(ctx context.Context) (*session, error) {
	ctx, cancel := context.WithTimeout(ctx, c.opts.DialTimeout)
	defer cancel()
	ws, err := dial(ctx, c.opts.URL)
	if err != nil {
		return nil, fmt.Errorf("connecting to %s: %w", Redacted(c.opts.URL), err)
	}
	return newSession(c, ws), nil
}
