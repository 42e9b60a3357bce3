package bus

import (
	"context"
	"encoding/json"
)

// Function is something the worker serves.
type Function struct {
	// ID under which the engine lists it, by convention prefix::name.
	ID string
	// Description for people and models; omitted when empty.
	Description string
	// RequestFormat and ResponseFormat are JSON Schemas. The engine shows them but
	// does not check anything against them. Omitted when empty.
	RequestFormat, ResponseFormat json.RawMessage
	// Metadata is any JSON, for example {"internal":true}; omitted when empty.
	Metadata json.RawMessage
	// Handler answers the calls. It must not be nil.
	Handler Handler
	// Bypass starts calls at once, however many wait; for short notices to the
	// worker itself. Such a function does not count as public: losing it to
	// another worker does not end [Client.Run].
	Bypass bool
}

// Handler answers one call. It appends its result, one JSON value, to dst and
// returns the extended slice; returning dst unchanged answers null. dst already
// holds the beginning of the answer's frame, so that a long result is never
// copied: neither dst nor the slice returned may be kept or read otherwise.
//
// On an error dst is discarded. An error with a method ErrorCode() string
// anywhere in its chain is answered with that code, any other with
// [CodeInvocationFailed]; the message is the error's text. A panic is answered
// with [CodeInternal].
//
// ctx ends when the connection that carried the call is lost, when the client
// stops, and after the handler returned; [context.Cause] tells which. While the
// handler waits in a method of this package with this ctx, another one may run
// in its place.
type Handler func(ctx context.Context, call *Call, dst []byte) ([]byte, error)

// Call is one incoming call. Data and Metadata are parts of the frame and valid
// until the handler returns; Data is not validated.
type Call struct {
	InvocationID string
	FunctionID   string
	// Data is the argument, one JSON value at least in outline: its brackets and
	// quotes match. The decoder that reads it must validate it.
	Data []byte
	// Depth is the nesting level Data stands at in its frame: 1.
	Depth int
	// Metadata travelled beside Data; nil when absent.
	Metadata json.RawMessage
	// TraceParent and Baggage are W3C trace context, empty when absent. Calls made
	// with the handler's context carry them on.
	TraceParent, Baggage string
}
