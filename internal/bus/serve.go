package bus

import (
	"context"
	"fmt"
	"log/slog"
	"runtime"
	"runtime/debug"
	"sync/atomic"
)

// inflight is one incoming call from its frame to its answer.
type inflight struct {
	session  *session
	function *Function
	frame    *buffer
	size     int64 // of the frame, bytes
	call     Call
	place    place
	answered atomic.Bool // the one who sets it answers
}

// invoked takes a call off the connection. It reports whether the frame is kept.
func (s *session) invoked(frame *buffer, m *message) (kept bool) {
	id, hasID := unquote(m.invocationID)
	functionID, ok := unquote(m.functionID)
	if !ok || m.data == nil || m.invocationID != nil && !hasID {
		s.log.Warn("skipping an undecodable call", "bytes", len(frame.b))
		return false
	}
	function := s.client.function(functionID)
	if function == nil {
		s.postError(id, functionID, CodeFunctionNotFound, fmt.Sprintf("Function %s is not served by this worker", functionID))
		return false
	}
	in := &inflight{
		session: s, function: function, frame: frame, size: int64(len(frame.b)),
		call: Call{
			InvocationID: id, FunctionID: function.ID, Data: m.data, Depth: 1, Metadata: m.metadata,
			TraceParent: text(m.traceparent), Baggage: text(m.baggage),
		},
	}
	switch s.client.sched.submit(in) {
	case overloaded:
		s.postError(id, functionID, CodeOverloaded, CodeOverloaded+": too many calls wait; try again later")
	case stopping:
		s.postStopping(id, functionID)
	case accepted:
		return true
	}
	return false
}

// serve runs the handler of a call and answers. It is the body of the call's
// goroutine.
func (c *Client) serve(in *inflight) {
	ctx, cancel := context.WithCancel(context.WithValue(in.session.work, callKey{}, in))
	reply := getBuffer(len(in.frame.b) + 512)
	prefix := appendAnswer(reply.b, in.call.InvocationID, in.function.ID)
	prefix = appendMember(prefix, "result")
	out, err, panicked := in.invoke(ctx, prefix)
	cause := context.Cause(ctx)
	cancel()
	switch {
	case err != nil && cause == ErrStopped && !isCoded(err):
		err = ErrStopped
	case err == nil && len(out) < len(prefix):
		c.log.Error("a handler returned a slice that does not extend dst", "function", in.function.ID)
		err = &RemoteError{Code: CodeInternal, Message: CodeInternal + ": the handler gave no result"}
	case err == nil && len(out) > maxAnswer:
		err = &RemoteError{Code: CodeResultTooLarge, Message: fmt.Sprintf(
			"%s: the answer has %d bytes, the limit is %d", CodeResultTooLarge, len(out), maxAnswer)}
	}
	if err == nil {
		if len(out) == len(prefix) {
			out = append(out, "null"...)
		}
		reply.b = append(out, '}')
	} else {
		code, message := wireError(err, CodeInvocationFailed)
		reply.b = appendError(appendAnswer(reply.b[:0], in.call.InvocationID, in.function.ID), code, message)
	}
	in.respond(reply)
	c.sched.finish(in)
	if !panicked { // a goroutine left behind may still read the frame
		in.frame.release()
	}
}

// invoke calls the handler and turns a panic into an error.
func (in *inflight) invoke(ctx context.Context, dst []byte) (out []byte, err error, panicked bool) {
	panicked = true // also when the handler leaves by runtime.Goexit
	defer func() {
		if panicked {
			logPanic(in.session.log, "handler of "+in.function.ID, recover())
			out, err = nil, &RemoteError{Code: CodeInternal, Message: CodeInternal + ": the handler of " + in.function.ID + " panicked"}
		}
	}()
	out, err = in.function.Handler(ctx, &in.call, dst)
	return out, err, false
}

// respond hands the answer to the writer, unless somebody has answered already or
// nobody asked.
func (in *inflight) respond(reply *buffer) {
	s := in.session
	if in.call.InvocationID == "" || !in.answered.CompareAndSwap(false, true) ||
		!s.out.send(s.ctx.Done(), nil, parcel{buffer: reply, kind: answer}) {
		reply.release()
	}
}

func (s *session) postStopping(id, functionID string) {
	s.postError(id, functionID, CodeStopping, ErrStopped.Error())
}

// postError answers a call that never began.
func (s *session) postError(id, functionID, code, message string) {
	if id == "" {
		return
	}
	reply := getBuffer(smallestClass)
	reply.b = appendError(appendAnswer(reply.b, id, functionID), code, message)
	s.post(reply)
}

func appendAnswer(b []byte, id, functionID string) []byte {
	b = appendFrame(b, "invocationresult")
	b = appendText(b, "invocation_id", id)
	return appendText(b, "function_id", functionID)
}

func appendError(b []byte, code, message string) []byte {
	b = appendFailure(b, code, message)
	return append(b, '}')
}

func appendFailure(b []byte, code, message string) []byte {
	b = append(appendMember(b, "error"), '{')
	b = appendText(b, "code", code)
	return append(appendText(b, "message", message), '}')
}

// guard runs code of the application that has nobody to answer to.
func guard(log *slog.Logger, what string, f func()) {
	defer func() {
		if cause := recover(); cause != nil {
			logPanic(log, what, cause)
		}
	}()
	f()
}

// logPanic logs the stack, but of the value only what cannot hold a message.
func logPanic(log *slog.Logger, what string, cause any) {
	value := fmt.Sprintf("%T", cause)
	if e, ok := cause.(runtime.Error); ok {
		value = e.Error()
	}
	log.Error("recovered a panic", "in", what, "value", value, "stack", string(debug.Stack()))
}
