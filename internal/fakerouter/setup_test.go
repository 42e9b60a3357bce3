package fakerouter_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"context-manager/internal/bus"
	"context-manager/internal/devengine"
	"context-manager/internal/fakerouter"
)

// limit bounds every wait of these tests; reaching it is a failure.
const limit = 2 * time.Minute

// world is an engine with a router and a caller on it.
type world struct {
	t      *testing.T
	ctx    context.Context
	engine *devengine.Engine
	router *fakerouter.Router
	caller *bus.Client
}

func setup(t *testing.T, o fakerouter.Options) *world {
	t.Helper()
	engine := devengine.New(devengine.Options{})
	if err := engine.Start(); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	o.URL = engine.URL()
	w := &world{
		t: t, ctx: ctx, engine: engine, router: fakerouter.New(o),
		caller: bus.New(bus.Options{URL: engine.URL(), Worker: bus.WorkerInfo{Name: "caller"}}),
	}
	running, stop := context.WithCancel(context.Background())
	ends := make(chan error, 2)
	for _, run := range []func(context.Context) error{w.router.Run, w.caller.Run} {
		go func() { ends <- run(running) }()
	}
	t.Cleanup(func() {
		stop()
		for range 2 {
			if err := <-ends; err != nil {
				t.Errorf("got %v from Run, want nil", err)
			}
		}
		engine.Close()
		cancel()
	})
	if err := errors.Join(w.router.Ready(ctx), w.caller.WaitConnected(ctx)); err != nil {
		t.Fatal(err)
	}
	return w
}

// call asks the router and returns the result, or the code of the error.
func (w *world) call(function, data string) string {
	w.t.Helper()
	result, err := w.caller.Call(w.ctx, bus.Request{FunctionID: function, Data: json.RawMessage(data)})
	return outcome(result, err)
}

func outcome(result json.RawMessage, err error) string {
	var remote *bus.RemoteError
	switch {
	case errors.As(err, &remote):
		return remote.Code
	case err != nil:
		return err.Error()
	}
	return string(result)
}

// chat is one chat as its caller sees it.
type chat struct {
	w      *world
	reader *bus.ChannelReader
	answer chan string
	data   string
}

// chat opens a channel and asks; request is put behind the writer reference.
func (w *world) chat(request string) *chat {
	w.t.Helper()
	writer, reader, err := w.caller.CreateChannel(w.ctx, 64)
	if err != nil {
		w.t.Fatal(err)
	}
	ref, err := json.Marshal(writer)
	if err != nil {
		w.t.Fatal(err)
	}
	c := &chat{w: w, answer: make(chan string, 1), data: `{"writer_ref":` + string(ref) + `,` + request + `}`}
	if c.reader, err = w.caller.OpenReader(w.ctx, reader); err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(c.reader.Close)
	return c
}

func (c *chat) ask() *chat {
	go func() {
		result, err := c.w.caller.Call(c.w.ctx, bus.Request{FunctionID: fakerouter.ChatID, Data: json.RawMessage(c.data)})
		c.answer <- outcome(result, err)
	}()
	return c
}

// frames reads to the end of the channel.
func (c *chat) frames() (frames []string) {
	c.w.t.Helper()
	for {
		f, err := c.reader.Next(c.w.ctx)
		if err == io.EOF {
			return frames
		}
		if err != nil {
			c.w.t.Fatalf("got %v after %d frames, want the end of the channel", err, len(frames))
		}
		text := string(f.Data)
		if f.Binary {
			text = "binary:" + text
		}
		frames = append(frames, text)
	}
}

func (c *chat) answered() string {
	c.w.t.Helper()
	select {
	case a := <-c.answer:
		return a
	case <-c.w.ctx.Done():
		c.w.t.Fatal("the chat was not answered")
		return ""
	}
}

// request is a chat as a summariser makes it.
const request = `"model":"m-1","provider":"p-1","system_prompt":"s","messages":[{"role":"user","content":[{"type":"text","text":"hello"}],"timestamp":1}],"tools":[]`

// kinds returns the types of the frames, and what the deltas and the last done
// say.
func kinds(t *testing.T, frames []string) (types []string, deltas, done string) {
	t.Helper()
	for _, f := range frames {
		var e struct {
			Type, Delta string
			Message     struct {
				Content []struct{ Text string }
			}
		}
		if json.Unmarshal([]byte(f), &e) != nil {
			types = append(types, "garbage")
			continue
		}
		types = append(types, e.Type)
		deltas += e.Delta
		if e.Type == "done" {
			done = ""
			for _, b := range e.Message.Content {
				done += b.Text
			}
		}
	}
	return types, deltas, done
}

func contains(t *testing.T, got string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(got, part) {
			t.Errorf("got %s, want %s in it", got, part)
		}
	}
}
