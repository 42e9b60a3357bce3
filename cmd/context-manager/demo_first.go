package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"context-manager/config"
)

// firstAct is what pruning and references do to the recorded session.
type firstAct struct {
	own     *fitting
	shipped *fitting // the same request under the shipped thresholds
}

func playFirst(s *stage, history transcript) (*firstAct, error) {
	a := &firstAct{}
	var err error
	if a.own, err = s.fit("", history); err != nil {
		return nil, fmt.Errorf("assembling the session: %w", err)
	}
	if a.shipped, err = s.fit(shippedNamespace, history); err != nil {
		return nil, fmt.Errorf("assembling the session with the shipped settings: %w", err)
	}
	return a, nil
}

func (a *firstAct) print(p *page) {
	f := a.own
	p.heading("Act one: old outputs go first")
	p.entry("sent", "%s, %s, %s: %s tokens in %s of JSON", plural(len(f.history.messages), "message"),
		plural(len(f.history.calls), "function call"), plural(f.history.turns(), "user turn"),
		commas(f.answer.Applied.InitialTokenCount), kilobytes(f.sent))
	p.entry("", "recorded here: what is said is scripted, commands and outputs are real")
	p.entry("model", "%s, made up: window %s - answer %s - reserve %s = %s usable", demoModel, commas(demoWindow),
		commas(demoOutput), commas(demoWindow-demoOutput-int(f.answer.Usable)), commas(f.answer.Usable))
	set := demoSettings()
	p.entry("settings", "protect_recent_tokens %s, min_free_tokens %s for this demo; others as shipped",
		commas(set.ProtectRecentTokens), commas(set.MinFreeTokens))
	p.entry("excess", "%s tokens", commas(f.excess()))
	f.table().print(p)
	p.blank()
	p.line("  pruned: %s of old turns became placeholders: %s tokens, %.0f %% of the excess",
		plural(len(f.pruned), "output"), commas(freed(f.pruned)), share(freed(f.pruned), f.excess()))
	printChanges(p, f.pruned)
	if skipped := f.answer.Applied.CompactionSkipped; skipped != nil {
		p.blank()
		p.line("  summary: none was written (%s); a router connects in act two", skipped.Reason)
	}
	p.blank()
	p.line("  reduced: pruning spares the two newest turns; %s there became a reference: %s tokens",
		plural(len(f.reduced), "output"), commas(freed(f.reduced)))
	printChanges(p, f.reduced)
	a.printShipped(p)
	p.blank()
	p.entry("result", "%s of %s tokens; %s in their order, %s",
		commas(f.answer.TokenCount), commas(f.answer.Usable), plural(len(f.answer.messages), "message"), f.paired())
	p.entry("time", "%s from request to answer through engine and worker, %s to decode it",
		milliseconds(f.call), milliseconds(f.decode))
}

// paired says whether every result still has its call.
func (f *fitting) paired() string {
	if n := len(f.answer.Applied.Warnings); n > 0 {
		return plural(n, "warning")
	}
	return "every result with its call"
}

// shown is how many changes are listed one by one.
const shown = 6

// printChanges lists the changes that freed most and names the others.
func printChanges(p *page, list []change) {
	if len(list) == 0 {
		return
	}
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b change) int { return cmp.Compare(b.freed(), a.freed()) })
	n := min(shown, len(list))
	for _, c := range list[:n] {
		p.line("    [%3d]  %-13s  %-56s %7s -> %4s", c.index, clip(c.call.function, 13), clip(c.call.about, 56), commas(c.before), commas(c.after))
	}
	printOthers(p, list[n:])
	p.line("    [%d] now reads: %s", list[0].index, list[0].text)
}

// printOthers names changes by function and index.
func printOthers(p *page, list []change) {
	if len(list) == 0 {
		return
	}
	indices := map[string][]int{}
	for _, c := range list {
		indices[c.call.function] = append(indices[c.call.function], c.index)
	}
	names := make([]string, 0, len(indices))
	for name := range indices {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		slices.Sort(indices[name])
		text := strings.ReplaceAll(fmt.Sprint(indices[name]), " ", "] [")
		for _, line := range wrap(text, pageWidth-26) {
			p.line("    others   %-15s%s", name, line)
			name = ""
		}
	}
}

// printShipped sets the shipped thresholds beside those of the demo.
func (a *firstAct) printShipped(p *page) {
	own, shipped := demoSettings(), config.Default()
	p.blank()
	p.line("  the same request under the shipped thresholds, answered by a second worker on this engine:")
	p.line("  %-10s%15s%12s%22s%22s%14s", "", "protect_recent", "min_free", "pruned", "reduced", "tokens after")
	for _, r := range []struct {
		name string
		set  config.Settings
		f    *fitting
	}{{"demo", own, a.own}, {"shipped", shipped, a.shipped}} {
		p.line("  %-10s%15s%12s%22s%22s%14s", r.name, commas(r.set.ProtectRecentTokens), commas(r.set.MinFreeTokens),
			tally(r.f.pruned), tally(r.f.reduced), commas(r.f.answer.TokenCount))
	}
	if len(a.shipped.pruned) == 0 {
		p.line("  shipped: beyond the newest %s tokens of old output less than %s would come free, so",
			commas(shipped.ProtectRecentTokens), commas(shipped.MinFreeTokens))
		p.line("  pruning changes nothing and references have to do it all")
	}
}

func tally(list []change) string {
	if len(list) == 0 {
		return "nothing"
	}
	return fmt.Sprintf("%s, %s", plural(len(list), "output"), commas(freed(list)))
}
