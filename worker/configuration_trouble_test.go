package worker

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"context-manager/config"
	"context-manager/internal/bus"
	"context-manager/internal/devengine"
)

// What goes wrong once is tried again; what is mended comes into force.

func TestACallThatIsLostIsMadeAgain(t *testing.T) {
	t.Parallel()
	path := seedIn(t, "tail_turns: 3\n")
	engine := startEngine(t, devengine.Options{})
	r := newRig(t, engine, Options{ConfigFile: path, quick: true})

	engine.Drop("configuration::get", 1)
	r.must("configuration::set", map[string]any{"id": Name, "value": map[string]any{"tail_turns": 3, "reserved_pct": 13}})
	r.eventually("a reading that was lost", func() bool { return r.worker.live.Load().ReservedPct == 13 })

	engine.Drop("configuration::set", 1)
	write(t, path, "tail_turns: 4\n")
	r.eventually("a writing that was lost", func() bool { return r.worker.live.Load().TailTurns == 4 })

	engine.Drop("configuration::register", 1)
	if err := engine.Restart(0); err != nil {
		t.Fatal(err)
	}
	r.eventually("a registration that was lost", func() bool {
		_, err := r.call("configuration::set", map[string]any{"id": Name, "value": map[string]any{"reserved_pct": 14}})
		return err == nil
	})
}

// eventually waits without asking the worker for anything.
func (r *rig) eventually(what string, holds func() bool) {
	r.t.Helper()
	deadline := time.After(patience)
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !holds() {
		select {
		case <-tick.C:
		case <-deadline:
			r.t.Fatalf("%s does not come true; the worker's log:\n%s", what, r.log)
		}
	}
}

func TestALeaseDirThatIsMendedComesIntoForce(t *testing.T) {
	t.Parallel()
	engine := startEngine(t, devengine.Options{})
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(file, "below")
	store(t, engine, fmt.Sprintf(`{"lease_dir":%q}`, dir))
	r := newRig(t, engine, Options{})
	if !r.log.has("level=ERROR", "lease_dir") {
		t.Errorf("no error names lease_dir:\n%s", r.log)
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	r.set(map[string]any{"lease_dir": dir, "reserved_pct": 20})
	if r.worker.leases.current() == nil {
		t.Error("the lease directory that can be opened now is not open")
	}
}

func TestAnUnusableLeaseDirHoldsNothingElseBack(t *testing.T) {
	t.Parallel()
	r := newRig(t, startEngine(t, devengine.Options{}), Options{})
	good := t.TempDir()
	r.set(map[string]any{"lease_dir": good})
	r.set(map[string]any{"lease_dir": "/dev/null/below", "reserved_pct": 50})
	if got := r.worker.live.Load(); got.LeaseDir != good || got.ReservedPct != 50 {
		t.Errorf("in force: lease_dir %s, reserved_pct %d, want %s and 50", got.LeaseDir, got.ReservedPct, good)
	}
}

func TestAnEditWaitsForAStoredKeyToBeMended(t *testing.T) {
	t.Parallel()
	engine := startEngine(t, devengine.Options{})
	path := seedIn(t, "tail_turns: 3\n")
	store(t, engine, `{"reserved_pct":101,"tail_turns":3}`)
	r := newRig(t, engine, Options{ConfigFile: path})
	write(t, path, "tail_turns: 5\n")
	r.until("the refusal", func() bool { return r.log.has("level=ERROR", "waits for a stored key") })
	r.set(map[string]any{"reserved_pct": 20, "tail_turns": 3})
	r.until("the edit", func() bool { return r.worker.live.Load().TailTurns == 5 })
	if got := r.worker.live.Load().ReservedPct; got != 20 {
		t.Errorf("reserved_pct = %d, want the mended 20", got)
	}
}

// Nobody could set an entry that is gone.
func TestADeletedEntryIsRegisteredAgain(t *testing.T) {
	t.Parallel()
	w := New(Options{})
	c := w.source
	set := config.Default()
	set.TailTurns = 7
	c.live.Store(&set)
	var stored json.RawMessage
	c.entry.call = func(_ context.Context, r bus.Request) (json.RawMessage, error) {
		switch r.FunctionID {
		case "configuration::register":
			var request struct {
				Value json.RawMessage `json:"initial_value"`
			}
			if err := json.Unmarshal(r.Data, &request); err != nil {
				return nil, err
			}
			stored = request.Value
		case "configuration::set":
			var request struct{ Value json.RawMessage }
			if err := json.Unmarshal(r.Data, &request); err != nil {
				return nil, err
			}
			stored = request.Value
		}
		if stored == nil {
			return nil, &bus.RemoteError{Code: "NOT_FOUND", Message: "no such entry"}
		}
		return json.Marshal(map[string]any{"value": stored})
	}
	if err := c.reread(t.Context()); err != nil || c.live.Load().TailTurns != 7 || !strings.Contains(string(stored), `"tail_turns":7`) {
		t.Errorf("got %v with %s stored, want the settings in force", err, stored)
	}
	stored = nil // and an edit of the file at the same time
	c.seed.seen, c.seed.stale = map[string]json.RawMessage{"tail_turns": json.RawMessage("5")}, true
	if err := c.forward(t.Context()); err != nil || !strings.Contains(string(stored), `"tail_turns":5`) {
		t.Errorf("got %v with %s stored, want the edit", err, stored)
	}
}

// What is bad since the boot is said once, and never that something good was
// there before.
func TestABadStoredValueIsSaidOnce(t *testing.T) {
	t.Parallel()
	engine := startEngine(t, devengine.Options{Getenv: func(string) (string, bool) { return "", false }})
	store(t, engine, `{"reserved_pct":101}`)
	r := newRig(t, engine, Options{})
	r.must("context::on-config-change", map[string]any{})
	if n := strings.Count(r.log.String(), "the stored configuration is bad"); n != 1 || r.log.has("last good settings") {
		t.Errorf("said %d times, want once, on the shipped settings:\n%s", n, r.log)
	}
	r.set(map[string]any{"reserved_pct": 20})
	r.set(map[string]any{"lease_dir": "${NOWHERE_SET}"})
	if !r.log.has("NOWHERE_SET", "last good settings") {
		t.Errorf("nothing says that the good settings stay:\n%s", r.log)
	}
}

// An engine that does not tell what it lists holds nothing up.
func TestSettingsAreFollowedWhileTheEngineIsSlowToList(t *testing.T) {
	t.Parallel()
	engine := startEngine(t, devengine.Options{})
	engine.Drop("engine::functions::info", 1000)
	log := &logBook{}
	serving := make(chan struct{})
	w := New(Options{URL: engine.URL(), OnServing: func() { close(serving) }, Logger: slog.New(slog.NewTextHandler(log, nil))})
	ctx, cancel := context.WithCancel(context.Background())
	ran := make(chan error, 1)
	go func() { ran <- w.Run(ctx) }()
	r := &rig{t: t, engine: engine, worker: w, caller: connect(t, engine.URL()), log: log}
	r.eventually("the entry", func() bool {
		_, err := r.call("configuration::set", map[string]any{"id": Name, "value": map[string]any{"reserved_pct": 17}})
		return err == nil
	})
	r.until("the setting", func() bool { return w.live.Load().ReservedPct == 17 })
	select {
	case <-serving:
		t.Error("the engine lists nothing, and the worker says that it serves")
	default:
	}
	cancel()
	if err := <-ran; err != nil {
		t.Errorf("Run returned %v, want nil", err)
	}
}

func TestATruncatedSettingsFileChangesNothing(t *testing.T) {
	t.Parallel()
	path := seedIn(t, "reserved_pct: 15\n")
	r := newRig(t, startEngine(t, devengine.Options{}), Options{ConfigFile: path})
	r.set(map[string]any{"reserved_pct": 30})
	write(t, path, "\n")
	r.eventually("the warning", func() bool { return r.log.has("level=WARN", "settings file is empty") })
	write(t, path, "reserved_pct: 15\ntail_turns: 7\n")
	r.until("the edit", func() bool { return r.worker.live.Load().TailTurns == 7 })
	if got := r.worker.live.Load().ReservedPct; got != 30 {
		t.Errorf("reserved_pct = %d, want the 30 that was set elsewhere", got)
	}
}

func TestASettingsFileThatGoesAndComesBack(t *testing.T) {
	t.Parallel()
	path := seedIn(t, "reserved_pct: 15\n")
	r := newRig(t, startEngine(t, devengine.Options{}), Options{ConfigFile: path})
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	r.eventually("the warning", func() bool { return r.log.has("level=WARN", "settings file is gone") })
	if got := r.worker.live.Load().ReservedPct; got != 15 {
		t.Errorf("reserved_pct = %d without the file, want 15", got)
	}
	write(t, path, "reserved_pct: 16\n")
	r.until("the edit", func() bool { return r.worker.live.Load().ReservedPct == 16 })
}

func TestTwentyEditsEndWithTheLast(t *testing.T) {
	t.Parallel()
	path := seedIn(t, "reserved_pct: 0\n")
	r := newRig(t, startEngine(t, devengine.Options{}), Options{ConfigFile: path})
	for i := range 20 {
		write(t, path, fmt.Sprintf("reserved_pct: %d\n", i+1))
	}
	r.until("the last edit", func() bool { return r.worker.live.Load().ReservedPct == 20 })
}

// An entry whose value is null under a schema that wants an object looks like
// one that is bad; it is empty.
func TestAnEntryWithoutAValueIsSeeded(t *testing.T) {
	t.Parallel()
	engine := startEngine(t, devengine.Options{})
	c := connect(t, engine.URL())
	register(t, c, `{"id":"context-manager","name":"n","description":"d","schema":`+string(config.Schema())+`}`)
	r := newRig(t, engine, Options{ConfigFile: seedIn(t, "reserved_pct: 15\n")})
	stored := r.must("configuration::get", map[string]any{"id": Name})["value"].(map[string]any)
	if got := r.worker.live.Load().ReservedPct; got != 15 || stored["reserved_pct"] != 15.0 {
		t.Errorf("reserved_pct = %d in force, %v stored, want the seed's 15", got, stored["reserved_pct"])
	}
}

func TestAProblemThatGoesOnIsLoggedOnce(t *testing.T) {
	t.Parallel()
	engine := startEngine(t, devengine.Options{})
	store(t, engine, `{"reserved_pct":101}`)
	r := newRig(t, engine, Options{})
	for range 5 {
		r.must("context::on-config-change", map[string]any{})
	}
	// Once at boot, and once for what that means afterwards.
	if n := strings.Count(r.log.String(), "the stored configuration is bad"); n > 2 {
		t.Errorf("%d complaints of one problem, want at most 2:\n%s", n, r.log)
	}
}

func TestFixedSettingsIgnoreTheNotice(t *testing.T) {
	t.Parallel()
	set := config.Default()
	set.LeaseDir = t.TempDir()
	r := newRig(t, startEngine(t, devengine.Options{}), Options{Settings: &set})
	if got := r.must("context::on-config-change", map[string]any{})["ok"]; got != true {
		t.Errorf("ok = %v, want true at once", got)
	}
}

func TestSettingsOfAWorkerInANamespace(t *testing.T) {
	t.Parallel()
	engine := startEngine(t, devengine.Options{})
	r := newRig(t, engine, Options{Namespace: "blue"})
	r.must("configuration::set", map[string]any{"id": Name, "value": map[string]any{"reserved_pct": 42}})
	r.eventually("the engine's notice in the namespace", func() bool { return r.worker.live.Load().ReservedPct == 42 })
}

func TestAnOldClaimIsSweptWhenTheDirectoryIsOpened(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	claim := filepath.Join(dir, "context_lease", "old.json")
	if err := os.MkdirAll(filepath.Dir(claim), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(claim, []byte(`{"nonce":"n","ts":1000}`), 0o600); err != nil {
		t.Fatal(err)
	}
	r := newRig(t, startEngine(t, devengine.Options{}), Options{})
	r.set(map[string]any{"lease_dir": dir})
	r.eventually("the sweep", func() bool { _, err := os.Stat(claim); return os.IsNotExist(err) })
}
