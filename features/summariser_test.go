package features_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/cucumber/godog"

	"context-manager/internal/agent/agenttest"
)

func (w *world) summariserSteps(sc *godog.ScenarioContext) {
	add := func(r reply) { w.setup.script = append(w.setup.script, r) }
	sc.Step(`^the summariser (?:first |then )?answers$`, func(doc *godog.DocString) { add(reply{text: doc.Content}) })
	sc.Step(`^the summariser (?:first |then )?answers "([^"]*)"$`, func(text string) {
		add(reply{text: strings.NewReplacer(`\n`, "\n", `\t`, "\t").Replace(text)})
	})
	sc.Step(`^the summariser (?:first |then )?answers with (\d+) tokens$`, func(n int) { add(reply{text: agenttest.Tokens(n)}) })
	sc.Step(`^the summariser answers (\d+) bytes more each time$`, w.growingAnswers)
	sc.Step(`^the summariser numbers its answers "([^"]*)"$`, w.numberedAnswers)
	sc.Step(`^the summariser (?:first |then )?fails with "([^"]*)"$`, func(text string) { add(reply{fail: text}) })
	sc.Step(`^the summariser is unavailable$`, func() { add(reply{unavailable: true}) })
	sc.Step(`^the summariser never answers$`, func() { add(reply{never: true}) })
	sc.Step(`^the summariser stops for (\S+) after "([^"]*)"$`, func(stop, text string) { add(reply{text: text, stop: stop}) })
	sc.Step(`^while the summary is written the claim files are$`, w.claimsMeanwhile)
	sc.Step(`^while the summary is written a foreign claim takes "([^"]*)"$`, func(key string) {
		w.meanwhile(func(dir string) error { return writeClaim(dir, key, foreignClaim(w.session.now())) })
	})
	sc.Step(`^while the summary is written (\d+) ms pass and the claim on "([^"]*)" stays younger than (\d+) ms$`, w.renewedMeanwhile)
	sc.Step(`^the summariser was called (\d+) times?$`, w.summariserCalled)
	sc.Step(`^the summariser calls have$`, w.summariserCallsHave)
	sc.Step(`^every summariser call has$`, w.everySummariserCallHas)
	sc.Step(`^every summariser call stays within (\d+) tokens$`, w.everyCallStaysWithin)
	sc.Step(`^the fragments hold (\d+) times "([^"]*)" in order$`, w.theFragmentsHold)
}

// mostCalls is more than any compaction makes.
const mostCalls = 64

func (w *world) growingAnswers(n int) {
	for i := range mostCalls {
		w.setup.script = append(w.setup.script, reply{text: strings.Repeat("x", n*(i+1))})
	}
}

// numberedAnswers puts the number of the call where # stands.
func (w *world) numberedAnswers(text string) {
	for i := range mostCalls {
		w.setup.script = append(w.setup.script, reply{text: strings.ReplaceAll(text, "#", fmt.Sprint(i+1))})
	}
}

// meanwhile adds to the first reply of the script.
func (w *world) meanwhile(do func(dir string) error) {
	if len(w.setup.script) == 0 {
		w.setup.script = script{w.setup.script.at(0)}
	}
	w.setup.script[0].meanwhile = do
}

// renewedMeanwhile lets time go by in steps, and after each waits until the
// claim has been stamped anew.
func (w *world) renewedMeanwhile(ms int64, key string, ttl int64) {
	w.meanwhile(func(dir string) error {
		late := time.After(patience)
		for range ms * 2 / ttl {
			w.session.expire(time.Duration(ttl/2) * time.Millisecond)
			for age := ttl; age >= ttl/2; {
				c, err := readClaim(dir, key)
				if err != nil {
					return err
				}
				age = w.session.now() - c.TS
				select {
				case <-late:
					return fmt.Errorf("got a claim %d ms old, want it renewed", age)
				case <-time.After(time.Millisecond):
				}
			}
		}
		return nil
	})
}

func (w *world) claimsMeanwhile(table *godog.Table) {
	var want []string
	for _, row := range table.Rows {
		want = append(want, row.Cells[0].Value)
	}
	w.meanwhile(func(dir string) error {
		got, err := claimFiles(dir)
		if err == nil && !slices.Equal(got, want) {
			err = fmt.Errorf("got claim files %q, want %q", got, want)
		}
		return err
	})
}

func (w *world) summariserCalled(n int) error {
	w.sawSummaries = true
	if w.session == nil {
		return errors.New("nothing has been called")
	}
	if got := len(w.session.summaries()); got != n {
		return fmt.Errorf("got %d calls, want %d", got, n)
	}
	return nil
}

func (w *world) summariserCallsHave(table *godog.Table) error {
	value, err := decode(agenttest.JSON(w.session.summaries()))
	if err != nil {
		return err
	}
	return checkAll(value, table)
}

func (w *world) everySummariserCallHas(table *godog.Table) error {
	for _, p := range w.session.summaries() {
		value, err := decode(agenttest.JSON(p))
		if err != nil {
			return err
		}
		if err := checkAll(value, table); err != nil {
			return err
		}
	}
	return nil
}

// everyCallStaysWithin allows for what a provider adds around a prompt.
func (w *world) everyCallStaysWithin(most int) error {
	const framing = 64
	for i, p := range w.session.summaries() {
		if n := len(p.System)/4 + len(p.User)/4 + framing; n > most {
			return fmt.Errorf("got %d tokens in call %d, want at most %d", n, i, most)
		}
	}
	return nil
}

// theFragmentsHold puts together what the calls had between the conversation
// tags: nothing may be missing and nothing may come twice.
func (w *world) theFragmentsHold(n int, unit string) error {
	var all strings.Builder
	for _, p := range w.session.summaries() {
		_, body, _ := strings.Cut(p.User, "<conversation>\n")
		all.WriteString(strings.TrimSuffix(body, "\n</conversation>"))
	}
	whole := strings.Repeat(unit, n)
	if got := all.String(); !strings.Contains(got, whole) || strings.Contains(got, whole+unit) {
		return fmt.Errorf("got %d times %q, want %d in one piece", strings.Count(got, unit), unit, n)
	}
	return nil
}

// claimFiles lists the claims of a lease directory.
func claimFiles(dir string) ([]string, error) {
	entries, err := os.ReadDir(filepath.Join(dir, "context_lease"))
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names, err
}
