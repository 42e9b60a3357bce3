package main

// mutation is one way to break the code.
type mutation struct {
	name, file string
	old, new   string
}

var mutations = []mutation{
	{"drop the open-call check", "internal/window/tail.go",
		"return !p.Holds(i)", "return true"},
	{"a cut is held only at the answer", "internal/window/pairing.go",
		"p.held[call+1]++", "p.held[i]++"},
	{"a result answers the oldest call", "internal/window/pairing.go",
		"s.top = c.below", "s.top = -1"},
	{"inline results are not looked for", "internal/window/pairing.go",
		"p.answer(t, i, b.CallID())\n\t\t\tp.walk", "p.walk"},
	{"reverse the scan", "internal/window/prune.go",
		"for i := len(v.messages) - 1; i >= 0; i-- {", "for i := range v.messages {"},
	{"prune grows small outputs", "internal/window/prune.go",
		"if len(text) >= length {", "if false {"},
	{"prune rewrites its own placeholder", "internal/window/prune.go",
		"uint64(length) <= o.MaxOutput || isPlaceholder(m)", "uint64(length) <= o.MaxOutput"},
	{"a rewritten result loses other blocks", "internal/agent/splice.go",
		"t != BlockText && t != BlockImage {", "t == BlockUnknown {"},
	{"references replace a denied envelope", "internal/window/reduce.go",
		"if !m.Denied() {", "if true {"},
	{"references may grow a result", "internal/window/reduce.go",
		"if size >= v.sizes[i] {", "if false {"},
	{"reduce stops one result early", "internal/window/reduce.go",
		"if out.Tokens >= need {", "if out.Tokens > 0 {"},
	{"skip the recount of a rewritten message", "internal/window/view.go",
		"v.sizes[i] = v.sizer.Message(&v.messages[i])\n\tv.total", "v.total"},
	{"return a context that does not fit", "functions/assemble.go",
		"if a.over() > 0 {\n\t\treturn a.overflow()", "if false {\n\t\treturn a.overflow()"},
	{"forget the overhead", "functions/assemble.go",
		"window.Add(a.est.SystemPrompt(system), a.tools, a.overhead)", "window.Add(a.est.SystemPrompt(system), a.tools)"},
	{"customs reach the model", "functions/assemble.go",
		"m.Role() != agent.RoleCustom", "true"},
	{"the tail index counts without customs", "functions/assemble_compact.go",
		"index := uint(a.view.Origin(out.tail.Start))", "index := uint(out.tail.Start)"},
	{"the old summary stays in the prompt", "functions/assemble_compact.go",
		"a.system = joinPrompt(deref(a.req.SystemPrompt), out.summary)", "a.system = joinPrompt(a.system, out.summary)"},
	{"use a blank summary", "functions/chunks.go",
		"if err == nil && summary.Blank(text) {", "if false {"},
	{"use a summary that saves nothing", "functions/compaction.go",
		"if c.est.Text([]byte(text)) >= before ||", "if false &&"},
	{"pay for a summary that cannot help", "functions/assemble_compact.go",
		"if bare < 0 {\n\t\treturn t, SkipFloor\n\t}", "if bare < 0 {\n\t\tbare = t.Start\n\t}"},
	{"warn of nothing", "functions/assemble.go",
		"for _, l := range a.pairing.Loose {", "for _, l := range a.pairing.Loose[:0] {"},
}
