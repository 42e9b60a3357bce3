package features_test

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/cucumber/godog"

	"context-manager/internal/agent/agenttest"
)

func (w *world) thenSteps(sc *godog.ScenarioContext) {
	sc.Step(`^the answer has$`, w.theAnswerHas)
	sc.Step(`^the answer is$`, w.theAnswerIs)
	sc.Step(`^the call fails with "(.*)"$`, w.theCallFails)
	sc.Step(`^the error contains "(.*)"$`, w.theErrorContains)
	sc.Step(`^the messages are the request's(?: from (\d+))?$`, w.theMessagesAre)
	sc.Step(`^the messages are the request's except (\d+(?:, \d+)*)$`, w.theMessagesAreExcept)
	sc.Step(`^the router was asked for (\d+) models?$`, w.theRouterWasAsked)
	sc.Step(`^the router's questions have$`, w.theQuestionsHave)
	sc.Step(`^the answers have$`, w.theAnswersHave)
	sc.Step(`^the reference in message (\d+) is the same in its text and its details$`, w.theReferenceIsTwice)
	sc.Step(`^message (\d+) is less than (\d+) bytes$`, w.theMessageIsLess)
}

func (w *world) theAnswerHas(table *godog.Table) error {
	value, err := w.last()
	if err != nil {
		return err
	}
	return checkAll(value, table)
}

// theAnswersHave checks all answers so far: [0] is the first one's.
func (w *world) theAnswersHave(table *godog.Table) error {
	var all []any
	for _, a := range w.answers {
		if a.failure != nil {
			return a.failure
		}
		all = append(all, a.value)
	}
	return checkAll(all, table)
}

func (w *world) theAnswerIs(doc *godog.DocString) error {
	value, err := w.last()
	if err != nil {
		return err
	}
	want, err := decode([]byte(doc.Content))
	if err != nil {
		return err
	}
	if !equal(value, want) {
		return fmt.Errorf("got %s, want %s", shown(value), shown(want))
	}
	return nil
}

func (w *world) theFailure() (*failure, error) {
	if len(w.answers) == 0 {
		return nil, errors.New("nothing has been called")
	}
	a := w.answers[len(w.answers)-1]
	if a.failure == nil {
		return nil, fmt.Errorf("got the answer %s, want an error", shown(a.value))
	}
	return a.failure, nil
}

// theCallFails checks how an error's message begins: code, colon, text.
func (w *world) theCallFails(want string) error {
	f, err := w.theFailure()
	if err != nil {
		return err
	}
	if !strings.HasPrefix(f.message, want) {
		return fmt.Errorf("got %q, want %q in front", f.message, want)
	}
	return nil
}

func (w *world) theErrorContains(want string) error {
	f, err := w.theFailure()
	if err != nil {
		return err
	}
	if !strings.Contains(f.message, want) {
		return fmt.Errorf("got %q, want %q in it", f.message, want)
	}
	return nil
}

func (w *world) theMessagesAre(from string) error {
	start := 0
	if from != "" {
		start, _ = strconv.Atoi(from)
	}
	sent, got, err := w.bothMessages()
	if err != nil {
		return err
	}
	if !equal(got, sent[min(start, len(sent)):]) {
		return fmt.Errorf("got messages %s, want those of the request from %d", shown(got), start)
	}
	return nil
}

func (w *world) theMessagesAreExcept(numbers string) error {
	sent, got, err := w.bothMessages()
	if err != nil {
		return err
	}
	if len(got) != len(sent) {
		return fmt.Errorf("got %d messages, want %d", len(got), len(sent))
	}
	except := strings.Split(numbers, ", ")
	for i := range sent {
		if same := equal(got[i], sent[i]); same == slices.Contains(except, strconv.Itoa(i)) {
			return fmt.Errorf("got message %d %s, the request has %s; want %s alone to change", i, shown(got[i]), shown(sent[i]), numbers)
		}
	}
	return nil
}

// bothMessages are the request's and the answer's.
func (w *world) bothMessages() (sent, got []any, err error) {
	value, err := w.last()
	if err != nil {
		return nil, nil, err
	}
	if sent, err = w.messages(); err != nil {
		return nil, nil, err
	}
	v, _, err := lookupPath(value, "messages")
	got, ok := v.([]any)
	if err == nil && !ok {
		err = errors.New("the answer has no messages")
	}
	return sent, got, err
}

func (w *world) theRouterWasAsked(n int) error {
	if got := len(w.session.lookups()); got != n {
		return fmt.Errorf("got %d questions, want %d", got, n)
	}
	return nil
}

func (w *world) theQuestionsHave(table *godog.Table) error {
	value, err := decode(agenttest.JSON(w.session.lookups()))
	if err != nil {
		return err
	}
	return checkAll(value, table)
}

// theReferenceIsTwice reads the reference out of a reduced result's text.
func (w *world) theReferenceIsTwice(at int) error {
	_, got, err := w.bothMessages()
	if err != nil {
		return err
	}
	text, _, err := lookupPath(got, fmt.Sprintf("[%d].content[0].text", at))
	if err != nil {
		return err
	}
	details, _, err := lookupPath(got, fmt.Sprintf("[%d].details.context_reference", at))
	if err != nil {
		return err
	}
	_, reference, _ := strings.Cut(fmt.Sprint(text), "] ")
	value, err := decode([]byte(reference))
	if err != nil {
		return err
	}
	if !equal(value, details) {
		return fmt.Errorf("got %s in the text, %s in the details", reference, shown(details))
	}
	return nil
}

func (w *world) theMessageIsLess(at, most int) error {
	_, got, err := w.bothMessages()
	if err != nil {
		return err
	}
	if n := len(agenttest.JSON(got[at])); n >= most {
		return fmt.Errorf("got %d bytes, want less than %d", n, most)
	}
	return nil
}
