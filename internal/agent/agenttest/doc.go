// Package agenttest builds histories for tests. It is test support: nothing
// that ships imports it.
//
// Messages are plain maps, so that a test can set or delete any member, and
// print with sorted keys, compactly and without HTML escapes: the way the iii
// engine hands requests on. [History] makes long histories of a coding agent
// from a seed.
package agenttest
