package bus

import "context"

// callKey is under which a handler's context holds the call being served. From
// there outgoing calls take their trace context and the place to give away.
type callKey struct{}

func servedCall(ctx context.Context) *inflight {
	in, _ := ctx.Value(callKey{}).(*inflight)
	return in
}

type traceKey struct{}

type traceContext struct{ parent, baggage string }

// Apart returns a context that has the trace of the call that ctx serves and
// nothing else of it: calls made with it take no place in the scheduler's eyes
// and do not end with the call.
func Apart(ctx context.Context) context.Context {
	parent, baggage := trace(ctx)
	return context.WithValue(context.Background(), traceKey{}, traceContext{parent, baggage})
}

// trace returns the W3C trace context of the call that ctx serves, or is made
// for; empty outside a handler.
func trace(ctx context.Context) (traceparent, baggage string) {
	if in := servedCall(ctx); in != nil {
		return in.call.TraceParent, in.call.Baggage
	}
	t, _ := ctx.Value(traceKey{}).(traceContext)
	return t.parent, t.baggage
}
