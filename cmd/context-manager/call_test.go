package main

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"context-manager/internal/agent/agenttest"
)

const hello = `{"model":{"id":"m"},"messages":[{"role":"user","content":[{"type":"text","text":"hello"}],"timestamp":1001}]}`

func TestCallPrintsPrettyJSONAndNothingElse(t *testing.T) {
	t.Parallel()
	got := play(t, hello, nil, "call", "count-tokens", "-")
	if got.code != 0 || !strings.Contains(got.stdout, "\n  \"tokens\": 18,") || got.stderr != "" {
		t.Errorf("got %+v, want 18 tokens, indented, on stdout alone", got)
	}
	if long := play(t, hello, nil, "call", "context::count-tokens"); long.stdout != got.stdout {
		t.Errorf("the long name answered %q, want %q", long.stdout, got.stdout)
	}
}

func TestCallReadsAFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "request.json")
	if err := os.WriteFile(path, []byte(hello), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := play(t, "", nil, "call", "count-tokens", path); got.code != 0 || !strings.Contains(got.stdout, "18") {
		t.Errorf("got %+v, want 18 tokens", got)
	}
	if got := play(t, "", nil, "call", "count-tokens", path+".not"); got.code != 2 {
		t.Errorf("a file that is not there: %+v, want exit code 2", got)
	}
}

func TestCallReportsErrorsWithTheirCode(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ function, request, want string }{
		"not an object":       {"assemble", `[]`, "context/invalid_request: request: want an object, got an array\n"},
		"no JSON":             {"assemble", `{"model"`, "context/invalid_request: request: "},
		"messages missing":    {"prune", `{}`, "context/invalid_request: messages is required\n"},
		"model missing":       {"count-tokens", `{"messages":[]}`, "context/invalid_request: model: missing"},
		"messages a string":   {"prune", `{"messages":"x"}`, "context/invalid_request: messages: want an array"},
		"a wizard":            {"prune", `{"messages":[{"role":"wizard"}]}`, "context/invalid_request: messages[0].role: unknown role"},
		"a missing timestamp": {"prune", `{"messages":[{"role":"user","content":[]}]}`, "context/invalid_request: messages[0].timestamp: missing, want an integer (milliseconds)\n"},
		"nesting":             {"prune", `{"messages":[],"x":` + strings.Repeat("[", 128) + strings.Repeat("]", 128) + `}`, "context/invalid_request: x: nested deeper than 128 levels"},
		"an overflow":         {"assemble", string(agenttest.Request(agenttest.Object{"model": agenttest.Inline("m", 10, 0)}, agenttest.User("hello"))), "context/overflow: assembled context requires 18 tokens but usable budget is 9 ("},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := play(t, tt.request, nil, "call", tt.function)
			if got.code != 1 || got.stdout != "" || !strings.HasPrefix(got.stderr, tt.want) {
				t.Errorf("got %+v, want exit code 1 and %q on stderr", got, tt.want)
			}
		})
	}
	deep := `{"messages":[],"x":` + strings.Repeat("[", 127) + strings.Repeat("]", 127) + `}`
	if got := play(t, deep, nil, "call", "prune"); got.code != 0 {
		t.Errorf("128 levels: %+v, want exit code 0", got)
	}
}

func TestCallLinesAnswersEachLineInOrder(t *testing.T) {
	t.Parallel()
	spaced := strings.ReplaceAll(hello, `"role"`, ` "role" `)
	got := play(t, hello+"\n\nnonsense\n"+spaced, nil, "call", "prune", "--lines")
	lines := strings.Split(strings.TrimSpace(got.stdout), "\n")
	if got.code != 0 || len(lines) != 3 {
		t.Fatalf("got %+v, want three lines and exit code 0", got)
	}
	for i, line := range lines {
		var answer struct {
			Result json.RawMessage
			Error  *struct{ Code, Message string }
		}
		if err := json.Unmarshal([]byte(line), &answer); err != nil {
			t.Fatalf("line %d: %v", i, err)
		}
		if bad := answer.Error != nil; bad != (i == 1) {
			t.Errorf("line %d: %s", i, line)
		}
		if answer.Error != nil && (answer.Error.Code != "context/invalid_request" || !strings.HasPrefix(answer.Error.Message, "context/invalid_request: ")) {
			t.Errorf("line %d: error %+v, want the code in code and message", i, answer.Error)
		}
	}
}

func TestCallCompactWithAScriptedSummary(t *testing.T) {
	t.Parallel()
	request := string(agenttest.Request(agenttest.Object{"model": agenttest.Inline("big", 200000, 8000)},
		agenttest.User(agenttest.Tokens(9000)), agenttest.User("q2"), agenttest.User("q3")))
	config := filepath.Join(t.TempDir(), "config.yaml")
	if err := os.WriteFile(config, []byte("lease_dir: "+t.TempDir()+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "summary.md")
	if err := os.WriteFile(file, []byte("## Goal\n- from a file"), 0o600); err != nil {
		t.Fatal(err)
	}
	for summary, want := range map[string]string{"## Goal\n- ship": `"summary": "## Goal\n- ship"`, "@" + file: "from a file"} {
		got := play(t, request, map[string]string{"III_CONFIG": config}, "call", "compact", "--summary", summary)
		if got.code != 0 || !strings.Contains(got.stdout, `"status": "ok"`) || !strings.Contains(got.stdout, want) {
			t.Errorf("--summary %q: %+v, want %s", summary, got, want)
		}
	}
	got := play(t, request, map[string]string{"III_CONFIG": config}, "call", "compact", "--summary", "")
	if !strings.Contains(got.stdout, `"reason": "empty"`) {
		t.Errorf("a summary of no text: %+v, want reason empty", got)
	}
	got = play(t, request, map[string]string{"III_CONFIG": config}, "call", "compact")
	if !strings.Contains(got.stdout, `"reason": "unavailable"`) {
		t.Errorf("without a summariser: %+v, want reason unavailable", got)
	}
}

// A call that needs no lease leaves no directory behind, and one that cannot
// have any says why.
func TestCallOpensLeasesWhenItNeedsThem(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "leases")
	config := filepath.Join(t.TempDir(), "config.yaml")
	if err := os.WriteFile(config, []byte("lease_dir: "+dir+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	env := map[string]string{"III_CONFIG": config}
	if got := play(t, hello, env, "call", "count-tokens"); got.code != 0 || got.stderr != "" {
		t.Errorf("count-tokens: %+v, want no error", got)
	}
	if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("count-tokens made %s (%v), want it left alone", dir, err)
	}
	if err := os.WriteFile(dir, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	got := play(t, string(compaction("k")), env, "call", "compact", "--summary", "x")
	if !strings.Contains(got.stdout, `"reason": "lease_unavailable"`) || !strings.Contains(got.stderr, dir) {
		t.Errorf("compact: %+v, want reason lease_unavailable, and on stderr the directory", got)
	}
}

func TestCallRefusesABadSettingsFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "config.yaml")
	if err := os.WriteFile(path, []byte("tail_turns: 2\nreserved_pct: 101\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"call", "prune", "--config", path}, {"dev", "--listen", "127.0.0.1:0", "--config", path}} {
		got := play(t, `{"messages":[]}`, nil, args...)
		if got.code != 2 || !strings.Contains(got.stderr, "config.yaml:2: reserved_pct: 101") {
			t.Errorf("%v: %+v, want exit code 2 and file, line and key", args, got)
		}
	}
}

// The value that is refused is empty because of the variable, so both are told.
func TestCallNamesTheVariableBehindABadSetting(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "config.yaml")
	if err := os.WriteFile(path, []byte("reserved_pct: ${CONTEXT_MANAGER_TEST_UNSET}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	got := play(t, `{"messages":[]}`, nil, "call", "prune", "--config", path)
	for _, want := range []string{"CONTEXT_MANAGER_TEST_UNSET is not set", "config.yaml:1: reserved_pct: null"} {
		if got.code != 2 || !strings.Contains(got.stderr, want) {
			t.Errorf("%+v, want exit code 2 and %q", got, want)
		}
	}
}

func TestWrongCallsExitWithTwo(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{
		{"call"}, {"call", "nothing"}, {"call", "prune", "a", "b"}, {"call", "prune", "--url", "ws://127.0.0.1:1", "--summary", "x"},
		{"call", "prune", "--url", "http://127.0.0.1:1"}, {"call", "prune", "."}, {"--url", ":::"},
		{"schema", "nothing"}, {"schema", "a", "b"}, {"dev", "x"}, {"demo", "x"}, {"unknown"}, {"--log-level", "loud"}, {"--no-such-flag"},
		{"--namespace", " "}, {"--name", ""}, {"call", "prune", "--url", "ws://127.0.0.1:1", "--namespace", " "},
		{"tokens", "--encoding", "none"}, {"tokens", "--model", ""}, {"tokens", "--encoding="}, {"tokens", "--model", "claude-sonnet-4"}, {"tokens", "--model", "gpt-4o", "--encoding", "r50k_base"},
	} {
		if got := play(t, "{}", nil, args...); got.code != 2 || got.stderr == "" || got.stdout != "" {
			t.Errorf("%v: %+v, want exit code 2 and a word on stderr", args, got)
		}
	}
}

func TestSchemaPrintsOneOrAll(t *testing.T) {
	t.Parallel()
	var doc struct {
		Functions []struct{ Name string }
		Triggers  []any
	}
	got := play(t, "", nil, "schema")
	if err := json.Unmarshal([]byte(got.stdout), &doc); err != nil || len(doc.Functions) < 6 || doc.Triggers == nil {
		t.Errorf("schema printed %.200s (%v), want functions and triggers", got.stdout, err)
	}
	got = play(t, "", nil, "schema", "prune")
	if err := json.Unmarshal([]byte(got.stdout), &doc); err != nil || len(doc.Functions) != 1 || doc.Functions[0].Name != "context::prune" {
		t.Errorf("schema prune printed %.200s (%v)", got.stdout, err)
	}
}

func TestVersionAndManifest(t *testing.T) {
	t.Parallel()
	if got := play(t, "", nil, "--version"); !strings.HasPrefix(got.stdout, "context-manager 0.1.0 (") || !strings.Contains(got.stdout, "go1.") {
		t.Errorf("--version printed %q", got.stdout)
	}
	var manifest struct {
		Name             string
		DefaultConfig    map[string]any `json:"default_config"`
		SupportedTargets []string       `json:"supported_targets"`
	}
	got := play(t, "", nil, "--manifest")
	if err := json.Unmarshal([]byte(got.stdout), &manifest); err != nil || manifest.Name != "context-manager" ||
		manifest.DefaultConfig["tail_turns"] != 2.0 || len(manifest.SupportedTargets) != 1 {
		t.Errorf("--manifest printed %s (%v)", got.stdout, err)
	}
}

func TestTokensPrintsTheNumberAlone(t *testing.T) {
	t.Parallel()
	if got := play(t, "hello world", nil, "tokens"); got.stdout != "2\n" || got.code != 0 {
		t.Errorf("got %+v, want 2", got)
	}
	if got := play(t, "<|endoftext|>", nil, "tokens", "--model", "gpt-4o"); got.stdout != "7\n" {
		t.Errorf("special-token text: %+v, want the 7 tokens of plain text", got)
	}
	lines := `{"encoding":"cl100k_base","text":"hello world"}` + "\n" + `{"encoding":"o200k_base","text":""}` + "\n"
	if got := play(t, lines, nil, "tokens", "--lines"); got.stdout != "{\"tokens\":2}\n{\"tokens\":0}\n" {
		t.Errorf("--lines: %+v", got)
	}
	if got := play(t, "{}\n", nil, "tokens", "--lines"); got.code != 1 || !strings.Contains(got.stderr, "line 1: text: missing") {
		t.Errorf("a line without text: %+v, want exit code 1 and the line", got)
	}
}
