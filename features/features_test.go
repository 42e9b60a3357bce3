package features_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/cucumber/godog"
)

// Every scenario is a test of its own: TestFeatures/direct/prune/P1_….
func TestFeatures(t *testing.T) {
	t.Parallel()
	url := os.Getenv("III_URL")
	for _, run := range []struct {
		name, tag string
		model     string
		beside    bool // the files may run beside each other
		open      func(*testing.T) driver
	}{
		{"direct", "@pure", unknownModel, true, func(*testing.T) driver { return direct{} }},
		// Counting by size is the same for a model whose encoding is public.
		{"by size", "@pure", encodedModel, true, func(*testing.T) driver { return direct{} }},
		{"socket", "@pure", unknownModel, true, func(t *testing.T) driver { return newSocket(t, "") }},
		// An engine has one router at a time.
		{"engine", "@engine", unknownModel, url == "", func(t *testing.T) driver { return newSocket(t, url) }},
	} {
		t.Run(run.name, func(t *testing.T) {
			t.Parallel()
			for _, f := range readFeatures(t) {
				if !f.tagged(run.tag) {
					continue
				}
				t.Run(strings.TrimSuffix(f.name, ".feature"), func(t *testing.T) {
					if run.beside {
						t.Parallel()
					}
					runFeature(t, f, run.tag, run.model, run.open(t))
				})
			}
		})
	}
}

// runFeature runs a file's scenarios with a tag in order, so that the driver may
// keep what is costly from one to the next.
func runFeature(t *testing.T, f featureFile, tag, model string, d driver) {
	var out bytes.Buffer
	suite := godog.TestSuite{
		ScenarioInitializer: func(sc *godog.ScenarioContext) { newWorld(t, d, model).steps(sc) },
		Options: &godog.Options{
			Format: "progress", Output: &out, NoColors: true, Strict: true,
			Tags: tag, TestingT: t, DefaultContext: t.Context(),
			FeatureContents: []godog.Feature{{Name: f.name, Contents: f.text}},
		},
	}
	if status := suite.Run(); status != 0 && !t.Failed() {
		t.Errorf("the suite ends with %d:\n%s", status, out.String())
	}
}

// named puts the step in front of its error.
func named(ctx context.Context, st *godog.Step, _ godog.StepResultStatus, err error) (context.Context, error) {
	if err != nil {
		return ctx, errors.New(st.Text)
	}
	return ctx, nil
}
