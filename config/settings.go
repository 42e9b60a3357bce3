// Package config holds the worker's settings: the value itself, how it is read
// strictly from JSON and YAML, its schema, and the live snapshot that requests
// take. A published snapshot is never written to.
package config

// Settings are the worker's settings. Requests take one snapshot each, and
// their own options win over it.
type Settings struct {
	// ReservedTokensCap bounds the tokens kept free by default.
	ReservedTokensCap uint64 `json:"reserved_tokens_cap"`
	// ReservedPct is the share of the context window kept free by default, in
	// per cent.
	ReservedPct uint64 `json:"reserved_pct"`
	// TailTurns is how many of the newest user turns a compaction keeps.
	TailTurns uint64 `json:"tail_turns"`
	// ProtectRecentTokens is how much function output pruning leaves alone,
	// newest first, in tokens.
	ProtectRecentTokens uint64 `json:"protect_recent_tokens"`
	// MinFreeTokens is the least that pruning must free to change anything.
	MinFreeTokens uint64 `json:"min_free_tokens"`
	// MaxOutputChars is the length of an output, in bytes, that pruning leaves
	// alone and to which the summariser's input cuts longer ones.
	MaxOutputChars uint64 `json:"max_output_chars"`
	// LeaseTTLSecs is how long a compaction lease lives without renewal, in
	// seconds.
	LeaseTTLSecs uint64 `json:"lease_ttl_secs"`
	// AllowFallbackLimits lets unknown models be treated as small ones.
	AllowFallbackLimits bool `json:"allow_fallback_limits"`
	// SummarizerTimeoutMS bounds all summariser calls of one compaction, in
	// milliseconds.
	SummarizerTimeoutMS uint64 `json:"summarizer_timeout_ms"`
	// LeaseDir is the directory of the compaction leases; ~ is the home
	// directory.
	LeaseDir string `json:"lease_dir"`
	// Estimator is how tokens are counted: auto, heuristic or fitted.
	Estimator string `json:"estimator"`
	// HeuristicImageTokens is the flat cost of an image for models without a
	// public encoding; 0 counts its base64 as text.
	HeuristicImageTokens uint64 `json:"heuristic_image_tokens"`
}

// Default returns the shipped settings.
func Default() Settings {
	return Settings{
		ReservedTokensCap:   20000,
		ReservedPct:         10,
		TailTurns:           2,
		ProtectRecentTokens: 40000,
		MinFreeTokens:       20000,
		MaxOutputChars:      2000,
		LeaseTTLSecs:        300,
		AllowFallbackLimits: true,
		SummarizerTimeoutMS: 320000,
		LeaseDir:            "~/.iii/data/context-manager",
		Estimator:           "auto",
	}
}
