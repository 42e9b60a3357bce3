// Package config holds the worker's settings: the value itself, how it is read
// strictly from JSON and YAML, its schema, the live snapshot that requests
// take, and the watch over its file. A published snapshot is never written to.
package config

import (
	"bytes"
	"encoding/json"
)

// Settings are the worker's settings. Requests take one snapshot each, and
// their own options win over it. The tags hold the sentences that the schema
// publishes; ranges stand in the table of keys. Field types are as wide as the
// sums that they enter, not as their ranges.
type Settings struct {
	ReservedTokensCap   uint64 `json:"reserved_tokens_cap" jsonschema_description:"Upper bound, in tokens, of what is kept free of the context window when a request does not say how much."`
	ReservedPct         uint64 `json:"reserved_pct" jsonschema_description:"Share of the context window, in per cent, that is kept free when a request does not say how much, up to reserved_tokens_cap."`
	TailTurns           uint64 `json:"tail_turns" jsonschema_description:"How many of the newest user turns a compaction keeps as they are."`
	ProtectRecentTokens uint64 `json:"protect_recent_tokens" jsonschema_description:"How many tokens of function output pruning leaves alone, counted from the newest."`
	MinFreeTokens       uint64 `json:"min_free_tokens" jsonschema_description:"The least number of tokens that pruning must free; below it nothing is pruned."`
	MaxOutputChars      uint64 `json:"max_output_chars" jsonschema_description:"Length in bytes up to which pruning leaves a function output alone, and to which longer ones are cut in what the summariser reads."`
	LeaseTTLSecs        uint64 `json:"lease_ttl_secs" jsonschema_description:"Seconds after which a compaction lease that is not renewed counts as abandoned."`
	AllowFallbackLimits bool   `json:"allow_fallback_limits" jsonschema_description:"Whether a model whose limits cannot be found out is treated as a small one instead of failing the request."`
	SummarizerTimeoutMS uint64 `json:"summarizer_timeout_ms" jsonschema_description:"Milliseconds that all summariser calls of one compaction may take together."`
	LeaseDir            string `json:"lease_dir" jsonschema_description:"Directory of the compaction leases, on a local disk: an absolute path, or one that begins with ~ for the home directory."`
	Estimator           string `json:"estimator" jsonschema_description:"How tokens are counted: auto counts exactly where the model's encoding is public and by size elsewhere, heuristic always by size, fitted by rates measured for models whose encoding is not public."`
	// Zero is not "off": it is what 1.1.0 did.
	HeuristicImageTokens uint64 `json:"heuristic_image_tokens" jsonschema_description:"Flat cost in tokens of an image for models without a public encoding; 0 counts its base64 text."`
}

// The values of Settings.Estimator.
const (
	EstimatorAuto      = "auto"
	EstimatorHeuristic = "heuristic"
	EstimatorFitted    = "fitted"
)

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
		Estimator:           EstimatorAuto,
	}
}

// Raw is the JSON object of all settings, as the configuration entry stores it.
func (s Settings) Raw() []byte { return encode(s) }

// Diff lists the keys whose values differ between two settings, in the order
// of the fields.
func Diff(a, b Settings) []string {
	var keys []string
	for _, k := range table {
		if k.value(&a) != k.value(&b) {
			keys = append(keys, k.name)
		}
	}
	return keys
}

// encode prints what cannot fail to print: structs and scalars of this package.
func encode(v any) json.RawMessage {
	var buf bytes.Buffer
	e := json.NewEncoder(&buf)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err) // no input reaches this: the types are ours
	}
	return bytes.TrimSuffix(buf.Bytes(), []byte("\n"))
}
