package features_test

import (
	"context"
	"fmt"
	"time"

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
	sc.Step(`^(\d+) ms pass$`, func(ms int64) error {
		if err := w.open(); err != nil {
			return err
		}
		w.session.pass(time.Duration(ms) * time.Millisecond)
		return nil
	})
}

// listed makes the metadata of the functions that callers see the answer.
func (w *world) listed(ctx context.Context) error {
	if err := w.open(); err != nil {
		return err
	}
	list, err := w.session.registered(ctx)
	if err != nil {
		return err
	}
	metadata := map[string]any{}
	for _, r := range list {
		if _, twice := metadata[r.ID]; twice {
			return fmt.Errorf("%s is there twice", r.ID)
		}
		if metadata[r.ID], err = decode(r.Metadata); err != nil {
			return err
		}
	}
	w.answers = append(w.answers, answer{value: metadata})
	return nil
}
