package functions

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"context-manager/internal/summary"
)

// maxChunks is the most summariser calls one compaction may take.
const maxChunks = 32

// chunks is the plan for a head that is summarised in consecutive fragments,
// each call anchored on the summary so far. A head that fits takes one call
// and its prompt says nothing of fragments.
type chunks struct {
	c    *compaction
	body []byte
	one  bool
}

// plan decides whether one call suffices and refuses what cannot work before
// anything is paid for.
func (c *compaction) plan(body []byte) (*chunks, SkipReason) {
	p := &chunks{c: c, body: body}
	if room := c.room(c.system(c.previous, false)); len(body) <= room {
		p.one = true
		return p, ""
	}
	first := c.room(c.system(c.previous, true))
	if first <= 0 {
		return nil, SkipTooManyChunks
	}
	// Later calls carry the summary so far. One of no length would leave the
	// most room, so beyond this no run of calls can get through.
	most := c.room(c.system("x", true))
	if left := len(body) - first; left > (maxChunks-1)*max(most, 0) {
		return nil, SkipTooManyChunks
	}
	return p, ""
}

func (c *compaction) system(anchor string, fragment bool) string {
	return summary.SystemPrompt(summary.PromptOptions{
		Previous: anchor, Instructions: c.instructions, Fragment: fragment,
	})
}

// room is how many bytes of body fit one call beside a system prompt, counted
// as the heuristic does: system/4 + user/4 + framing ≤ usable.
func (c *compaction) room(system string) int {
	const atMost = 1 << 40 // no body is that long; keeps the sum in range
	taken := uint64(len(system))/4 + summary.FramingTokens
	if c.usable < taken {
		return 0
	}
	left := min(c.usable-taken, atMost)
	return int(left)*4 + 3 - summary.UserPromptOverhead()
}

// run makes the calls and returns the last summary.
func (p *chunks) run(ctx context.Context) (string, error) {
	if p.one {
		return p.call(ctx, p.c.system(p.c.previous, false), p.body)
	}
	anchor, rest := p.c.previous, p.body
	for n := 0; len(rest) > 0; n++ {
		system := p.c.system(anchor, true)
		size := summary.Prefix(rest, p.c.room(system))
		if n == maxChunks || size <= 0 {
			return "", errTooManyChunks
		}
		text, err := p.call(ctx, system, rest[:size])
		if err != nil {
			return "", fmt.Errorf("writing part %d of the summary: %w", n+1, err)
		}
		anchor, rest = text, rest[size:]
	}
	return anchor, nil
}

func (p *chunks) call(ctx context.Context, system string, body []byte) (string, error) {
	text, err := p.c.svc.summarizer.Summarize(ctx, SummaryPrompt{
		Model: p.c.model.ID, Provider: deref(p.c.model.Provider),
		System: system, User: summary.UserPrompt(body),
		Timestamp: p.c.svc.clock.Now().UnixMilli(),
	})
	if cause := context.Cause(ctx); cause != nil && (err != nil || !errors.Is(cause, ErrSummaryLate)) {
		// Whatever the summariser made of the cancellation, this is why.
		if errors.Is(cause, context.Canceled) {
			cause = errCallerGone
		}
		return "", cause
	}
	// Whoever wrote it, it goes into answers and prompts as JSON.
	text = strings.ToValidUTF8(text, "\uFFFD")
	if err == nil && summary.Blank(text) {
		err = errBlank
	}
	return text, err
}
