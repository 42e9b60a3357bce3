// Package functions is what the worker serves: one table of [Spec] values, one
// file per function, and the ports it needs from the outside. It knows nothing
// of sockets: requests come in as JSON and answers go out as JSON, whoever
// carries them.
//
// A request takes one snapshot of the settings, resolves the model's limits,
// and works on a view of the history. The passes themselves are in
// internal/window; the summary's text is in internal/summary.
package functions
