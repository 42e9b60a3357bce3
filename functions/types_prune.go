package functions

import "context-manager/internal/agent"

// PruneRequest is what context::prune takes.
type PruneRequest struct {
	Model    *agent.ModelInput `json:"model,omitempty" jsonschema_default:"null" jsonschema_description:"The model whose tokenizer counts. Not needed for the heuristic."`
	Messages *agent.Messages   `json:"messages,omitempty" jsonschema_description:"The messages to prune, oldest first. Absent or null is refused, although this schema lets it pass."`
	Options  *PruneOptions     `json:"options,omitempty" jsonschema_description:"Settings for this call alone."`
}

// PruneOptions are the settings of one context::prune call. Nil takes the
// configured value.
type PruneOptions struct {
	MaxOutputChars       *uint            `json:"max_output_chars,omitempty" jsonschema_default:"null" jsonschema_description:"Outputs of up to this many bytes are never replaced. 2000 unless configured otherwise."`
	MinFreeTokens        *uint64          `json:"min_free_tokens,omitempty" jsonschema_default:"null" jsonschema_description:"Change nothing when less than this would be freed. 20000 unless configured otherwise."`
	ProtectRecentTokens  *uint64          `json:"protect_recent_tokens,omitempty" jsonschema_default:"null" jsonschema_description:"The newest outputs are left alone up to this many tokens. 40000 unless configured otherwise."`
	ProtectedFunctions   []string         `json:"protected_functions,omitempty" jsonschema_default:"null" jsonschema_description:"Ids of functions whose outputs are left alone."`
	Estimator            *EstimatorChoice `json:"estimator,omitempty" jsonschema_default:"null" jsonschema_description:"How tokens are counted in this call. The configured estimator when absent."`
	HeuristicImageTokens *uint64          `json:"heuristic_image_tokens,omitempty" jsonschema:"maximum=100000" jsonschema_default:"null" jsonschema_description:"Tokens that the heuristic charges for one image; 0 counts its base64 as text. The configured value when absent."`
}

// PruneResponse is what context::prune answers.
type PruneResponse struct {
	Messages     agent.Messages `json:"messages" jsonschema_description:"The request's messages, all of them and in order, with placeholders where outputs were replaced."`
	PrunedTokens uint64         `json:"pruned_tokens" jsonschema_description:"How many tokens the placeholders save, by estimate."`
	PrunedParts  uint64         `json:"pruned_parts" jsonschema_description:"How many outputs were replaced."`
	ScannedParts uint64         `json:"scanned_parts" jsonschema_description:"How many outputs were looked at."`
	Estimator    EstimatorName  `json:"estimator,omitempty" jsonschema_description:"The estimator that ran. Always present in answers."`
	Calibration  string         `json:"calibration,omitempty" jsonschema_description:"Name of the measured rates, when the fitted estimator ran."`
}
