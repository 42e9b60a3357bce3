// Package worker is the process: it wires the functions to the bus, to the
// model router, to the lease directory and to the engine's configuration, and
// runs them from the first connection to the last answer.
//
// Life of a worker:
//
//	start ──▶ connecting ──▶ configuring ──▶ serving ──▶ draining ──▶ stopped
//	             ▲  │             │ ▲            │
//	             └──┘ no engine   └─┘ lost       └── engine gone: connecting, for ever
//
// Functions are registered after the first snapshot of the settings, so nobody
// is answered by settings that are about to change. A connection that is lost
// later is taken up again by the bus client, which registers everything anew.
package worker
