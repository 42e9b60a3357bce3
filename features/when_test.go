package features_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/cucumber/godog"
)

func (w *world) whenSteps(sc *godog.ScenarioContext) {
	const function = `^(assemble|compact|prune|count-tokens|on-config-change|on-models-changed) is called(?: again)?`
	sc.Step(function+`$`, func(ctx context.Context, name string) error {
		return w.call(ctx, "context::"+name, w.compose(nil))
	})
	sc.Step(function+` with$`, func(ctx context.Context, name string, doc *godog.DocString) error {
		more, err := object(doc.Content)
		if err != nil {
			return err
		}
		return w.call(ctx, "context::"+name, w.compose(more))
	})
	sc.Step(function+` with exactly$`, func(ctx context.Context, name string, doc *godog.DocString) error {
		return w.call(ctx, "context::"+name, []byte(doc.Content))
	})
	sc.Step(`^the functions are listed$`, w.listed)
}

// listed makes the functions that callers see the answer: an object by id.
func (w *world) listed(ctx context.Context) error {
	if err := w.open(); err != nil {
		return err
	}
	list, err := w.session.registered(ctx)
	if err != nil {
		return err
	}
	metadata := map[string]any{}
	var order []any
	for _, r := range list {
		if slices.Contains(order, any(r.ID)) {
			return fmt.Errorf("%s is there twice", r.ID)
		}
		order = append(order, r.ID)
		value, err := decode(json.RawMessage(r.Metadata))
		if err != nil {
			return err
		}
		metadata[r.ID] = value
	}
	w.answers = append(w.answers, answer{value: map[string]any{"order": order, "metadata": metadata}})
	return nil
}
