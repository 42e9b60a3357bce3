package functions

import (
	"context"

	"context-manager/internal/window"
)

// CountTokens answers context::count-tokens: what messages, system prompt and
// tools cost as they are. It asks no router.
func (s *Service) CountTokens(_ context.Context, req *CountTokensRequest) (*CountTokensResponse, error) {
	list, err := required(req.Messages)
	if err != nil {
		return nil, err
	}
	o := or(req.Options, CountTokensOptions{})
	est, err := estimator(s.settings(), req.Model.ID, o.Estimator, o.HeuristicImageTokens)
	if err != nil {
		return nil, err
	}
	v := window.NewView(list, est, nil)
	roles := byRole(v)
	return &CountTokensResponse{
		Tokens:      window.Add(v.Total(), est.SystemPrompt(deref(req.SystemPrompt)), toolsTokens(est, req.Tools)),
		ByRole:      &roles,
		Estimator:   EstimatorName(est.Name()),
		Calibration: est.Calibration(),
	}, nil
}
