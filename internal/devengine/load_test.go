package devengine_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/coder/websocket"

	"context-manager/internal/devengine"
)

// echoWorker serves f by sending its data back, until its socket ends.
func echoWorker(url string, ready chan<- struct{}) error {
	ctx := context.Background()
	ws, _, _, err := dial(url, websocket.DialOptions{})
	if err != nil {
		return err
	}
	defer ws.CloseNow()
	for _, frame := range []string{
		`{"type":"registerfunction","id":"f"}`,
		`{"type":"invokefunction","function_id":"engine::workers::register","data":{"name":"echo"},"action":{"type":"void"}}`,
		`{"type":"ping"}`,
	} {
		if err := ws.Write(ctx, websocket.MessageText, []byte(frame)); err != nil {
			return err
		}
	}
	for {
		_, text, err := ws.Read(ctx)
		if err != nil {
			return err
		}
		var in struct {
			Type string          `json:"type"`
			ID   string          `json:"invocation_id"`
			Data json.RawMessage `json:"data"`
		}
		if err := json.Unmarshal(text, &in); err != nil {
			return fmt.Errorf("decoding %.80s: %w", text, err)
		}
		switch in.Type {
		case "pong":
			ready <- struct{}{}
		case "invokefunction":
			out := `{"type":"invocationresult","invocation_id":"` + in.ID + `","function_id":"f","result":` + string(in.Data) + `}`
			if err := ws.Write(ctx, websocket.MessageText, []byte(out)); err != nil {
				return err
			}
		}
	}
}

// TestUnderLoad makes calls of many sizes while the connection of the worker
// that serves them is dropped again and again: each call is answered once, with
// its own data or one of two errors.
func TestUnderLoad(t *testing.T) {
	t.Parallel()
	e := start(t, devengine.Options{})
	const callers, calls, drops = 4, 200, 8
	ready := make(chan struct{}, drops+1)
	var workers sync.WaitGroup
	serve := func() {
		workers.Go(func() { _ = echoWorker(e.URL(), ready) }) // its end is an error always
		<-ready
	}
	serve()

	sent := make(chan struct{}, callers*calls) // a call is under way
	var right, wrong atomic.Int64
	var all sync.WaitGroup
	for n := range callers {
		c := connect(t, e, fmt.Sprintf("caller-%d", n))
		me := c.vars["id"].(string)
		all.Go(func() {
			for i := range calls {
				mark := fmt.Sprintf("%d.%d.", n, i) + strings.Repeat("x", (i%7)*(i%7)*(i%7)*300)
				want := `{"_caller_worker_id":"` + me + `","mark":"` + mark + `"}`
				id := fmt.Sprintf("%08d-0000-4000-8000-%012d", n, i)
				c.send(`{"type":"invokefunction","invocation_id":"` + id + `","function_id":"f","data":{"mark":"` + mark + `"}}`)
				if i%20 == 10 {
					sent <- struct{}{}
				}
				var text string
				if !c.until(patience, func() bool {
					if len(c.inbox) == 0 {
						return false
					}
					text, c.inbox = c.inbox[0].body, c.inbox[1:]
					return true
				}) {
					t.Errorf("call %s: no answer", id)
					return
				}
				head := `{"type":"invocationresult","invocation_id":"` + id + `","function_id":"f",`
				switch rest := strings.TrimPrefix(text, head); {
				case rest == `"result":`+want+`}`:
					right.Add(1)
				case strings.HasPrefix(rest, `"error":{"code":"function_not_found"`),
					strings.HasPrefix(rest, `"error":{"code":"invocation_stopped"`),
					strings.HasPrefix(rest, `"error":{"code":"channel_send_failed"`):
					wrong.Add(1)
				default:
					t.Errorf("call %s: got %.200s", id, text)
					return
				}
			}
			c.none()
		})
	}
	for range drops {
		<-sent
		e.Disconnect("echo")
		serve()
	}
	all.Wait()
	if n := e.InFlight(); n != 0 {
		t.Errorf("got %d calls pending, want none", n)
	}
	if right.Load()+wrong.Load() != callers*calls || right.Load() == 0 {
		t.Errorf("got %d right and %d failed, want %d in all", right.Load(), wrong.Load(), callers*calls)
	}
	e.Close()
	workers.Wait()
}
