package main

// reviews is how the session goes on: the user pastes files and the agent
// answers in text, so nothing of it can be pruned.
func reviews(s *session) {
	for _, r := range []struct{ ask, file, answer string }{
		{"Merged, thank you. I have to work offline from here, so I paste what I want looked at. Same rule for all of them: three sentences at most, only what a reviewer must know. The scheduler of the bus client first.",
			"internal/bus/schedule.go",
			"A place is what bounds the work: it is held while a handler works, given away while the handler waits on the bus, and taken back ahead of calls that have not begun. The one to watch is resume(): after the end of its context a handler goes on without a place, which is right because it is only finishing. forgetResumer closes the channel it removes, so a resumer that has been served and one that was forgotten look the same to whoever waits."},
		{"Next: who serves a call.",
			"internal/bus/serve.go",
			"A call is answered exactly once because respond() swaps the answered flag before it sends. The handler appends behind the beginning of the answer's frame, so a slice that does not extend dst is an error of its own and not a broken frame. After a panic the frame is deliberately not given back to the pool, since a goroutine left behind may still read it."},
		{"The life of one connection.",
			"internal/bus/session.go",
			"Everything that came with a connection ends with it: run() waits for the loops and, unless the client stops, for the hooks too. parting is held over a close handshake, so that kill() cannot cut it. lose() keeps the first reason only, which is the one a log should show."},
		{"What is announced, and in which order.",
			"internal/bus/registry.go",
			"replay() is the whole order in one place: reattach, the worker itself, trigger types, functions, triggers. announce() queues without waiting and therefore may run under the lock, which is what keeps registrations in order. A function that is registered again replaces the old one at its place, so the order on the wire does not change over a reconnect."},
		{"The lease store. Several processes may stand over one directory.",
			"lease/store.go",
			"The clock is read under the stripe's lock, because waiting for that lock takes time and a stamp from before it would be too old. A stamp from the future is written anew as now, which bounds what a wrong clock can block to one TTL. Every error other than *HeldError means that there is no claim of ours, and callers rely on that."},
		{"The watcher of the settings file.",
			"config/watch.go",
			"Watches are armed first and the file is read afterwards, so a change is either read or leaves a sign; signs may be lost, doubled or late without harm. The route is read again once the watches stand, in case it changed before they did. What was told last is compared with what is read now, so an edit that changes nothing tells nobody."},
		{"And how that file is read.",
			"config/seed.go",
			"Variables are expanded in values after parsing, so no value can add a key or end a line. The limit of 16 KiB is there because the YAML parser is quadratic in nesting, and a panic of that parser is turned into an error because the file is an input. A pipe is refused before it is opened, since opening it would wait for a writer."},
		{"The generator of the schemas.",
			"internal/schema/generator.go",
			"Types met below the root are queued as definitions instead of being followed, which is how the recursion of content blocks ends. The namer is qualified by package path because the reflector would take two types of one name for one type. The first mistake inside a callback is kept in g.err, and every use of the reflector's answer looks at it."},
		{"The engine's side of a slow reader.",
			"internal/devengine/outbox.go",
			"put() never waits, because the reader of one worker must not stop when another worker does not read; only pongs, which a peer can cause without bound, wait for room. take() hands over the whole queue and takes the old slice back as memory for the next one. close() drops what has not been taken, so nothing is written to a connection that is gone."},
		{"How the client connects.",
			"internal/bus/dial.go",
			"The context bounds the handshake only; a connection lives on after it. Compression is off on purpose, and the read limit of the library is off because readMessage keeps to one of its own and can say bye with the right code. bye() throws away what still arrives so that the peer reads our close frame before it meets a reset."},
		{"Last one for today: how a decoder finds its way through strings.",
			"internal/agent/scan_string.go",
			"This is the hottest loop of the decoder, so look at it with a benchmark beside you. Escapes, surrogates and UTF-8 are validated in this one pass, so no later code has to ask again. Whoever changes it should run the fuzz target of the package for a few minutes before asking for a review."},
	} {
		text, err := s.w.read(r.file)
		if err != nil && s.err == nil {
			s.err = err
		}
		s.user(r.ask + "\n\n" + r.file + ":\n\n```go\n" + text + "```")
		s.say(r.answer)
	}
	s.user("That was all. Before we stop: what did we change today, and what is still open?")
	s.say("One change: internal/window/prune_turns_test.go pins that pruning leaves the newest two user turns alone; it fails with one turn and passes with two. " +
		"No other file was touched and no schema moved. Open is nothing from the reviews, they were for reading only.")
}
