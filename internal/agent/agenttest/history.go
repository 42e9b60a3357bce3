package agenttest

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
)

// History makes the history of a coding agent as a JSON array: user prompts,
// answers with thinking, calls and usage, outputs of commands and file reads as
// function results, the odd custom message and inline result. It has exactly
// the given number of messages and about the given number of bytes, nine tenths
// of them in function results of very uneven size. Every call is answered, and
// the same arguments always give the same bytes.
func History(seed uint64, messages, size int) []byte {
	w := &historian{rand: rand.New(rand.NewPCG(seed, uint64(messages)<<32|uint64(size)))}
	w.plan(messages)
	if len(w.results) == 0 && len(w.list) > 0 { // too short for a call: the prompt is long instead
		text := Text("")
		w.list[0]["content"] = []Block{text}
		w.results = []output{{weight: 1, block: text}}
	}
	fixed := 0
	for _, m := range w.list {
		fixed += len(JSON(m))
	}
	total := 0.0
	for _, r := range w.results {
		total += r.weight
	}
	for _, r := range w.results {
		const escapes = 1.09 // what escapes add to a text once it is JSON
		r.fill(w.output(int(r.weight / total * float64(max(size-fixed, 0)) / escapes)))
	}
	var out bytes.Buffer
	out.Grow(size + size/8)
	out.WriteByte('[')
	for i, m := range w.list {
		if i > 0 {
			out.WriteByte(',')
		}
		out.Write(JSON(m))
	}
	out.WriteByte(']')
	return out.Bytes()
}

// historian plans the messages first and fills the outputs afterwards, so that
// the size comes out right.
type historian struct {
	rand    *rand.Rand
	list    []Message
	results []output
	calls   int
}

// output is a function result that still lacks its text.
type output struct {
	weight float64
	block  Block
}

func (o output) fill(text string) { o.block["text"] = text }

func (w *historian) add(m Message) {
	w.list = append(w.list, m.With("timestamp", FirstTimestamp+len(w.list)))
}

func (w *historian) plan(messages int) {
	for len(w.list) < messages {
		w.add(User(w.prose(60 + w.rand.IntN(240))))
		for steps := 2 + w.rand.IntN(10); steps > 0 && messages-len(w.list) >= 4; steps-- {
			w.step()
		}
		if len(w.list) < messages {
			w.add(w.answer(Text(w.prose(100 + w.rand.IntN(400)))))
		}
		if len(w.list) < messages && w.rand.IntN(8) == 0 {
			w.add(Custom("ui_marker", Bookkeeping).With("display", nil))
		}
	}
}

// step is one round of an agent: an answer that asks for one or two calls, and
// their results.
func (w *historian) step() {
	blocks := []Block{}
	if w.rand.IntN(3) == 0 {
		blocks = append(blocks, Thinking(w.prose(80+w.rand.IntN(200)), w.token(48)))
	}
	if w.rand.IntN(2) == 0 {
		blocks = append(blocks, Text(w.prose(30+w.rand.IntN(90))))
	}
	var results []Message
	for range 1 + w.rand.IntN(5)/4 {
		w.calls++
		id := fmt.Sprintf("call_%04d_%s", w.calls, w.token(8))
		call := w.call(id)
		blocks = append(blocks, call)
		text := Text("")
		result := ResultBlocks(id, call["function_id"].(string), text)
		if w.rand.IntN(12) == 0 {
			result = UserBlocks(ResultBlock(id, "").With("content", []Block{text}))
		}
		u := w.rand.Float64()
		w.results = append(w.results, output{weight: 0.05 + u*u*u*u*6, block: text})
		results = append(results, result)
	}
	w.add(w.answer(blocks...))
	for _, r := range results {
		w.add(r)
	}
}

func (w *historian) call(id string) Block {
	path := "internal/" + w.word() + "/" + w.word() + ".go"
	switch w.rand.IntN(3) {
	case 0:
		return CallBlock(id, "shell::run").With("arguments", map[string]any{
			"command": "go test ./" + path[:strings.LastIndexByte(path, '/')] + "/... 2>&1 | tail -40", "timeout_ms": 120000,
		})
	case 1:
		return CallBlock(id, "files::edit").With("arguments", map[string]any{
			"path": path, "old": w.source(80), "new": w.source(120),
		})
	}
	return CallBlock(id, "files::read").With("arguments", map[string]any{"path": path, "lines": []int{1, 400}})
}

func (w *historian) answer(blocks ...Block) Message {
	return AssistantBlocks(blocks...).With("usage", map[string]any{
		"cache_read": w.rand.IntN(90000), "cost_usd": float64(w.rand.IntN(9000)) / 1e5,
		"input": w.rand.IntN(4000), "output": w.rand.IntN(2000),
	})
}

// output is what a call answers with: mostly source, sometimes prose.
func (w *historian) output(n int) string {
	if w.rand.IntN(5) == 0 {
		return w.prose(n)
	}
	return w.source(n)
}
