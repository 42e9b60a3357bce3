package functions

import (
	"context"
	"strings"
	"unicode"

	"context-manager/config"
	"context-manager/internal/agent"
	"context-manager/internal/summary"
	"context-manager/internal/tokens"
	"context-manager/internal/window"
)

// assembly is one context::assemble call under work.
type assembly struct {
	svc   *Service
	set   *config.Settings
	req   *AssembleRequest
	opt   AssembleOptions
	list  agent.Messages
	est   tokens.Estimator
	model resolved

	usable   uint64
	tools    uint64
	overhead uint64
	system   string // as it would be returned now
	view     *window.View
	pairing  window.Pairing
	applied  Applied
	reduced  uint64 // tokens freed by references
}

// Assemble answers context::assemble. The passes run in order of what they
// cost: pruning is free, a summary is paid for, and references lose content;
// each runs only while the context does not fit.
func (s *Service) Assemble(ctx context.Context, req *AssembleRequest) (*AssembleResponse, error) {
	list, err := required(req.Messages)
	if err != nil {
		return nil, err
	}
	a := &assembly{svc: s, set: s.settings(), req: req, opt: or(req.Options, AssembleOptions{}), list: list}
	if a.est, err = estimator(a.set, req.Model.ID, a.opt.Estimator, a.opt.HeuristicImageTokens); err != nil {
		return nil, err
	}
	if a.model, err = s.resolve(ctx, a.set, &req.Model); err != nil {
		return nil, err
	}
	a.usable = a.model.usable(a.set, a.opt.ReservedTokens, a.opt.ThinkingLevel)
	a.tools = toolsTokens(a.est, req.Tools)
	a.overhead = deref(a.opt.RequestOverheadTokens)
	a.system = joinPrompt(deref(req.SystemPrompt), a.previous())
	a.view = window.NewView(list, a.est, func(m *agent.Message) bool { return m.Role() != agent.RoleCustom })
	a.pairing = window.Pair(a.view)
	a.applied.InitialTokenCount = a.count()
	a.warn()
	if err := a.fit(ctx); err != nil {
		return nil, err
	}
	return a.answer(), nil
}

func (a *assembly) fit(ctx context.Context) error {
	if a.over() == 0 {
		return nil
	}
	if or(a.opt.AllowPrune, true) {
		pruned, err := window.Prune(a.view, pruneOptions(a.set, a.opt.ProtectedFunctions))
		if err != nil {
			return err
		}
		a.applied.Pruned = pruned.Parts > 0
		a.applied.PrunedTokens = pruned.Tokens
	}
	if a.over() > 0 {
		a.compact(ctx)
		if ctx.Err() != nil {
			// An overflow would be final for the caller; this is not.
			return givenUp()
		}
	}
	if need := a.over(); need > 0 {
		reduced, err := window.Reduce(a.view, need)
		if err != nil {
			return err
		}
		a.reduced = reduced.Tokens
		a.applied.Pruned = a.applied.Pruned || len(reduced.Indices) > 0
		a.applied.PrunedTokens = window.Add(a.applied.PrunedTokens, reduced.Tokens)
	}
	if a.over() > 0 {
		return a.overflow()
	}
	return nil
}

// fixed is what does not depend on messages, with a given system prompt.
func (a *assembly) fixed(system string) uint64 {
	return window.Add(a.est.SystemPrompt(system), a.tools, a.overhead)
}

func (a *assembly) count() uint64 { return window.Add(a.fixed(a.system), a.view.Total()) }

// over is how many tokens too many there are.
func (a *assembly) over() uint64 {
	if n := a.count(); n > a.usable {
		return n - a.usable
	}
	return 0
}

// previous is the caller's earlier summary; a blank one is none.
func (a *assembly) previous() string {
	if p := deref(a.opt.PreviousSummary); !summary.Blank(p) {
		return p
	}
	return ""
}

// warn names the results that answer no call of their own.
func (a *assembly) warn() {
	for _, l := range a.pairing.Loose {
		w := Warning{Code: WarnOrphanResult, Index: uint(a.view.Origin(l.Index)),
			Message: "result for call " + quoted(l.CallID) + ", which no earlier message makes"}
		if l.Duplicate {
			w.Code = WarnDuplicateResult
			w.Message = "another result for call " + quoted(l.CallID) + ", which is answered already"
		}
		a.applied.Warnings = append(a.applied.Warnings, w)
	}
}

func (a *assembly) answer() *AssembleResponse {
	return &AssembleResponse{
		SystemPrompt:             a.system,
		Messages:                 a.view.Messages(),
		TokenCount:               a.count(),
		Usable:                   a.usable,
		EffectiveMaxOutputTokens: a.model.MaxOutput,
		ModelResolved:            a.model.source,
		Applied:                  a.applied,
		Breakdown: &Breakdown{
			SystemPromptTokens: a.est.SystemPrompt(a.system),
			ToolsTokens:        a.tools,
			ByRole:             byRole(a.view),
			Estimator:          EstimatorName(a.est.Name()),
			Calibration:        a.est.Calibration(),
		},
	}
}

// summaryHeading introduces the summary in the system prompt.
const summaryHeading = "# Conversation summary"

// joinPrompt appends a summary to a base prompt, which loses white space at its
// end with a summary and without, as callers of 1.1.0 know it.
func joinPrompt(base, text string) string {
	base = strings.TrimRightFunc(base, unicode.IsSpace)
	if text == "" {
		return base
	}
	if base != "" {
		base += "\n\n"
	}
	return base + summaryHeading + "\n\n" + text
}

// quoted shows an id in a message, cut where it is long.
func quoted(id []byte) string {
	const most = 80
	s := string(id)
	if len(s) > most {
		s = strings.ToValidUTF8(s[:most], "") + "…"
	}
	return `"` + s + `"`
}
