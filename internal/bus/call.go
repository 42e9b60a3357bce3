package bus

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"time"
	"unicode/utf8"
)

// Request is an outgoing call.
type Request struct {
	FunctionID string
	// Data is the argument, JSON; empty = {}.
	Data json.RawMessage
	// Namespace the function is looked up in; empty = the engine's default one,
	// whatever namespace this worker is in.
	Namespace string
	// Metadata travels beside Data; omitted when empty.
	Metadata json.RawMessage
	// Timeout for the answer; 0 = [Options.CallTimeout].
	Timeout time.Duration
}

// Call invokes a function and returns its result; a function without a result
// gives null. Inside a handler, with its context, the call carries on the trace
// context and other handlers run meanwhile.
//
// Errors, all with the function named: *[RemoteError], [ErrDisconnected],
// [ErrTimeout], [ErrTooLarge], [ErrInvalidData], [ErrUndecodable], [ErrStopped],
// or the cause of ctx's end. Not being connected is an error at once:
// [Client.WaitConnected] waits.
func (c *Client) Call(ctx context.Context, r Request) (json.RawMessage, error) {
	return c.call(ctx, r, "")
}

// Enqueue hands a call to the engine's queue and returns the receipt, an object
// with messageReceiptId. Errors are those of [Client.Call].
func (c *Client) Enqueue(ctx context.Context, r Request, queue string) (json.RawMessage, error) {
	action := append(appendText(appendFrame(nil, "enqueue"), "queue", queue), '}')
	return c.call(ctx, r, string(action))
}

// Void invokes a function without waiting for an answer or learning of a failure.
// Its errors are those of [Client.Call] that arise before sending.
func (c *Client) Void(ctx context.Context, r Request) error {
	s, err := c.connected()
	if err == nil {
		var frame *buffer
		if frame, err = encodeCall(ctx, r, "", `{"type":"void"}`); err == nil {
			err = s.send(ctx, frame)
		}
	}
	return naming(r, err)
}

func (c *Client) call(ctx context.Context, r Request, action string) (json.RawMessage, error) {
	result, err := c.exchange(ctx, r, action)
	return result, naming(r, err)
}

func naming(r Request, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("calling %s: %w", r.FunctionID, err)
}

func (c *Client) exchange(ctx context.Context, r Request, action string) (json.RawMessage, error) {
	s, err := c.connected()
	if err != nil {
		return nil, err
	}
	id := newID()
	frame, err := encodeCall(ctx, r, id, action)
	if err != nil {
		return nil, err
	}
	waiting := make(chan reply, 1)
	s.mu.Lock()
	s.pending[id] = waiting
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		delete(s.pending, id)
		s.mu.Unlock()
	}()
	timeout := r.Timeout
	fill(&timeout, c.opts.CallTimeout)
	timer := time.NewTimer(timeout)
	defer timer.Stop()

	resume := c.GiveWay(ctx)
	defer resume()
	if err := s.send(ctx, frame); err != nil {
		return nil, err
	}
	select {
	case end := <-waiting:
		return end.result, end.err
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	case <-s.ctx.Done():
		select {
		case end := <-waiting: // it came before the connection went
			return end.result, end.err
		default:
			return nil, context.Cause(s.ctx)
		}
	case <-timer.C:
		return nil, fmt.Errorf("%w (%v)", ErrTimeout, timeout)
	}
}

// send queues a frame of the application.
func (s *session) send(ctx context.Context, frame *buffer) error {
	if ctx.Err() == nil && s.out.send(s.ctx.Done(), ctx.Done(), parcel{buffer: frame, kind: request}) {
		return nil
	}
	frame.release()
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case s.ctx.Err() != nil:
		return context.Cause(s.ctx)
	}
	return ErrStopped
}

// sendable reports whether the engine would accept a value inside a frame. It
// drops what nests too deep, and text that is not UTF-8 costs the connection.
func sendable(raw []byte) bool {
	if !utf8.Valid(raw) || !json.Valid(raw) {
		return false
	}
	_, depth := skipValue(bytes.TrimLeft(raw, " \n\t\r"), 0)
	return depth < maxDepth
}

// encodeCall builds the frame of a call. An id asks for an answer.
func encodeCall(ctx context.Context, r Request, id, action string) (*buffer, error) {
	if len(r.Data)+len(r.Metadata) > maxMessage {
		return nil, ErrTooLarge
	}
	data := r.Data
	if len(data) == 0 {
		data = json.RawMessage("{}")
	}
	traceparent, baggage := trace(ctx)
	frame := getBuffer(len(data) + len(r.Metadata) + 512)
	b := appendFrame(frame.b, "invokefunction")
	b = appendOptional(b, "invocation_id", id)
	b = appendText(b, "function_id", r.FunctionID)
	b = appendRaw(b, "data", data)
	b = appendRaw(b, "action", []byte(action))
	b = appendOptional(b, "namespace", r.Namespace)
	b = appendRaw(b, "metadata", r.Metadata)
	b = appendOptional(b, "traceparent", traceparent)
	b = appendOptional(b, "baggage", baggage)
	frame.b = append(b, '}')
	var err error
	switch {
	case len(frame.b) > maxMessage:
		err = ErrTooLarge
	case !sendable(data) || len(r.Metadata) > 0 && !sendable(r.Metadata):
		err = ErrInvalidData
	default:
		return frame, nil
	}
	frame.release()
	return nil, err
}
