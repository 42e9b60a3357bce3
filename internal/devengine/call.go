package devengine

import (
	"bytes"

	"github.com/google/uuid"
)

// call is one invocation.
type call struct {
	// fixed before it is handed on
	id             uuid.UUID
	function       string
	namespace      string
	caller         *conn // nil when the engine itself calls
	wanted         bool  // the caller waits for an answer
	frame          *frame
	data           []byte // canonical; of frame when there is one
	metadata       []byte
	traceparent    string
	baggage        string
	hasTraceparent bool
	hasBaggage     bool

	// done, when set, gets the outcome in place of a caller. It runs without
	// Engine.mu and must not block. last runs once an answer is on its way.
	done func(result []byte, bad *fault)
	last func()

	executor *conn // guarded by Engine.mu; set while pending
}

func (q *call) traced() bool { return q.hasTraceparent || q.hasBaggage }

// invoke handles a worker's invokefunction.
func (e *Engine) invoke(c *conn, f *frame) {
	q := &call{caller: c, frame: f, function: f.word(fFunctionID), namespace: defaultNamespace,
		data: f.raw(fData), metadata: f.some(fMetadata), wanted: f.named && f.action != actionVoid}
	q.traceparent, q.hasTraceparent = f.str(fTraceparent)
	q.baggage, q.hasBaggage = f.str(fBaggage)
	if q.id = f.invocation; !f.named {
		q.id = uuid.New()
	}
	if namespace, ok := f.str(fNamespace); ok {
		if isBlank(namespace) {
			e.finish(q, nil, blankField("namespace"))
			return
		}
		q.namespace = namespace
	}
	if f.action == actionEnqueue {
		e.enqueue(q)
		return
	}
	e.deliver(q)
}

// deliver hands a call to whoever has the function, after the faults that are
// set for it.
func (e *Engine) deliver(q *call) {
	delay, drop := e.faults.of(q.function)
	if drop {
		e.log.Debug("call dropped", "function", q.function)
		return
	}
	if delay > 0 {
		e.mu.Lock()
		e.after(delay, func() { e.route(q) })
		e.mu.Unlock()
		return
	}
	e.route(q)
}

// route looks the function up and starts the call.
func (e *Engine) route(q *call) {
	e.mu.Lock()
	if q.caller != nil && q.caller.gone {
		e.mu.Unlock()
		return // it left while the call was delayed
	}
	fn := e.functions[key{q.namespace, q.function}]
	if fn == nil {
		missing := e.notFound(q)
		e.mu.Unlock()
		e.finish(q, nil, missing)
		return
	}
	if fn.owner == nil {
		e.mu.Unlock()
		fn.run(q)
		return
	}
	// Recorded before it is sent, or a quick answer would find nothing.
	displaced := e.pending[q.id]
	if displaced != nil {
		displaced.executor.active--
	}
	e.pending[q.id] = q
	q.executor = fn.owner
	q.executor.active++
	e.mu.Unlock()
	if displaced != nil {
		e.finish(displaced, nil, &fault{code: "invocation_error", message: "channel closed"})
	}
	// From here on another goroutine may finish the call; only what does not
	// change is read, and the frame is this one's.
	text := encodeInvoke(q)
	q.release()
	if !fn.owner.out.put(outText, text) && e.take(q.id) == q {
		e.finish(q, nil, &fault{code: "channel_send_failed", message: "channel closed"})
	}
}

// release gives back the texts of a call that has been passed on.
func (q *call) release() {
	if q.frame != nil {
		q.frame.release()
	}
	q.frame, q.data, q.metadata = nil, nil, nil
}

// take removes a pending call; nil when there is none.
func (e *Engine) take(id uuid.UUID) *call {
	e.mu.Lock()
	defer e.mu.Unlock()
	q := e.pending[id]
	if q != nil {
		delete(e.pending, id)
		q.executor.active--
	}
	return q
}

// answer handles an invocationresult. One that nobody waits for is dropped.
func (e *Engine) answer(f *frame) {
	defer f.release()
	if q := e.take(f.invocation); q != nil {
		e.finish(q, f.some(fResult), f.fault)
	}
}

// finish passes the outcome of a call on. result is used before it returns.
// Engine.mu is not held.
func (e *Engine) finish(q *call, result []byte, bad *fault) {
	switch {
	case q.done != nil:
		q.done(bytes.Clone(result), bad)
	case q.wanted && q.caller != nil:
		q.caller.out.put(outText, encodeResult(q, result, bad))
	case bad != nil:
		e.log.Debug("call without a listener failed", "function", q.function, "code", bad.code)
	}
	if q.last != nil {
		q.last()
	}
}

// abandonCalls forgets what a leaving connection has asked for and returns
// what it was executing; Engine.mu is held.
func (e *Engine) abandonCalls(c *conn) (failed []*call) {
	for id, q := range e.pending {
		switch {
		case q.caller == c:
		case q.executor == c:
			failed = append(failed, q)
		default:
			continue
		}
		delete(e.pending, id)
		q.executor.active--
	}
	return failed
}
