package tokens

// For returns the estimator for a model.
func For(model string, choice Choice, o Options) Estimator {
	return NewHeuristic(o.ImageTokens)
}
