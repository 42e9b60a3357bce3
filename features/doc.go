// Package features holds the behaviour of the worker as scenarios that people
// can read: the .feature files beside this one, tagged with the rows of
// docs/behaviour.md that they hold the code to.
//
// A scenario tagged @pure runs twice, straight to the functions and through a
// socket, an embedded engine and a worker; one tagged @engine needs the socket
// and runs against the engine that III_URL names, else against an embedded one.
//
// Nothing is exported: the package is its tests.
package features
