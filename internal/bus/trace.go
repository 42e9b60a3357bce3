package bus

import "context"

// callKey is under which a handler's context holds the call being served. From
// there outgoing calls take their trace context and the place to give away.
type callKey struct{}

func servedCall(ctx context.Context) *inflight {
	in, _ := ctx.Value(callKey{}).(*inflight)
	return in
}

// trace returns the W3C trace context of the call that ctx serves, empty outside
// a handler.
func trace(ctx context.Context) (traceparent, baggage string) {
	if in := servedCall(ctx); in != nil {
		return in.call.TraceParent, in.call.Baggage
	}
	return "", ""
}
