package functions_test

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"context-manager/internal/agent/agenttest"
)

// story makes one random history and remembers which classes of trouble are
// in it.
type story struct {
	r       *rand.Rand
	list    []agenttest.Message
	classes map[string]bool
	pending []agenttest.Message // answers that are still to come
	ids     int
	noUser  bool
}

// classes of histories and of outcomes that the properties are about. Each must
// make up at least one per cent of the cases, or the test fails.
var classes = []string{
	"parallel", "interleaved", "late", "inline", "recurring id", "orphan", "duplicate",
	"no user", "all custom", "unknown block", "emoji", "thinking", "denied", "fits", "huge newest",
	"over x1.01", "over x2", "over x50",
	"answered", "pruned", "compacted", "reduced", "overflow",
}

// newStory makes the i-th history of a run. The rare shapes come by number and
// not by chance, so that a short run has its share of them whatever the seed.
func newStory(r *rand.Rand, i int) *story {
	s := &story{r: r, classes: map[string]bool{}}
	old := false
	switch n := i % 40; {
	case n == 0:
		s.classes["all custom"] = true
		for range 1 + r.IntN(3) {
			s.add(agenttest.Custom("note", s.text(200)))
		}
		return s
	case n < 4:
		s.classes["no user"] = true
		s.noUser = true
	case n%5 == 4: // an old output that is worth pruning
		id := s.id()
		s.add(agenttest.Call(id, "shell::run"))
		s.add(agenttest.Result(id, "shell::run", s.text(4000)+strings.Repeat("old ", 500)))
		old = true
	}
	for range 1 + r.IntN(14) {
		s.segment()
		if len(s.pending) > 0 && r.IntN(2) == 0 {
			s.add(s.pending[0])
			s.pending = s.pending[1:]
		}
	}
	if r.IntN(4) > 0 { // the rest of the calls is never answered
		for _, m := range s.pending {
			s.add(m)
		}
	}
	if !s.noUser && s.r.IntN(10) == 0 {
		s.classes["huge newest"] = true
		s.add(agenttest.User(strings.Repeat("too much ", 900)))
	}
	if old {
		s.add(agenttest.User("go"))
		s.add(agenttest.User("on"))
	}
	if s.noUser && len(s.list) == 0 {
		s.add(agenttest.Assistant("hm"))
	}
	return s
}

func (s *story) add(m agenttest.Message) {
	if s.noUser && m["role"] == "user" {
		return
	}
	if s.r.IntN(6) == 0 {
		m = m.With("extra_member", s.r.IntN(9))
	}
	s.list = append(s.list, m)
}

func (s *story) id() string {
	if s.r.IntN(12) == 0 {
		s.classes["recurring id"] = true
		return "again"
	}
	s.ids++
	return fmt.Sprint("c", s.ids)
}

func (s *story) text(most int) string {
	n := s.r.IntN(most + 1)
	if s.r.IntN(8) == 0 {
		s.classes["emoji"] = true
		return strings.Repeat("a😀é\n", n/8+1)
	}
	return strings.Repeat("lorem ", n/6+1)
}

// output is the content of a function result.
func (s *story) output() []agenttest.Block {
	most := []int{40, 300, 1200, 5000}[s.r.IntN(4)]
	blocks := []agenttest.Block{agenttest.Text(s.text(most))}
	if s.r.IntN(8) == 0 {
		s.classes["unknown block"] = true
		// A large one makes a message that no reference can make smaller.
		blocks = append(blocks, agenttest.Block{"type": "chart", "points": make([]int, 3+s.r.IntN(2)*1500)})
	}
	if s.r.IntN(8) == 0 {
		blocks = append(blocks, agenttest.Image(s.r.IntN(2000)))
	}
	if s.r.IntN(12) == 0 {
		s.classes["thinking"] = true
		blocks = append(blocks, agenttest.Thinking("hm", "sig"))
	}
	return blocks
}

func (s *story) result(id string) agenttest.Message {
	m := agenttest.ResultBlocks(id, []string{"shell::run", "coder::read"}[s.r.IntN(2)], s.output()...)
	switch s.r.IntN(8) {
	case 0:
		s.classes["denied"] = true
		return m.With("details", map[string]any{"status": "denied", "reason": s.text(80)})
	case 1:
		return m.With("details", map[string]any{"raw": s.text(800)}).With("is_error", true)
	case 2:
		return m.Without("details").Without("is_error")
	}
	return m
}

func (s *story) segment() {
	switch s.r.IntN(13) {
	case 0, 1:
		s.add(agenttest.User(s.text([]int{20, 200, 4000}[s.r.IntN(3)])))
	case 2:
		s.add(agenttest.Assistant(s.text(300)))
	case 3:
		s.classes["thinking"] = true
		s.add(agenttest.AssistantBlocks(agenttest.Thinking(s.text(100), "sig"), agenttest.Text(s.text(100))))
	case 4, 5:
		id := s.id()
		s.add(agenttest.Call(id, "shell::run"))
		s.add(s.result(id))
	case 6:
		s.classes["parallel"] = true
		a, b := s.id(), s.id()
		s.add(agenttest.AssistantBlocks(agenttest.CallBlock(a, "f::g"), agenttest.CallBlock(b, "f::h")))
		s.add(s.result(b))
		s.add(s.result(a))
	case 7:
		s.classes["interleaved"] = true
		id := s.id()
		s.add(agenttest.AssistantBlocks(agenttest.CallBlock(id, "f::g").With("arguments", map[string]any{"text": s.text(3000)})))
		s.add(agenttest.Assistant("meanwhile"))
		s.add(s.result(id))
	case 8:
		s.classes["late"] = true
		id := s.id()
		s.add(agenttest.Call(id, "f::g"))
		s.pending = append(s.pending, s.result(id))
	case 9:
		s.inline()
	case 10:
		s.loose()
	case 11:
		s.add(agenttest.Custom("note", s.text(400)))
	case 12:
		s.classes["unknown block"] = true
		s.add(agenttest.AssistantBlocks(agenttest.Text("see"), agenttest.Block{"type": "widget", "v": s.r.IntN(9)}))
	}
}

func (s *story) inline() {
	s.classes["inline"] = true
	id := s.id()
	s.add(agenttest.Call(id, "f::g"))
	answer := agenttest.UserBlocks(agenttest.Block{"type": "function_result", "function_call_id": id, "content": s.output()})
	if s.r.IntN(3) == 0 {
		answer = agenttest.UserBlocks(agenttest.Text("and"), agenttest.ResultBlock(id, s.text(200)))
	}
	if s.r.IntN(3) == 0 {
		s.classes["late"] = true
		s.pending = append(s.pending, answer)
		return
	}
	s.add(answer)
}

func (s *story) loose() {
	id := fmt.Sprint("nobody", len(s.list))
	if s.r.IntN(2) == 0 {
		s.classes["orphan"] = true
		s.add(s.result(id))
		return
	}
	s.classes["duplicate"] = true
	s.add(agenttest.Call(id, "f::g"))
	s.add(s.result(id))
	s.add(s.result(id))
}
