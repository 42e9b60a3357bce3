// Package window holds the pure passes that fit a history into a budget. All
// of them work on one [View], which keeps messages, their sizes and their
// positions in the request in step:
//
//	Prune   replaces old function outputs by a short placeholder
//	Tail    chooses where the verbatim tail starts when the rest is summarised
//	Reduce  replaces the largest function results by references, as a last resort
//
// No pass adds, removes or reorders a message, none touches a user message, and
// running one twice gives what running it once gave.
package window
