package functions

import (
	"context"

	"context-manager/config"
	"context-manager/internal/window"
)

// Prune answers context::prune: the same messages with old function outputs
// replaced by placeholders.
func (s *Service) Prune(_ context.Context, req *PruneRequest) (*PruneResponse, error) {
	list, err := required(req.Messages)
	if err != nil {
		return nil, err
	}
	set, o := s.settings(), or(req.Options, PruneOptions{})
	model := ""
	if req.Model != nil {
		model = req.Model.ID
	}
	est, err := estimator(set, model, o.Estimator, o.HeuristicImageTokens)
	if err != nil {
		return nil, err
	}
	v := window.NewView(list, est, nil)
	p := pruneOptions(set, o.ProtectedFunctions)
	p.ProtectRecent = or(o.ProtectRecentTokens, p.ProtectRecent)
	p.MinFree = or(o.MinFreeTokens, p.MinFree)
	p.MaxOutput = uint64(or(o.MaxOutputChars, uint(p.MaxOutput)))
	pruned, err := window.Prune(v, p)
	if err != nil {
		return nil, err
	}
	return &PruneResponse{
		Messages:     v.Messages(),
		PrunedTokens: pruned.Tokens,
		PrunedParts:  pruned.Parts,
		ScannedParts: pruned.Scanned,
		Estimator:    EstimatorName(est.Name()),
		Calibration:  est.Calibration(),
	}, nil
}

func pruneOptions(set *config.Settings, protected []string) window.PruneOptions {
	return window.PruneOptions{
		ProtectRecent: set.ProtectRecentTokens,
		MinFree:       set.MinFreeTokens,
		MaxOutput:     set.MaxOutputChars,
		Protected:     protected,
	}
}
