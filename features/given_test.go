package features_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"github.com/cucumber/godog"

	"context-manager/config"
	"context-manager/internal/agent/agenttest"
)

// Ids of models whose limits stand in the request. No encoding is known for the
// first, so that it is counted by size. The second has one, and requests for it
// ask for the count by size.
const (
	unknownModel = "test-model"
	encodedModel = "gpt-4o"
)

func (w *world) givenSteps(sc *godog.ScenarioContext) {
	sc.Step(`^the history$`, w.theHistory)
	sc.Step(`^the history goes on$`, w.theHistoryGoesOn)
	sc.Step(`^the history is what came back$`, w.theHistoryIsTheAnswer)
	sc.Step(`^an empty history$`, func() { w.history = []agenttest.Message{} })
	sc.Step(`^the model (\S+?)(?: of (\S+))?$`, w.theModel)
	sc.Step(`^the inline model (\d+)/(\d+)(?: with input limit (\d+))?$`, w.theInlineModel)
	sc.Step(`^the router knows$`, w.theRouterKnows)
	sc.Step(`^there is no router$`, func() { w.setup.noRouter = true })
	sc.Step(`^the settings?$`, w.theSettings)
	sc.Step(`^the request has$`, w.theRequestHas)
}

func (w *world) theHistory(table *godog.Table) (err error) {
	w.history, err = readHistory(table)
	return err
}

func (w *world) theHistoryGoesOn(table *godog.Table) error {
	more, err := readHistory(table)
	w.history = append(w.history, more...)
	return err
}

func (w *world) theHistoryIsTheAnswer() error {
	value, err := w.last()
	if err != nil {
		return err
	}
	list, _, err := lookupPath(value, "messages")
	if err != nil {
		return err
	}
	w.history = []agenttest.Message{}
	for _, v := range list.([]any) {
		w.history = append(w.history, v.(map[string]any))
	}
	return nil
}

// theModel is the small one, whose limits stand in the request, or one that is
// looked up.
func (w *world) theModel(id, provider string) {
	switch {
	case id == "small":
		w.model = agenttest.Inline(w.modelID, 5000, 500)
	case id == unknownModel:
		w.model = agenttest.Object{"id": w.modelID}
	case provider != "":
		w.model = agenttest.Object{"id": id, "provider": provider}
	default:
		w.model = agenttest.Object{"id": id}
	}
}

func (w *world) theInlineModel(window, output, input string) {
	limits := agenttest.Object{"context_window": json.Number(window), "max_output_tokens": json.Number(output)}
	if input != "" {
		limits["input_limit"] = json.Number(input)
	}
	w.model = agenttest.Object{"id": w.modelID, "limits": limits}
}

// theRouterKnows reads a table whose first row names the columns: id, window,
// output, and any of provider, effective, input_limit, thinking, an object, and
// record, which is answered as it stands.
func (w *world) theRouterKnows(table *godog.Table) error {
	names := table.Rows[0].Cells
	for _, row := range table.Rows[1:] {
		var m routerModel
		for i, cell := range row.Cells {
			if cell.Value == "" {
				continue
			}
			if err := m.set(names[i].Value, cell.Value); err != nil {
				return err
			}
		}
		w.setup.models = append(w.setup.models, m)
	}
	return nil
}

func (m *routerModel) set(column, value string) error {
	switch column {
	case "id":
		m.id = value
		return nil
	case "provider":
		m.provider = value
		return nil
	case "record":
		m.record = json.RawMessage(value)
		return nil
	case "thinking":
		return json.Unmarshal([]byte(value), &m.thinking)
	}
	n, err := strconv.ParseUint(value, 10, 64)
	if err != nil {
		return err
	}
	switch column {
	case "window":
		m.window = n
	case "output":
		m.output = n
	case "effective":
		m.effective = &n
	case "input_limit":
		m.inputLimit = &n
	default:
		return fmt.Errorf("a router model has no %s", column)
	}
	return nil
}

func (w *world) theSettings(table *godog.Table) error {
	if w.session != nil {
		return errors.New("the settings come too late: something has been called")
	}
	given := agenttest.Object{}
	if err := json.Unmarshal(w.setup.settings.Raw(), &given); err != nil {
		return err
	}
	for _, row := range table.Rows {
		given[row.Cells[0].Value] = json.RawMessage(row.Cells[1].Value)
	}
	set, warnings, err := config.Decode(agenttest.JSON(given))
	if err == nil && len(warnings) > 0 {
		err = errors.New(warnings[0])
	}
	w.setup.settings = set
	return err
}

func (w *world) theRequestHas(doc *godog.DocString) error {
	more, err := object(doc.Content)
	merge(w.members, more)
	return err
}
