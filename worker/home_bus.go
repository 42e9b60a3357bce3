package worker

import (
	"context"
	"encoding/json"

	"context-manager/internal/bus"
)

// homeBus is a bus client that looks for a router at home first: in the
// namespace of this worker, and then in the engine's default one. Whoever runs
// several systems in one engine means their own router.
type homeBus struct {
	*bus.Client
	namespace string // empty = the default one
}

// Call makes a call that names no namespace.
func (h homeBus) Call(ctx context.Context, r bus.Request) (json.RawMessage, error) {
	if h.namespace != "" {
		r.Namespace = h.namespace
		if answer, err := h.Client.Call(ctx, r); !notFound(err) {
			return answer, err
		}
		r.Namespace = ""
	}
	return h.Client.Call(ctx, r)
}

// openReader implements chatBus.
func (h homeBus) openReader(ctx context.Context, ref bus.ChannelRef) (frameReader, error) {
	r, err := h.OpenReader(ctx, ref)
	if err != nil {
		return nil, err // not r: a nil pointer is no nil interface
	}
	return r, nil
}
