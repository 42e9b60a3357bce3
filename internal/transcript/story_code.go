package main

// readTheCode is the first turn: the agent learns how assemble works.
func readTheCode(s *session) {
	s.user("I am new to this repository. When a conversation is too large for a model, how does context::assemble decide what " +
		"goes? Read the code before you answer, I do not want a guess. I want the order of the passes, the files they live in, " +
		"and what each of them never touches.")
	s.act("I start with the map: which packages there are, and what has been going on lately.",
		shell("go list -f '{{.ImportPath}}: {{.Doc}}' ./..."),
		shell("git log --stat --format='%h %s' -n 12"))
	s.act("functions holds the handlers and internal/window the passes. How large are they, and where does the call come in?",
		shell("wc -l functions/*.go internal/window/*.go"),
		search(`^func \(s \*Service\)`, "functions"))
	s.act("assemble.go is the pipeline. I read it together with its compaction half.",
		read("functions/assemble.go"),
		read("functions/assemble_compact.go"))
	s.act("fit() is the order: prune, then compact, then reduce, each only while over() is not zero. All of them work on a window.View; "+
		"I read that and the budget it is measured against.",
		read("internal/window/doc.go"),
		read("internal/window/view.go"),
		read("internal/window/budget.go"))
	s.act("Now the first pass and the texts it leaves behind.",
		read("internal/window/prune.go"),
		read("internal/window/placeholder.go"))
	s.act("Reduce is the last resort. It sorts by size, so the largest result goes first.",
		read("internal/window/reduce.go"))
	s.act("In between, a summary may replace a head. Where that head ends is the tail's business, and the tail asks the pairing "+
		"whether a cut would part a call from its answer.",
		read("internal/window/tail.go"),
		read("internal/window/pairing.go"))
	s.act("The compaction itself: lease, tail, prompt, summariser, validation, release. chunks.go is what happens when the head is larger than the model.",
		read("functions/compaction.go"),
		read("functions/chunks.go"),
		read("functions/ports.go"))
	s.act("What does the summariser get to see of the head?",
		read("internal/summary/doc.go"),
		read("internal/summary/render.go"),
		read("internal/summary/prompt.go"))
	s.act("One thing is still unclear to me: how a pass rewrites a message without losing members that nobody here knows. That must be in internal/agent.",
		shell("go doc -all ./internal/agent"),
		search("func .m .Message. With", "internal/agent"))
	s.act("And what a caller can ask for: the request and answer types.",
		read("functions/types_assemble.go"),
		read("functions/overflow.go"))
	s.say(`The order stands in fit() in functions/assemble.go, and each pass runs only while the context does not fit:

1. Prune (internal/window/prune.go). Walks from the newest message to the oldest. It looks at nothing before two user turns are behind it, then leaves the newest protect_recent_tokens of function output alone, and replaces every older output of more than max_output_chars bytes by "[output pruned: was ~N tokens]". If all of that would free less than min_free_tokens, it changes nothing.
2. Compact (functions/compaction.go, assemble_compact.go, chunks.go). Takes a lease, chooses a tail (internal/window/tail.go), has the head before it summarised, and refuses a summary that is blank, cut, or no smaller than what it replaces. Before the summariser is asked at all, the floor is checked: when even the smallest tail cannot fit, nothing is paid for.
3. Reduce (internal/window/reduce.go). Replaces the largest function results by references with a hash and a preview until enough is free. Nothing is exempt here, because the alternative is an error.

If it still does not fit, the caller gets context/overflow with the largest messages named (functions/overflow.go).

What is never touched: a user message by prune and reduce; the order of messages; a pair of call and answer; members and blocks that nobody here knows, because a rewrite splices new bytes into a copy (WithContent, WithText and WithDetails in internal/agent) and leaves all the others where they were.`)
}
