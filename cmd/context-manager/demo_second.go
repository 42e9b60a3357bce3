package main

import (
	"errors"
	"fmt"
	"strings"

	"context-manager/internal/bus"
	"context-manager/internal/fakerouter"
)

// secondAct is the session grown by text alone, first without and then with a
// summariser.
type secondAct struct {
	recorded int    // messages of the first act
	overflow string // the answer while no router is connected
	f        *fitting
	chats    int // calls of the summariser
}

func playSecond(s *stage, history transcript, recorded int) (*secondAct, error) {
	a := &secondAct{recorded: recorded}
	_, err := s.fit("", history)
	remote := (*bus.RemoteError)(nil)
	if !errors.As(err, &remote) || remote.Code != "context/overflow" {
		return nil, fmt.Errorf("assembling the grown session without a router: got %v, want context/overflow", err)
	}
	a.overflow = remote.Message
	if err := s.openRouter(); err != nil {
		return nil, fmt.Errorf("connecting the router: %w", err)
	}
	if a.f, err = s.fit("", history); err != nil {
		return nil, fmt.Errorf("assembling the grown session: %w", err)
	}
	if !a.f.answer.Applied.Compacted {
		return nil, errors.New("assembling the grown session: it was not compacted")
	}
	a.chats = s.router.Count(fakerouter.ChatID)
	return a, nil
}

func (a *secondAct) print(p *page) {
	f, applied := a.f, a.f.answer.Applied
	p.heading("Act two: the session goes on in text, which pruning cannot shorten")
	p.entry("sent", "%s, %s, %s: %s tokens in %s of JSON", plural(len(f.history.messages), "message"),
		plural(len(f.history.calls), "function call"), plural(f.history.turns(), "user turn"),
		commas(applied.InitialTokenCount), kilobytes(f.sent))
	p.entry("", "the %s more are files that the user pastes and what the agent says to them",
		plural(len(f.history.messages)-a.recorded, "message"))
	p.entry("no router", "%s", a.overflow)
	p.entry("router", "A scriptable router now connects. Its summariser is extractive: it picks lines from the conversation. No model is asked.")
	p.entry("compacted", "[0] to [%d], %s tokens after pruning, in %s of router::chat%s",
		applied.TailStartIndex-1, commas(f.headTokens()), plural(a.chats, "call"), why(a.chats))
	p.entry("tail", "%s from [%d] on, word for word", plural(len(f.answer.messages), "message"), applied.TailStartIndex)
	f.table().print(p)
	p.blank()
	p.line("  the summary, now part of the system prompt (extractive, not written by a model):")
	printSummary(p, applied.Summary)
	p.blank()
	p.entry("result", "%s of %s tokens; a later compaction updates this summary (previous_summary)",
		commas(f.answer.TokenCount), commas(f.answer.Usable))
	p.entry("time", "%s from request to answer, the summariser's channel included",
		milliseconds(f.call))
}

func why(chats int) string {
	if chats > 1 {
		return ", since it is larger than the window"
	}
	return ""
}

// bulletsShown is how many lines of one part of a summary are shown.
const bulletsShown = 3

// printSummary shows the beginning of each part of a summary.
func printSummary(p *page, summary string) {
	hidden := 0
	flush := func() {
		if hidden > 0 {
			p.line("    |   ... and %d more", hidden)
		}
		hidden = 0
	}
	bullets := 0
	for line := range strings.Lines(summary) {
		switch line = strings.TrimSpace(line); {
		case line == "":
			continue
		case strings.HasPrefix(line, "#"):
			flush()
			bullets = 0
			p.line("    | %s", line)
		case bullets < bulletsShown:
			bullets++
			p.line("    |   %s", line)
		default:
			hidden++
		}
	}
	flush()
}
