package devengine_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/uuid"

	"context-manager/internal/devengine"
)

// patience is how long a test waits for what must come.
const patience = 2 * time.Minute

// start runs an engine until the end of the test.
func start(t *testing.T, opt devengine.Options) *devengine.Engine {
	t.Helper()
	e := devengine.New(opt)
	if err := e.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Errorf("closing the engine: %v", err)
		}
	})
	return e
}

// client is a worker connection in a test.
type client struct {
	*peer
	t    *testing.T
	vars map[string]any // id and token of its own connection, and what patterns bind
}

// dialClient connects without registering.
func dialClient(t *testing.T, e *devengine.Engine, name string) *client {
	t.Helper()
	k, err := dialPeer(name, e.URL())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(k.kill)
	c := &client{peer: k, t: t, vars: map[string]any{}}
	c.want(`{"type":"workerregistered","worker_id":"$uuid(id)","reattach_token":"$uuid(token)"}`)
	return c
}

// connect is a client registered under its name, in "default" unless a
// namespace is given.
func connect(t *testing.T, e *devengine.Engine, name string, namespace ...string) *client {
	t.Helper()
	c := dialClient(t, e, name)
	data := map[string]any{"name": name, "runtime": "go", "pid": 1}
	if len(namespace) > 0 {
		data["namespace"] = namespace[0]
	}
	c.call("engine::workers::register", string(compact(data)), `{"success":true}`)
	return c
}

// send sends a frame, its variables filled.
func (c *client) send(frame string) {
	c.sendText([]byte(fill(frame, c.vars).(string)))
}

// want waits for a frame that matches.
func (c *client) want(pattern string) {
	c.t.Helper()
	if err := c.take("frame", parse(c.t, pattern), c.vars, patience); err != nil {
		c.t.Fatal(err)
	}
}

// settle waits until the engine has handled everything sent so far.
func (c *client) settle() {
	c.t.Helper()
	c.send(`{"type":"ping"}`)
	c.want(`{"type":"pong"}`)
}

// none checks that nothing is left in the inbox once the engine has handled
// everything sent so far.
func (c *client) none() {
	c.t.Helper()
	c.settle()
	if rest := c.waiting(); rest != "" {
		c.t.Fatalf("%s: got %s, want nothing", c.name, rest)
	}
}

// ask sends a call and returns its id.
func (c *client) ask(function, data string) string {
	id := uuid.NewString()
	c.send(`{"type":"invokefunction","invocation_id":"` + id + `","function_id":"` + function + `","data":` + data + `}`)
	return id
}

// answer waits for the result of a call.
func (c *client) answer(id, result string) {
	c.t.Helper()
	c.want(`{"type":"invocationresult","invocation_id":"` + id + `","function_id":"$string","result":` + result + `}`)
}

// failure waits for the error of a call.
func (c *client) failure(id, code string) {
	c.t.Helper()
	c.want(`{"type":"invocationresult","invocation_id":"` + id + `","function_id":"$string","error":{"code":"` + code + `","message":"$string(message)"}}`)
}

// call is ask and answer.
func (c *client) call(function, data, result string) {
	c.t.Helper()
	c.answer(c.ask(function, data), result)
}

// fail is ask and failure.
func (c *client) fail(function, data, code string) (message string) {
	c.t.Helper()
	c.failure(c.ask(function, data), code)
	return c.vars["message"].(string)
}

// serve waits for a call of a function and answers it.
func (c *client) serve(function, result string) {
	c.t.Helper()
	c.want(`{"type":"invokefunction","invocation_id":"$uuid(i)","function_id":"` + function + `","$more":true}`)
	c.send(`{"type":"invocationresult","invocation_id":"${i}","function_id":"` + function + `","result":` + result + `}`)
}

// gone waits for the end of the socket.
func (c *client) gone() {
	c.t.Helper()
	if err := c.wantClosed(nil, patience); err != nil {
		c.t.Fatal(err)
	}
}

func parse(t *testing.T, text string) (v any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v
}
