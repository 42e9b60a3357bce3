package devengine_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"context-manager/internal/devengine"
)

// scenario is one case of testdata/wire/cases.
type scenario struct {
	Name      string           `json:"name"`
	About     string           `json:"about"`
	Slow      bool             `json:"slow"` // plays with the others here
	Steps     []map[string]any `json:"steps"`
	Leftovers []string         `json:"leftovers"`
}

// TestWire plays every scenario recorded from the iii engine, each against an
// engine of its own. Those with large messages come after the others, which
// count on a machine that is not busy.
func TestWire(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/wire/cases/*.json")
	if err != nil || len(files) != 6 {
		t.Fatalf("got %d case files (%v), want 6", len(files), err)
	}
	var small, large []scenario
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var cases []scenario
		if err := json.Unmarshal(text, &cases); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		if len(cases) == 0 {
			t.Fatalf("%s: no cases", file)
		}
		for _, c := range cases {
			c.Name = strings.TrimSuffix(filepath.Base(file), ".json") + "/" + c.Name
			if strings.Contains(string(compact(c.Steps)), "$repeat") {
				large = append(large, c)
			} else {
				small = append(small, c)
			}
		}
	}
	t.Run("small", func(t *testing.T) {
		for _, c := range small {
			t.Run(c.Name, func(t *testing.T) {
				t.Parallel()
				c.run(t)
			})
		}
	})
	t.Run("large", func(t *testing.T) {
		for _, c := range large {
			t.Run(c.Name, c.run)
		}
	})
}

func (c scenario) run(t *testing.T) {
	e := devengine.New(devengine.Options{})
	if err := e.Start(); err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	if err := play(c, e.URL()); err != nil {
		t.Errorf("%s\n%v", c.About, err)
	}
}

// player is a scenario under way.
type player struct {
	url   string
	vars  map[string]any
	peers map[string]*peer
}

func play(c scenario, url string) error {
	p := &player{url: url, vars: map[string]any{"run": uuid.NewString()[:8], "url": url}, peers: map[string]*peer{}}
	defer func() {
		for _, k := range p.peers {
			k.kill()
		}
	}()
	for i, s := range c.Steps {
		if err := p.step(s); err != nil {
			return fmt.Errorf("step %d %s\n%w", i+1, short(s), err)
		}
	}
next:
	for name, k := range p.peers {
		for _, l := range c.Leftovers {
			if l == name {
				continue next
			}
		}
		if rest := k.waiting(); rest != "" {
			return fmt.Errorf("left over on %s: %s", name, rest)
		}
	}
	return nil
}

func millis(s map[string]any, name string, otherwise float64) time.Duration {
	n, ok := s[name].(float64)
	if !ok {
		n = otherwise
	}
	return time.Duration(n) * time.Millisecond
}

// step plays one step; which one it is, its first known key says.
func (p *player) step(s map[string]any) error {
	// What must come may take longer on a busy machine than a scenario says.
	within := max(patience, millis(s, "within", 0))
	for _, verb := range []string{"open", "socket", "channel", "send", "expect", "call", "quiet", "closed", "close", "kill"} {
		name, ok := s[verb].(string)
		if !ok {
			continue
		}
		switch verb {
		case "open":
			return p.open(name, s, within)
		case "socket":
			return p.dial(name, p.url+s["path"].(string))
		case "channel":
			return p.channel(name, s)
		}
		k := p.peers[name]
		if k == nil {
			return fmt.Errorf("no connection %s", name)
		}
		switch verb {
		case "send":
			p.send(k, s)
		case "expect":
			return p.expect(k, s, within)
		case "call":
			return p.call(k, s, within)
		case "quiet":
			<-time.After(millis(s, "ms", 150))
			if rest := k.waiting(); rest != "" {
				return fmt.Errorf("%s: unexpected %s", name, rest)
			}
		case "closed":
			return k.wantClosed(s["code"], within)
		case "close":
			k.close()
		case "kill":
			k.kill()
		}
		return nil
	}
	if _, ok := s["wait"]; ok {
		<-time.After(millis(s, "wait", 0))
		return p.settle()
	}
	return fmt.Errorf("unknown step")
}

// settle makes sure that a wait was long enough for what was sent before it,
// however busy the machine is: a pong comes behind everything.
func (p *player) settle() error {
	for _, k := range p.peers {
		if !k.worker || k.over() {
			continue
		}
		k.sendText([]byte(`{"type":"ping"}`))
		pong := map[string]any{"type": "pong"}
		if err := k.take("frame", pong, p.vars, patience); err != nil && !k.over() {
			return err
		}
	}
	return nil
}

func (p *player) dial(name, url string) error {
	k, err := dialPeer(name, url)
	if err == nil {
		p.peers[name] = k
	}
	return err
}

func (p *player) open(name string, s map[string]any, within time.Duration) error {
	if err := p.dial(name, p.url); err != nil {
		return err
	}
	k := p.peers[name]
	k.worker = true
	hello := map[string]any{"type": "workerregistered", "worker_id": "$uuid(" + name + ".id)", "reattach_token": "$uuid(" + name + ".token)"}
	if err := k.take("frame", hello, p.vars, within); err != nil {
		return err
	}
	extra, ok := s["register"].(map[string]any)
	if !ok {
		return nil
	}
	data := map[string]any{"runtime": "conformance", "name": "${run}-" + name, "pid": 1}
	for key, v := range extra {
		data[key] = v
	}
	return p.call(k, map[string]any{"function": "engine::workers::register", "data": data, "result": map[string]any{"success": true}}, within)
}

func (p *player) channel(name string, s map[string]any) error {
	query, ok := s["query"].(string)
	if !ok {
		query = fmt.Sprintf("?key=%v&dir=%v", s["key"], s["dir"])
	}
	url := p.url + fill("/ws/channels/"+s["id"].(string)+query, p.vars).(string)
	want, refused := s["refused"]
	if !refused {
		return p.dial(name, url)
	}
	status, body, err := dialRefused(url)
	if err != nil {
		return err
	}
	if why := mismatch(want, map[string]any{"status": float64(status), "body": body}, map[string]any{}, ""); why != "" {
		return fmt.Errorf("upgrade: %s", why)
	}
	return nil
}

func (p *player) send(k *peer, s map[string]any) {
	if v, ok := s["text"].(string); ok {
		k.sendText([]byte(fill(v, p.vars).(string)))
	} else if v, ok := s["binary"].(string); ok {
		k.sendBinary(latin1(fill(v, p.vars).(string)))
	} else if v, ok := s["ping"].(string); ok {
		k.sendPing(v)
	} else if n, ok := s["fragments"].(float64); ok {
		k.sendFragments(compact(fill(s["frame"], p.vars)), int(n))
	} else {
		k.sendText(compact(fill(s["frame"], p.vars)))
	}
}

func (p *player) expect(k *peer, s map[string]any, within time.Duration) error {
	if frames, ok := s["frames"].([]any); ok {
		for _, f := range frames {
			if err := k.take("frame", f, p.vars, within); err != nil {
				return err
			}
		}
		return nil
	}
	for _, what := range []string{"text", "binary", "pong", "frame"} {
		if want, ok := s[what]; ok {
			return k.take(what, want, p.vars, within)
		}
	}
	return fmt.Errorf("nothing to expect")
}

func (p *player) call(k *peer, s map[string]any, within time.Duration) error {
	id := uuid.NewString()
	frame := map[string]any{"type": "invokefunction", "invocation_id": id, "function_id": s["function"], "data": map[string]any{}}
	if data, ok := s["data"]; ok {
		frame["data"] = data
	}
	extra, _ := s["extra"].(map[string]any)
	for key, v := range extra {
		frame[key] = v
	}
	k.sendText(compact(fill(frame, p.vars)))
	want := map[string]any{"type": "invocationresult", "invocation_id": id, "function_id": s["function"]}
	echo, _ := s["echo"].(map[string]any)
	for key, v := range echo {
		want[key] = v
	}
	result, hasResult := s["result"]
	if bad, ok := s["error"]; ok {
		want["error"] = bad
	} else if !hasResult {
		want["result"] = "$any"
	} else if result != "$absent" {
		want["result"] = result
	}
	return k.take("frame", want, p.vars, within)
}
