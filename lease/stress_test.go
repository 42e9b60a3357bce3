//go:build unix

package lease_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"testing"
	"time"
)

const holders = 50

// stress is fifty processes contending for one key, one observer, and this
// process, which kills and replaces.
type stress struct {
	t       *testing.T
	dir     string
	marks   *os.File // write end, shared with the holders
	running map[int]*holder
	nextID  int
}

type holder struct {
	cmd   *exec.Cmd
	stdin io.WriteCloser
}

// Holders are killed at random while fifty processes contend for one key, and
// no two ever hold it at once. It lasts 3 s, or LEASE_STRESS_SECONDS; a slow
// machine gets more time until enough has happened.
func TestStress(t *testing.T) {
	t.Parallel()
	seconds, wantAcquisitions, wantKills := 3, 20, 3
	if text := os.Getenv("LEASE_STRESS_SECONDS"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 {
			t.Fatalf("LEASE_STRESS_SECONDS = %q, want a number of seconds", text)
		}
		if seconds = n; n >= 20 {
			wantAcquisitions, wantKills = 200, 20
		}
	}
	b := setup(t)
	seen, marks, finish := startObserver(t)
	s := &stress{t: t, dir: b.dir, marks: marks, running: map[int]*holder{}}
	for range holders {
		s.start()
	}
	s.churn(seen, time.Duration(seconds)*time.Second, wantAcquisitions, wantKills)
	s.stop()
	v := finish()
	t.Logf("%d acquisitions, %d holders killed, %d processes killed, %d renewals, %d leases lost",
		v.Acquisitions, v.Kills, s.nextID-holders, v.Renewals, v.Lost)
	if len(v.Overlaps) != 0 {
		t.Errorf("%d overlaps, want none; the first: %+v", len(v.Overlaps), v.Overlaps[0])
	}
	if v.Acquisitions < wantAcquisitions || v.Kills < wantKills {
		t.Errorf("%d acquisitions and %d kills of holders, want at least %d and %d", v.Acquisitions, v.Kills, wantAcquisitions, wantKills)
	}
	if removed, err := b.open(t).Sweep(t.Context()); err != nil {
		t.Errorf("Sweep = %d, %v, want no error", removed, err)
	}
}

// sight is what the observer tells while it runs.
type sight struct {
	kind string // begin or killed
	id   int
}

// startObserver returns what the observer sees, the file that takes marks, and
// what ends the observer.
func startObserver(t *testing.T) (seen <-chan sight, marks *os.File, finish func() verdict) {
	t.Helper()
	cmd, stdin := self(t, "observer", "", 0)
	stdin.Close()
	read, marks, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stdin = read
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	read.Close()
	sights, last := make(chan sight, 1024), make(chan string, 1)
	go func() {
		defer close(sights)
		text := ""
		for lines := bufio.NewScanner(stdout); lines.Scan(); {
			text = lines.Text()
			var s sight
			if n, _ := fmt.Sscan(text, &s.kind, &s.id); n != 2 {
				break
			}
			select {
			case sights <- s:
			default: // nobody looks any more
			}
		}
		last <- text
	}()
	return sights, marks, func() (v verdict) {
		marks.Close()
		text := <-last
		if err := cmd.Wait(); err != nil {
			t.Fatalf("observer: %v", err)
		}
		if err := json.Unmarshal([]byte(text), &v); err != nil {
			t.Fatalf("verdict %q: %v", text, err)
		}
		return v
	}
}

func (s *stress) start() {
	s.t.Helper()
	s.nextID++
	cmd, stdin := self(s.t, "holder", s.dir, s.nextID)
	cmd.ExtraFiles = []*os.File{s.marks}
	if err := cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	s.running[s.nextID] = &holder{cmd, stdin}
}

// kill ends a process for good, marks when it was dead, and replaces it.
func (s *stress) kill(id int) {
	s.t.Helper()
	h := s.running[id]
	kill(s.t, h.cmd)
	fmt.Fprintf(s.marks, "killed %d %d\n", id, time.Now().UnixNano())
	h.stdin.Close()
	delete(s.running, id)
	s.start()
}

// churn kills a holder a random moment after it began, every 0.4 to 0.7 s, and
// between those anybody. It goes on for the given time, and for up to ten times
// as long until enough has been seen.
func (s *stress) churn(seen <-chan sight, length time.Duration, acquisitions, kills int) {
	s.t.Helper()
	enough, tooLong := time.After(length), time.After(10*length)
	anybody, holder := time.After(0), time.After(0)
	armed := false
	count := map[string]int{}
	for enough != nil || count["begin"] < acquisitions || count["killed"] < kills {
		select {
		case what, ok := <-seen:
			if !ok {
				s.t.Fatal("the observer is gone")
			}
			count[what.kind]++
			if armed && what.kind == "begin" && s.running[what.id] != nil {
				armed = false
				<-time.After(rand.N(2 * time.Millisecond))
				s.kill(what.id)
				holder = time.After(between(400*time.Millisecond, 700*time.Millisecond))
			}
		case <-holder:
			armed = true
		case <-anybody:
			ids := slices.Collect(maps.Keys(s.running))
			s.kill(ids[rand.N(len(ids))])
			anybody = time.After(between(200*time.Millisecond, 500*time.Millisecond))
		case <-enough:
			enough = nil
		case <-tooLong:
			return
		}
	}
}

// stop lets every process finish what it holds.
func (s *stress) stop() {
	s.t.Helper()
	for _, h := range s.running {
		h.stdin.Close()
	}
	for id, h := range s.running {
		if err := h.cmd.Wait(); err != nil {
			s.t.Errorf("holder %d: %v", id, err)
		}
	}
}
