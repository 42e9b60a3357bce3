package main

import "strings"

// table compares what parts of a context took before and after, in tokens.
type table struct {
	usable uint64
	other  string // what became of the part that was neither kept nor pruned
	rows   []tableRow
}

// tableRow is one part of a context. What is neither pruned nor other was kept.
type tableRow struct {
	name          string
	before, after uint64
	pruned, other uint64
}

// barWidth is how many characters the longest bar has.
const barWidth = 56

func (t table) print(p *page) {
	total := tableRow{name: "total"}
	for _, r := range t.rows {
		total.before += r.before
		total.after += r.after
		total.pruned += r.pruned
		total.other += r.other
	}
	scale := max(total.before, total.after, 1)
	p.blank()
	p.line("  %-17s%9s%9s    █ kept  ▒ %s  ░ pruned", "tokens (bytes/4)", "before", "after", t.other)
	for _, r := range append(t.rows, total) {
		p.line("  %-17s%9s%9s    %s", r.name, commas(r.before), commas(r.after), r.bar(scale))
	}
	at := int(min(t.usable, scale) * barWidth / scale)
	p.line("  %-17s%9s%9s    %s^ the model takes no more", "usable", "", commas(t.usable), strings.Repeat(" ", max(at-1, 0)))
}

// bar shades the kept, the otherwise freed and the pruned part. Ends are rounded,
// not lengths, so that the parts add up to the whole.
func (r tableRow) bar(scale uint64) string {
	var b strings.Builder
	var sum uint64
	for _, part := range []struct {
		tokens uint64
		shade  string
	}{{r.after, "█"}, {r.other, "▒"}, {r.pruned, "░"}} {
		from := cell(sum, scale)
		sum += part.tokens
		b.WriteString(strings.Repeat(part.shade, cell(sum, scale)-from))
	}
	return b.String()
}

func cell(tokens, scale uint64) int {
	return int((min(tokens, scale)*barWidth + scale/2) / scale)
}

// table shows a context that pruning and references brought about.
func (f *fitting) table() table {
	b, before, after := f.answer.Breakdown, f.before, f.answer.Breakdown.ByRole
	system := f.answer.Applied.InitialTokenCount - before.total() - b.ToolsTokens
	t := table{usable: f.answer.Usable, other: "reduced to references", rows: []tableRow{
		{name: "system prompt", before: system, after: b.SystemPromptTokens},
		{name: "tools", before: b.ToolsTokens, after: b.ToolsTokens},
		{name: "user", before: before.User, after: after.User},
		{name: "assistant", before: before.Assistant, after: after.Assistant},
		{name: "function results", before: before.FunctionResult, after: after.FunctionResult,
			pruned: freed(f.pruned), other: freed(f.reduced)},
	}}
	if !f.answer.Applied.Compacted {
		return t
	}
	// Pruning came first, and what it left of the head is what the summary
	// replaced, so the rest of the head's tokens are pruning's.
	t.other = "summarised"
	head := f.roles(0, f.answer.Applied.TailStartIndex)
	pruned := head.total() - f.headTokens()
	t.rows[2].other, t.rows[3].other = head.User, head.Assistant
	t.rows[4].other = head.FunctionResult - pruned
	t.rows[4].pruned = pruned + freed(f.pruned)
	return t
}

// headTokens is what the messages took that the summary replaced.
func (f *fitting) headTokens() uint64 {
	if h := f.answer.Applied.HeadTokens; h != nil {
		return *h
	}
	return 0
}
