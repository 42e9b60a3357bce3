package features_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cucumber/godog"
)

// Every scenario is a test of its own: TestFeatures/direct/prune/P1_….
func TestFeatures(t *testing.T) {
	t.Parallel()
	t.Run("direct", func(t *testing.T) {
		t.Parallel()
		runFeatures(t, "@pure", func(*testing.T) driver { return direct{} })
	})
	t.Run("socket", func(t *testing.T) {
		t.Parallel()
		runFeatures(t, "@pure", func(t *testing.T) driver { return newSocket(t, "") })
	})
	t.Run("engine", func(t *testing.T) {
		t.Parallel()
		runFeatures(t, "@engine", func(t *testing.T) driver { return newSocket(t, os.Getenv("III_URL")) })
	})
}

// runFeatures runs the scenarios with a tag, the files beside each other and
// each file's scenarios in order, so that a driver may keep what is costly from
// one scenario to the next.
func runFeatures(t *testing.T, tag string, open func(*testing.T) driver) {
	for _, file := range featureFiles(t) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(text), tag+"\n") && !strings.Contains(string(text), tag+" ") {
			continue
		}
		t.Run(strings.TrimSuffix(file, ".feature"), func(t *testing.T) {
			t.Parallel()
			d := open(t)
			var out bytes.Buffer
			suite := godog.TestSuite{
				ScenarioInitializer: func(sc *godog.ScenarioContext) { newWorld(t, d).steps(sc) },
				Options: &godog.Options{
					Format: "progress", Output: &out, NoColors: true, Strict: true,
					Tags: tag, TestingT: t, DefaultContext: t.Context(),
					FeatureContents: []godog.Feature{{Name: file, Contents: text}},
				},
			}
			if status := suite.Run(); status != 0 && !t.Failed() {
				t.Errorf("the suite ends with %d:\n%s", status, out.String())
			}
		})
	}
}

func featureFiles(t testing.TB) []string {
	t.Helper()
	files, err := filepath.Glob("*.feature")
	if err != nil || len(files) == 0 {
		t.Fatalf("got feature files %q, %v, want some", files, err)
	}
	return files
}

// named puts the step in front of its error.
func named(ctx context.Context, st *godog.Step, _ godog.StepResultStatus, err error) (context.Context, error) {
	if err != nil {
		return ctx, errors.New(st.Text)
	}
	return ctx, nil
}
