package functions

import (
	"fmt"

	"context-manager/config"
	"context-manager/internal/agent"
	"context-manager/internal/tokens"
	"context-manager/internal/window"
)

// maxImageTokens bounds the flat cost of an image: the same range as in the
// settings.
const maxImageTokens = 100_000

// estimator picks the estimator of a request: its own wish, then the setting.
func estimator(set *config.Settings, model string, choice *EstimatorChoice, images *uint64) (tokens.Estimator, error) {
	if images != nil && *images > maxImageTokens {
		return nil, invalid(fmt.Sprintf("options.heuristic_image_tokens: %d is out of range, want an integer from 0 to %d", *images, maxImageTokens))
	}
	return tokens.For(model,
		tokens.Choice(or(choice, EstimatorChoice(set.Estimator))),
		tokens.Options{ImageTokens: or(images, set.HeuristicImageTokens)}), nil
}

func toolsTokens(est tokens.Estimator, tools []agent.Function) uint64 {
	var sum uint64
	for i := range tools {
		sum = window.Add(sum, est.Tool(&tools[i]))
	}
	return sum
}

// byRole adds up what a view's messages cost, by role.
func byRole(v *window.View) ByRoleTokens {
	var out ByRoleTokens
	for i := range v.Len() {
		bucket := &out.User
		switch v.At(i).Role() {
		case agent.RoleAssistant:
			bucket = &out.Assistant
		case agent.RoleFunctionResult:
			bucket = &out.FunctionResult
		case agent.RoleCustom:
			bucket = &out.Custom
		}
		*bucket = window.Add(*bucket, v.Size(i))
	}
	return out
}

// required returns the history of a request that must have one.
func required(m *agent.Messages) (agent.Messages, error) {
	if m == nil {
		return nil, invalid("messages is required")
	}
	return *m, nil
}
