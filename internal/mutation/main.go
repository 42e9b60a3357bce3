// Command mutation breaks the code on purpose, one place at a time, and runs
// the property tests and those of compaction on it: a mutation that no test notices means that the
// tests promise more than they check. Sources are not touched; each run builds
// through an overlay.
//
//	go run ./internal/mutation [-run TEXT]
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

func main() {
	only := flag.String("run", "", "only the mutations whose name contains this")
	flag.Parse()
	if err := run(*only); err != nil {
		fmt.Fprintln(os.Stderr, "mutation:", err)
		os.Exit(1)
	}
}

func run(only string) error {
	dir, err := os.MkdirTemp("", "mutation")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	noticed, survived := 0, 0
	for _, m := range mutations {
		if !strings.Contains(m.name, only) {
			continue
		}
		ok, err := m.noticed(dir)
		if err != nil {
			return fmt.Errorf("%s: %w", m.name, err)
		}
		if ok {
			noticed++
			fmt.Println("noticed ", m.name)
		} else {
			survived++
			fmt.Println("SURVIVED", m.name)
		}
	}
	fmt.Printf("%d mutations noticed, %d survived\n", noticed, survived)
	if survived > 0 {
		return errors.New("some mutations survived")
	}
	if noticed == 0 {
		return errors.New("no mutation ran")
	}
	return nil
}

// noticed builds the tests with the mutation in place and reports whether they
// fail. A mutation that does not apply or does not compile is an error: the
// list has to follow the code.
func (m mutation) noticed(dir string) (bool, error) {
	source, err := os.ReadFile(m.file)
	if err != nil {
		return false, err
	}
	if n := strings.Count(string(source), m.old); n != 1 {
		return false, fmt.Errorf("the code to change stands %d times in %s, want once", n, m.file)
	}
	changed := filepath.Join(dir, "changed.go")
	if err := os.WriteFile(changed, []byte(strings.Replace(string(source), m.old, m.new, 1)), 0o600); err != nil {
		return false, err
	}
	path, err := filepath.Abs(m.file)
	if err != nil {
		return false, err
	}
	overlay, err := json.Marshal(map[string]any{"Replace": map[string]string{path: changed}})
	if err != nil {
		return false, err
	}
	list := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(list, overlay, 0o600); err != nil {
		return false, err
	}
	binary := filepath.Join(dir, "property.test")
	build := exec.Command("go", "test", "-c", "-overlay", list, "-o", binary, "./functions")
	if out, err := build.CombinedOutput(); err != nil {
		return false, fmt.Errorf("building: %w\n%s", err, out)
	}
	test := exec.Command(binary, "-test.run", "Property|ChosenEstimator|Lease|Renewal|Deadline|GivenUp|Replaced|Chunk|Histories|Timeout", "-test.timeout", "90s")
	test.Dir = "functions"
	test.Env = append(os.Environ(), "PROPERTY_SEED=1", "PROPERTY_RUNS=1500")
	out, err := test.CombinedOutput()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		return false, fmt.Errorf("running: %w\n%s", err, out)
	}
	return err != nil, nil
}
