//go:build unix

package lease_test

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
)

// span is one time that a process says it held the key, [begin, end) in
// nanoseconds since the Unix epoch.
type span struct {
	ID         string
	Begin, End int64
	until      int64 // last stamp + TTL: the promise reaches so far
}

// verdict is what the observer found.
type verdict struct {
	Acquisitions int       // spans begun
	Kills        int       // spans ended by the death of their process
	Lost         int       // spans whose process found its lease lost
	Renewals     int       // stamps after the first
	Overlaps     [][2]span // pairs that were held at once
}

// runObserver judges the marks on its standard input and tells on its standard
// output which spans begin and which a kill ends, a line each, and at last the
// verdict.
func runObserver() error {
	v, err := observe(os.Stdin, os.Stdout)
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(v)
}

// observe reads marks, "kind id ns" a line. A process marks "until" (how far
// its claim reaches) before "begin" and after each renewal, then "end" before
// it releases, or "lost". The parent marks "killed" when the process is dead.
// A span ends at its end, its kill or its until, whichever is first: this is
// all that a lease promises.
func observe(marks io.Reader, tell io.Writer) (verdict, error) {
	var v verdict
	until := map[string]int64{}
	open := map[string]*span{}
	var spans []*span
	finish := func(id string, ns int64) bool {
		s := open[id]
		if s == nil {
			return false
		}
		s.End = min(ns, s.until)
		delete(open, id)
		return true
	}
	lines := bufio.NewScanner(marks)
	for lines.Scan() {
		var kind, id string
		var ns int64
		if _, err := fmt.Sscan(lines.Text(), &kind, &id, &ns); err != nil {
			return v, fmt.Errorf("reading mark %q: %w", lines.Text(), err)
		}
		switch kind {
		case "until":
			until[id] = ns
			if s := open[id]; s != nil {
				s.until = ns
				v.Renewals++
			}
		case "begin":
			if open[id] != nil {
				return v, fmt.Errorf("%s begins twice", id)
			}
			open[id] = &span{ID: id, Begin: ns, until: until[id]}
			spans = append(spans, open[id])
			v.Acquisitions++
			fmt.Fprintln(tell, "begin", id)
		case "end":
			finish(id, ns)
		case "lost":
			finish(id, math.MaxInt64)
			v.Lost++
		case "killed":
			if finish(id, ns) {
				v.Kills++
				fmt.Fprintln(tell, "killed", id)
			}
		default:
			return v, fmt.Errorf("no such mark: %q", lines.Text())
		}
	}
	for id := range open {
		return v, fmt.Errorf("%s holds for ever", id)
	}
	slices.SortFunc(spans, func(a, b *span) int { return cmp.Compare(a.Begin, b.Begin) })
	for i, last := 1, 0; i < len(spans); i++ {
		// last ends latest of those before i; it need not be the one just before.
		if spans[last].End > spans[i].Begin {
			v.Overlaps = append(v.Overlaps, [2]span{*spans[last], *spans[i]})
		}
		if spans[i].End > spans[last].End {
			last = i
		}
	}
	return v, lines.Err()
}

// The observer itself must be able to say no.
func TestObserve(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		marks string
		want  verdict
	}{
		{"one after the other is no overlap",
			"until a 100;begin a 10;end a 20;until b 120;begin b 20;end b 30", verdict{Acquisitions: 2}},
		{"at once is an overlap, whatever the order of the marks",
			"until b 120;begin b 19;until a 100;begin a 10;end b 30;end a 20", verdict{Acquisitions: 2, Overlaps: make([][2]span, 1)}},
		{"a short span inside a long one is an overlap although others lie between",
			"until a 100;begin a 10;until b 90;begin b 20;end b 30;until c 95;begin c 40;end c 50;end a 60",
			verdict{Acquisitions: 3, Overlaps: make([][2]span, 2)}},
		{"a killed holder holds until its kill",
			"until a 100;begin a 10;until b 120;begin b 40;killed a 30;end b 50", verdict{Acquisitions: 2, Kills: 1}},
		{"a killed holder holds no less than until its kill",
			"until a 100;begin a 10;until b 120;begin b 29;killed a 30;end b 50",
			verdict{Acquisitions: 2, Kills: 1, Overlaps: make([][2]span, 1)}},
		{"a process killed between two spans is no killed holder",
			"until a 100;begin a 10;end a 20;killed a 30", verdict{Acquisitions: 1}},
		{"a holder that slept holds as far as its stamp reached",
			"until a 100;begin a 10;until b 200;begin b 100;lost a 150;end b 160", verdict{Acquisitions: 2, Lost: 1}},
		{"a renewal reaches further",
			"until a 100;begin a 10;until a 140;until b 200;begin b 130;end a 150;end b 160",
			verdict{Acquisitions: 2, Renewals: 1, Overlaps: make([][2]span, 1)}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := observe(strings.NewReader(strings.ReplaceAll(tt.marks, ";", "\n")), io.Discard)
			if err != nil {
				t.Fatal(err)
			}
			if len(got.Overlaps) != len(tt.want.Overlaps) {
				t.Errorf("overlaps = %v, want %d", got.Overlaps, len(tt.want.Overlaps))
			}
			got.Overlaps, tt.want.Overlaps = nil, nil
			if fmt.Sprint(got) != fmt.Sprint(tt.want) {
				t.Errorf("verdict = %+v, want %+v", got, tt.want)
			}
		})
	}
}
