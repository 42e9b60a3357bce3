package main

// readTheTests is the second turn: what of it is pinned by tests.
func readTheTests(s *session) {
	s.user("Good, that I can follow. Which of these rules are pinned by tests next to the passes, and which of them could somebody break " +
		"without noticing? Look at the tests themselves and run them, do not go by their names.")
	s.act("First the names, then what they do.",
		search("^func (Test|Fuzz|Benchmark)", "internal/window"),
		shell("go test -count=1 -v ./internal/window"))
	s.act("All green. How did the passes come to be? The history of the package shows what was pinned when.",
		shell("git log -p --format='%h %s' -- internal/window"))
	s.act("Now the tests of prune and reduce as they are.",
		read("internal/window/setup_test.go"),
		read("internal/window/prune_test.go"))
	s.act("history() ends with two bare user messages; I keep that in mind. Next the tail, the pairing and the budget.",
		read("internal/window/tail_test.go"),
		read("internal/window/pairing_test.go"),
		read("internal/window/budget_test.go"))
	s.act("A layer above, the promises of assemble and prune are checked on generated histories.",
		read("functions/property_test.go"),
		read("functions/property_history_test.go"))
	s.act("Which promises exactly?",
		read("functions/property_check_test.go"),
		read("functions/property_prune_test.go"))
	s.act("What the summariser sees is pinned in internal/summary.",
		shell("go test -count=1 -v ./internal/summary"),
		read("internal/summary/render_test.go"))
	s.act("The fence matters most there, since a history may try to end it.",
		read("internal/summary/fence_test.go"),
		read("internal/summary/fence_property_test.go"))
	s.act("One rule I have not met in any test of the package so far.",
		search("protectedTurns|two user turns|[Tt]urns", "internal/window"))
	s.say(`Pinned next to the passes: pruning twice changes nothing, for several limits (TestPruneAgainChangesNothing); a placeholder never grows an output; blocks that nobody knows stay; reduce takes the largest first, stops when it has enough, and keeps a denied envelope; no pass writes to its input; the tail, with a table of cases; the pairing; the budget. The prompt's fence is covered well, by tables and by a property.

One rule is not pinned there: that prune looks at nothing before two user turns are behind it. The constant protectedTurns occurs in prune.go alone. history() in prune_test.go ends with user("then") and user("now"), so every output of every test of prune lies behind both turns, and a guard of one turn would give the same results. The properties in functions do not help: they compare what was kept and what was replaced, but none of them knows which turn an output belongs to.

So I suspect that somebody could turn the 2 into a 1 and the tests of this package would stay green. I have only read this so far, I have not tried it.`)
}
