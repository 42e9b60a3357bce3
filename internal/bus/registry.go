package bus

import (
	"slices"
	"strconv"
)

// registry is what the client announces on every connection, in the order it was
// registered.
type registry struct {
	functions []*Function
	triggers  []*Trigger
	types     []*TriggerType
	byID      map[string]*Function
}

// RegisterFunction serves functions from now on, on every connection. An id that
// is already served is replaced. Functions registered in one call are judged
// together when the engine refuses ids: see [FunctionConflictError].
func (c *Client) RegisterFunction(functions ...Function) {
	c.mu.Lock()
	defer c.mu.Unlock()
	r := &c.registry
	if r.byID == nil {
		r.byID = map[string]*Function{}
	}
	for _, f := range functions {
		if old := r.byID[f.ID]; old != nil {
			r.functions[slices.Index(r.functions, old)] = &f
		} else {
			r.functions = append(r.functions, &f)
		}
		r.byID[f.ID] = &f
		if c.current != nil {
			c.current.forgiveFunction(f.ID)
			c.announce(f.frame())
		}
	}
}

// UnregisterFunction withdraws a function; calls that have begun are answered.
func (c *Client) UnregisterFunction(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	r := &c.registry
	old := r.byID[id]
	if old == nil {
		return
	}
	delete(r.byID, id)
	r.functions = slices.DeleteFunc(r.functions, func(f *Function) bool { return f == old })
	c.announce(withID("unregisterfunction", id))
}

// RegisterTrigger makes a binding, now and on every connection. A binding of the
// same id is replaced.
func (c *Client) RegisterTrigger(t Trigger) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.registry.triggers = put(c.registry.triggers, &t, func(old *Trigger) bool { return old.ID == t.ID })
	c.announce(t.frame())
}

// UnregisterTrigger withdraws a binding made by this client.
func (c *Client) UnregisterTrigger(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	before := len(c.registry.triggers)
	c.registry.triggers = slices.DeleteFunc(c.registry.triggers, func(t *Trigger) bool { return t.ID == id })
	if len(c.registry.triggers) < before {
		c.announce(withID("unregistertrigger", id))
	}
}

// RegisterTriggerType provides a trigger type, now and on every connection. The
// protocol knows no way to withdraw one.
func (c *Client) RegisterTriggerType(t TriggerType) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.registry.types = put(c.registry.types, &t, func(old *TriggerType) bool { return old.ID == t.ID })
	c.announce(t.frame())
}

func put[T any](list []*T, item *T, same func(*T) bool) []*T {
	if i := slices.IndexFunc(list, same); i >= 0 {
		list[i] = item
		return list
	}
	return append(list, item)
}

// announce sends a registration if there is a connection. It queues without
// waiting and so may run under mu, which keeps the order of registrations.
func (c *Client) announce(frame *buffer) {
	if c.current == nil {
		frame.release()
		return
	}
	c.current.out.post(parcel{buffer: frame, kind: replayed})
}

func (c *Client) function(id string) *Function {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.registry.byID[id]
}

func (c *Client) trigger(id string) *Trigger {
	c.mu.Lock()
	defer c.mu.Unlock()
	if i := slices.IndexFunc(c.registry.triggers, func(t *Trigger) bool { return t.ID == id }); i >= 0 {
		return c.registry.triggers[i]
	}
	return nil
}

func (c *Client) triggerType(id string) *TriggerType {
	c.mu.Lock()
	defer c.mu.Unlock()
	if i := slices.IndexFunc(c.registry.types, func(t *TriggerType) bool { return t.ID == id }); i >= 0 {
		return c.registry.types[i]
	}
	return nil
}

// replay builds the first frames of a connection: reattach, so that the engine
// drops a half-open predecessor before it judges the rest; then the worker itself,
// because registrations take effect only once its namespace is known.
func (c *Client) replay() (frames []*buffer) {
	if c.previous.workerID != "" {
		b := appendFrame(nil, "reattach")
		b = appendText(b, "previous_worker_id", c.previous.workerID)
		b = appendText(b, "reattach_token", c.previous.token)
		frames = append(frames, &buffer{b: append(b, '}')})
	}
	frames = append(frames, c.opts.Worker.frame(c.opts.Namespace))
	for _, t := range c.registry.types {
		frames = append(frames, t.frame())
	}
	for _, f := range c.registry.functions {
		frames = append(frames, f.frame())
	}
	for _, t := range c.registry.triggers {
		frames = append(frames, t.frame())
	}
	return frames
}

func (w WorkerInfo) frame(namespace string) *buffer {
	b := appendFrame(nil, "invokefunction")
	b = appendText(b, "function_id", "engine::workers::register")
	b = append(appendMember(b, "data"), '{')
	b = appendText(b, "runtime", w.Runtime)
	b = appendOptional(b, "version", w.Version)
	b = appendText(b, "name", w.Name)
	b = appendOptional(b, "description", w.Description)
	b = appendText(b, "os", w.OS)
	b = strconv.AppendInt(appendMember(b, "pid"), int64(w.PID), 10)
	b = appendOptional(b, "namespace", namespace)
	b = append(b, '}')
	b = appendRaw(b, "action", []byte(`{"type":"void"}`))
	b = appendText(b, "namespace", "default") // where the engine's own functions live
	return &buffer{b: append(b, '}')}
}

func (f *Function) frame() *buffer {
	b := appendText(appendFrame(nil, "registerfunction"), "id", f.ID)
	b = appendOptional(b, "description", f.Description)
	b = appendRaw(b, "request_format", f.RequestFormat)
	b = appendRaw(b, "response_format", f.ResponseFormat)
	b = appendRaw(b, "metadata", f.Metadata)
	return &buffer{b: append(b, '}')}
}

func withID(kind, id string) *buffer {
	return &buffer{b: append(appendText(appendFrame(nil, kind), "id", id), '}')}
}
