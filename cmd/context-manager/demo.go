package main

import (
	"context"
	"errors"
	"flag"
	"time"

	"context-manager/config"
)

// demoSettings are small, so that the effect of pruning shows on one page.
func demoSettings() config.Settings {
	s := config.Default()
	s.ProtectRecentTokens, s.MinFreeTokens = 8000, 2000
	return s
}

// runDemo shows on a recorded session what the worker does: one act in which
// pruning and references suffice, and one in which a summary has to help.
func runDemo(ctx context.Context, p process) error {
	rest, stop, err := parse(p, func(*flag.FlagSet) {})
	if stop || err != nil {
		return err
	}
	if err := noArguments(rest); err != nil {
		return err
	}
	began := time.Now()
	out := &page{w: p.stdout}
	out.line("context-manager demo: the session of a coding agent meets a model that is too small for it")
	// Everything is played and put away before the rest is printed: whoever reads
	// the first lines alone ends this process with the next one.
	d, err := playDemo(ctx)
	if err != nil {
		return err
	}
	out.line("worker and caller are connected over WebSockets to an embedded engine, %s,", d.engine)
	out.line("which is for development and tests; production is the iii engine")
	d.first.print(out)
	d.second.print(out)
	out.blank()
	out.line("%s in all; try it on your own messages with: context-manager call assemble FILE", seconds(time.Since(began)))
	return out.err
}

// demo is what was played.
type demo struct {
	engine string // its URL
	first  *firstAct
	second *secondAct
}

func playDemo(ctx context.Context) (d *demo, err error) {
	recorded, err := readTranscript(transcriptText)
	if err != nil {
		return nil, err
	}
	grown, err := readTranscript(transcriptText, transcriptLaterText)
	if err != nil {
		return nil, err
	}
	s, err := openStage(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	d = &demo{engine: s.engine.URL()}
	if d.first, err = playFirst(s, recorded); err != nil {
		return nil, err
	}
	d.second, err = playSecond(s, grown, len(recorded.messages))
	return d, err
}
