package worker

import (
	"context"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"context-manager/internal/bus"
	"context-manager/internal/devengine"
)

// store puts a value into an engine's configuration before any worker boots, as
// a newer version or a person would have.
func store(t *testing.T, engine *devengine.Engine, value string) {
	t.Helper()
	register(t, connect(t, engine.URL()),
		`{"id":"context-manager","name":"n","description":"d","schema":{"type":"object"},"initial_value":`+value+`}`)
}

func register(t *testing.T, c *bus.Client, request string) {
	t.Helper()
	if _, err := c.Call(context.Background(), bus.Request{FunctionID: "configuration::register", Data: []byte(request)}); err != nil {
		t.Fatal(err)
	}
}

func seedIn(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "config.yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestAnUnknownStoredKeyIsAWarning(t *testing.T) {
	t.Parallel()
	engine := startEngine(t, devengine.Options{})
	store(t, engine, `{"reserved_pct":7,"from_a_newer_version":1}`)
	r := newRig(t, engine, Options{})
	if got := r.worker.live.Load().ReservedPct; got != 7 {
		t.Errorf("reserved_pct = %d, want the stored 7", got)
	}
	if !r.log.has("level=WARN", "from_a_newer_version") {
		t.Errorf("no warning names the key:\n%s", r.log)
	}
}

func TestAStoredValueOutOfRangeBootsOnTheDefaults(t *testing.T) {
	t.Parallel()
	engine := startEngine(t, devengine.Options{})
	store(t, engine, `{"reserved_pct":101}`)
	r := newRig(t, engine, Options{})
	if got := r.worker.live.Load().ReservedPct; got != 10 {
		t.Errorf("reserved_pct = %d, want the default 10", got)
	}
	if !r.log.has("level=ERROR", "reserved_pct") {
		t.Errorf("no error names the key:\n%s", r.log)
	}
	r.set(map[string]any{"reserved_pct": 20}) // the trigger is bound all the same
	if got := r.worker.live.Load().ReservedPct; got != 20 {
		t.Errorf("reserved_pct = %d after it was mended, want 20", got)
	}
}

func TestAnUnsetVariableBootsOnTheDefaults(t *testing.T) {
	t.Parallel()
	engine := startEngine(t, devengine.Options{Getenv: func(string) (string, bool) { return "", false }})
	store(t, engine, `{"lease_dir":"${NOWHERE_SET}"}`)
	r := newRig(t, engine, Options{})
	if !r.log.has("level=ERROR", "NOWHERE_SET") {
		t.Errorf("no error names the variable:\n%s", r.log)
	}
	got := r.must("configuration::get", map[string]any{"id": Name, "raw": true})["value"].(map[string]any)["lease_dir"]
	if got != "${NOWHERE_SET}" {
		t.Errorf("the stored value became %v, want it untouched", got)
	}
}

func TestABadSeedFileIsAnErrorWithItsPlace(t *testing.T) {
	t.Parallel()
	path := seedIn(t, "tail_turns: 3\nreserved_pct: 101\n")
	r := newRig(t, startEngine(t, devengine.Options{}), Options{ConfigFile: path})
	if !r.log.has("level=ERROR", "config.yaml:2", "reserved_pct") {
		t.Errorf("no error names file, line and key:\n%s", r.log)
	}
	if got := r.worker.live.Load().TailTurns; got != 2 {
		t.Errorf("tail_turns = %d, want the default 2: a bad file is not used in part", got)
	}
}

// A watch begins with what is there; that is no news.
func TestWhatIsWrongWithASeedFileIsSaidOnce(t *testing.T) {
	t.Parallel()
	missing := filepath.Join(t.TempDir(), "config.yaml")
	for name, tt := range map[string]struct{ path, said, next string }{
		"a bad value":    {seedIn(t, "reserved_pct: 101\n"), "level=ERROR", "tail_turns: 5\n"},
		"an odd key":     {seedIn(t, "tail_turns: 3\nno_such_key: 1\n"), "no_such_key", "tail_turns: 5\n"},
		"no file at all": {missing, "cannot be read", "tail_turns: 5\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, startEngine(t, devengine.Options{}), Options{ConfigFile: tt.path})
			// What is read next is read after what was there.
			write(t, tt.path, tt.next)
			r.until("the edit", func() bool { return r.worker.live.Load().TailTurns == 5 })
			if n := strings.Count(r.log.String(), tt.said); n != 1 || r.log.has("is gone") {
				t.Errorf("%q stands %d times in the log, want once:\n%s", tt.said, n, r.log)
			}
		})
	}
}

// First boot with a file, second boot with the file that lost, third without.
func TestTheThreeBootStory(t *testing.T) {
	t.Parallel()
	engine := startEngine(t, devengine.Options{ConfigDir: t.TempDir()})
	path := seedIn(t, "reserved_pct: 15\n")

	r := newRig(t, engine, Options{ConfigFile: path})
	if got := r.worker.live.Load().ReservedPct; got != 15 {
		t.Fatalf("first boot: reserved_pct = %d, want the seed's 15", got)
	}
	r.set(map[string]any{"reserved_pct": 30})
	if err := r.stop(); err != nil {
		t.Fatal(err)
	}

	r = newRig(t, engine, Options{ConfigFile: path})
	if got := r.worker.live.Load().ReservedPct; got != 30 {
		t.Fatalf("second boot: reserved_pct = %d, want the stored 30", got)
	}
	if n := strings.Count(r.log.String(), "wins over the settings file"); n != 1 || !r.log.has("wins over", "reserved_pct") {
		t.Errorf("second boot: %d warnings of the difference, want one that names the key:\n%s", n, r.log)
	}
	if err := r.stop(); err != nil {
		t.Fatal(err)
	}
	if err := engine.Restart(0); err != nil { // which loses the schema, not the value
		t.Fatal(err)
	}

	r = newRig(t, engine, Options{})
	if got := r.worker.live.Load().ReservedPct; got != 30 {
		t.Errorf("third boot, without a file: reserved_pct = %d, want the stored 30", got)
	}
}

func TestAnotherConfigurationIDIsHonoured(t *testing.T) {
	t.Parallel()
	r := newRig(t, startEngine(t, devengine.Options{}), Options{ConfigID: "other-id"})
	r.must("configuration::set", map[string]any{"id": "other-id", "value": map[string]any{"reserved_pct": 33}})
	r.until("reserved_pct 33", func() bool { return r.worker.live.Load().ReservedPct == 33 })
}

func TestAnEngineWithoutConfigurationWorkerEndsTheWorker(t *testing.T) {
	t.Parallel()
	engine := startEngine(t, devengine.Options{DisableConfiguration: true})
	w := New(Options{URL: engine.URL(), Logger: slog.New(slog.DiscardHandler)})
	if w.source.tries != 6 || w.source.tryTime != 5*time.Second {
		t.Errorf("%d tries of %v, want 6 of 5s", w.source.tries, w.source.tryTime)
	}
	w.source.tryTime = time.Millisecond
	err := w.Run(context.Background())
	if err == nil || !strings.Contains(err.Error(), "tried 6 times") || !strings.Contains(err.Error(), "configuration worker") {
		t.Errorf("Run returned %v, want a clear message after 6 tries", err)
	}
}

func TestABadConfigurationIDEndsTheWorkerAtOnce(t *testing.T) {
	t.Parallel()
	engine := startEngine(t, devengine.Options{})
	w := New(Options{URL: engine.URL(), ConfigID: "Not::Allowed"})
	if err := w.Run(context.Background()); err == nil || !strings.Contains(err.Error(), "INVALID_ID") {
		t.Errorf("Run returned %v, want INVALID_ID", err)
	}
}

func TestAnEngineThatIsDownIsWaitedForWithoutCounting(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	l.Close()
	dialled := make(chan struct{}, 64)
	serving := make(chan struct{})
	w := New(Options{URL: "ws://" + address, OnServing: func() { close(serving) },
		OnDialError: func(error, int) { signal(dialled) }})
	w.source.tryTime = time.Nanosecond // a counted try would be over at once
	ctx, cancel := context.WithCancel(context.Background())
	ran := make(chan error, 1)
	go func() { ran <- w.Run(ctx) }()
	for range 3 {
		select {
		case <-dialled:
		case err := <-ran:
			t.Fatalf("the worker gave up: %v", err)
		}
	}
	startEngine(t, devengine.Options{Listen: address})
	select {
	case <-serving:
	case err := <-ran:
		t.Fatalf("the worker gave up: %v", err)
	case <-time.After(patience):
		t.Error("the worker does not serve once the engine is up")
	}
	cancel()
	if err := <-ran; err != nil {
		t.Errorf("Run returned %v, want nil", err)
	}
}
