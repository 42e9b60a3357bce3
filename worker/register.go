package worker

import (
	"context"
	"encoding/json"

	"context-manager/functions"
	"context-manager/internal/bus"
)

// register offers every function of the table and binds the nudges.
func (w *Worker) register() {
	fns := make([]bus.Function, 0, len(functions.Specs))
	for i := range functions.Specs {
		spec := &functions.Specs[i]
		fns = append(fns, bus.Function{
			ID:             spec.ID,
			Description:    spec.Description,
			RequestFormat:  spec.RequestSchema(),
			ResponseFormat: spec.ResponseSchema(),
			Metadata:       spec.Metadata.JSON(),
			Bypass:         spec.Event,
			Handler: func(ctx context.Context, call *bus.Call, dst []byte) ([]byte, error) {
				return spec.Invoke(ctx, w.service, call.Data, call.Depth, dst)
			},
		})
	}
	w.client.RegisterFunction(fns...)
	w.client.RegisterTrigger(bus.Trigger{
		ID:         w.opts.Name + "::models-changed",
		Type:       "router::models::changed",
		FunctionID: "context::on-models-changed",
		Config:     json.RawMessage("{}"),
		Namespace:  w.opts.Namespace,
	})
}
