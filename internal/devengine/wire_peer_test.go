package devengine_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/coder/websocket"
)

// item is something a peer has received: kind is text, binary or pong.
type item struct{ kind, body string }

// peer is one raw WebSocket with an inbox. What no step has claimed stays in
// the inbox.
type peer struct {
	name   string
	worker bool // a worker connection, which answers pings
	ws     *websocket.Conn
	tcp    net.Conn

	mu     sync.Mutex
	inbox  []item
	closed int           // close code, 1006 for none, 0 while open
	change chan struct{} // closed and replaced at every change
}

// dial opens a socket and keeps hold of the TCP connection below it.
func dial(url string, opt websocket.DialOptions) (*websocket.Conn, net.Conn, *http.Response, error) {
	var tcp net.Conn
	opt.HTTPClient = &http.Client{Transport: &http.Transport{
		DialContext: func(ctx context.Context, network, address string) (c net.Conn, err error) {
			tcp, err = (&net.Dialer{}).DialContext(ctx, network, address)
			return tcp, err
		},
	}}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	ws, res, err := websocket.Dial(ctx, url, &opt)
	if err == nil {
		ws.SetReadLimit(-1)
	}
	return ws, tcp, res, err
}

func dialPeer(name, url string) (*peer, error) {
	k := &peer{name: name, change: make(chan struct{})}
	var err error
	k.ws, k.tcp, _, err = dial(url, websocket.DialOptions{
		OnPongReceived: func(_ context.Context, payload []byte) { k.add(item{"pong", string(payload)}) },
	})
	if err != nil {
		return nil, err
	}
	go k.read()
	return k, nil
}

// dialRefused wants the upgrade to be refused.
func dialRefused(url string) (status int, body string, err error) {
	ws, tcp, res, err := dial(url, websocket.DialOptions{})
	if err == nil {
		ws.CloseNow()
		return 0, "", errors.New("the upgrade was accepted")
	}
	if res == nil {
		return 0, "", err
	}
	defer tcp.Close()
	text, err := io.ReadAll(res.Body)
	return res.StatusCode, string(text), err
}

func (k *peer) read() {
	for {
		typ, body, err := k.ws.Read(context.Background())
		if err != nil {
			code := int(websocket.CloseStatus(err))
			if code < 0 {
				code = 1006
			}
			k.mu.Lock()
			k.closed = code
			k.wake()
			k.mu.Unlock()
			return
		}
		kind := "text"
		if typ == websocket.MessageBinary {
			kind = "binary"
		}
		k.add(item{kind, string(body)})
	}
}

func (k *peer) add(i item) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.inbox = append(k.inbox, i)
	k.wake()
}

func (k *peer) wake() {
	close(k.change)
	k.change = make(chan struct{})
}

// until waits for test, which runs with the lock held, to hold.
func (k *peer) until(within time.Duration, test func() bool) bool {
	deadline := time.After(within)
	for {
		k.mu.Lock()
		ok, change := test(), k.change
		k.mu.Unlock()
		if ok {
			return true
		}
		select {
		case <-change:
		case <-deadline:
			return false
		}
	}
}

// take waits for something that matches and removes it; names the pattern
// binds go into vars.
func (k *peer) take(what string, pattern any, vars map[string]any, within time.Duration) error {
	want := fill(pattern, vars)
	why, seen := "nothing came", 0
	ok := k.until(within, func() bool {
		// What did not match does not match later either.
		for ; seen < len(k.inbox); seen++ {
			got, ok := k.inbox[seen].as(what)
			if !ok {
				continue
			}
			found := map[string]any{}
			if m := mismatch(want, got, found, ""); m != "" {
				why = m
				continue
			}
			k.inbox = append(k.inbox[:seen:seen], k.inbox[seen+1:]...)
			for name, v := range found {
				vars[name] = v
			}
			return true
		}
		return false
	})
	if !ok {
		return fmt.Errorf("%s: no %s matched within %v: %s; inbox: %s", k.name, what, within, why, k.waiting())
	}
	return nil
}

// as is an item as one kind of step looks at it.
func (i item) as(what string) (any, bool) {
	switch {
	case what == "frame" && i.kind == "text":
		var v any
		err := json.Unmarshal([]byte(i.body), &v)
		return v, err == nil
	case what == "binary" && i.kind == "binary":
		runes := make([]rune, 0, len(i.body))
		for _, b := range []byte(i.body) {
			runes = append(runes, rune(b))
		}
		return string(runes), true
	default:
		return i.body, what == i.kind
	}
}

// waiting shows what is in the inbox, empty when nothing is.
func (k *peer) waiting() string {
	k.mu.Lock()
	defer k.mu.Unlock()
	var all []string
	for _, i := range k.inbox {
		all = append(all, i.kind+" "+short(i.body))
	}
	return strings.Join(all, " | ")
}

// Nothing that is sent reports an error: the engine may have dropped the
// connection, which a later step finds out.

func (k *peer) sendText(text []byte) {
	_ = k.ws.Write(context.Background(), websocket.MessageText, text)
}

func (k *peer) sendBinary(body []byte) {
	_ = k.ws.Write(context.Background(), websocket.MessageBinary, body)
}

// sendPing writes a masked ping by hand: the library chooses its own payload.
func (k *peer) sendPing(payload string) {
	const finPing, masked = 0x89, 0x80
	frame := append([]byte{finPing, masked | byte(len(payload)), 0, 0, 0, 0}, payload...)
	_, _ = k.tcp.Write(frame)
}

func (k *peer) sendFragments(text []byte, size int) {
	w, err := k.ws.Writer(context.Background(), websocket.MessageText)
	for err == nil && len(text) > 0 {
		n := min(size, len(text))
		_, err = w.Write(text[:n])
		text = text[n:]
	}
	if err == nil {
		_ = w.Close()
	}
}

// over says whether the socket has ended.
func (k *peer) over() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.closed != 0
}

func (k *peer) wantClosed(code any, within time.Duration) error {
	if !k.until(within, func() bool { return k.closed != 0 }) {
		return fmt.Errorf("%s: still open after %v", k.name, within)
	}
	if want, ok := code.(float64); ok && k.closed != int(want) {
		return fmt.Errorf("%s: close code %d, wanted %v", k.name, k.closed, want)
	}
	return nil
}

// close is a clean end of the socket.
func (k *peer) close() {
	_ = k.ws.Close(websocket.StatusNormalClosure, "")
}

// kill drops the TCP connection.
func (k *peer) kill() { k.tcp.Close() }
