package features_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/cucumber/godog"

	"context-manager/config"
	"context-manager/internal/agent/agenttest"
	"context-manager/internal/fakerouter"
)

// engineSteps are the words for what only a socket has.
func (w *world) engineSteps(sc *godog.ScenarioContext) {
	sc.Step(`^the router (?:first |then )?does$`, w.theRouterDoes)
	sc.Step(`^the chat requests have$`, w.theChatRequestsHave)
	sc.Step(`^the router announces that its models changed$`, w.modelsChanged)
	sc.Step(`^(assemble|compact) is called until the router was asked for (\d+) models$`, w.calledUntilAsked)
	sc.Step(`^somebody stores the settings$`, w.somebodyStores)
	sc.Step(`^in the end assemble answers$`, w.calledUntil)
	sc.Step(`^the request has as previous summary what came back$`, w.previousSummary)
}

// socketed is the scenario's session on a socket.
func (w *world) socketed() (*socketSession, error) {
	if err := w.open(); err != nil {
		return nil, err
	}
	s, ok := w.session.(*socketSession)
	if !ok {
		return nil, errors.New("this needs a socket: tag the scenario @engine")
	}
	return s, nil
}

// theRouterDoes reads what a chat does, a step a line:
//
//	{"type":"text_delta","delta":"a"}     a text frame, JSON or not
//	close                                 the channel is closed
//	answer {"ok":true}                    the call is answered
//	throw CODE a message                  or fails
func (w *world) theRouterDoes(doc *godog.DocString) error {
	s := fakerouter.Script{}
	for line := range strings.Lines(doc.Content) {
		line = strings.TrimSpace(line)
		verb, rest, _ := strings.Cut(line, " ")
		switch verb {
		case "close":
			s = append(s, fakerouter.Close())
		case "answer":
			s = append(s, fakerouter.Answer(rest))
		case "throw":
			code, message, _ := strings.Cut(rest, " ")
			s = append(s, fakerouter.Throw(code, message))
		case "binary":
			s = append(s, fakerouter.Binary([]byte(rest+"\n")))
		default:
			s = append(s, fakerouter.Text(line))
		}
	}
	w.setup.script = append(w.setup.script, reply{raw: s})
	return nil
}

func (w *world) theChatRequestsHave(table *godog.Table) error {
	s, err := w.socketed()
	if err != nil {
		return err
	}
	var all []json.RawMessage
	for _, c := range s.router.Calls(fakerouter.ChatID) {
		all = append(all, c.Data)
	}
	value, err := decode(agenttest.JSON(all))
	if err != nil {
		return err
	}
	return checkAll(value, table)
}

func (w *world) modelsChanged(ctx context.Context) error {
	s, err := w.socketed()
	if err != nil {
		return err
	}
	return s.router.EmitChanged(ctx, "fake", 1)
}

// again repeats a call until something holds: events travel on their own.
func (w *world) again(ctx context.Context, name string, holds func() error) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for {
		if err := w.call(ctx, "context::"+name, w.compose(nil)); err != nil {
			return err
		}
		err := holds()
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("it does not come true: %w", err)
		case <-time.After(5 * time.Millisecond):
		}
	}
}

func (w *world) calledUntilAsked(ctx context.Context, name string, n int) error {
	return w.again(ctx, name, func() error { return w.theRouterWasAsked(n) })
}

func (w *world) calledUntil(ctx context.Context, table *godog.Table) error {
	return w.again(ctx, "assemble", func() error { return w.theAnswerHas(table) })
}

// somebodyStores writes the entry as an operator does. Nobody tells the worker
// but the engine.
func (w *world) somebodyStores(ctx context.Context, doc *godog.DocString) error {
	s, err := w.socketed()
	if err != nil {
		return err
	}
	value := agenttest.Object{"lease_dir": s.dir}
	more, err := object(doc.Content)
	if err != nil {
		return err
	}
	merge(value, more)
	s.driver.last = config.Settings{} // no longer in force
	return s.store(ctx, agenttest.JSON(value))
}

func (w *world) previousSummary() error {
	value, err := w.last()
	if err != nil {
		return err
	}
	text, _, err := lookupPath(value, "applied.summary")
	if err != nil {
		return err
	}
	merge(w.members, agenttest.Object{"options": map[string]any{"previous_summary": text}})
	return nil
}
