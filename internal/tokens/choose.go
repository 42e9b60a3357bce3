package tokens

import "sync"

// sharedCache serves every estimator that was not given a cache.
var sharedCache = sync.OnceValue(func() *Cache { return NewCache(CacheBytes) })

// For returns the estimator for a model, named as in EncodingForModel. The
// first tokenizer for an encoding reads its ranks; see bpe.Load.
func For(model string, choice Choice, o Options) Estimator {
	if choice == ByHeuristic {
		return NewHeuristic(o.ImageTokens)
	}
	name := plainModel(model)
	if choice == ByFitted && isClaude(name) {
		return fitted{imageTokens: o.ImageTokens}
	}
	if t := newTokenizer(name, o.Cache); t != nil {
		return t
	}
	return NewHeuristic(o.ImageTokens)
}
