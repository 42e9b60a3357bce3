// Package devengine is an engine for development and tests: a TCP listener on
// loopback, inside the process, that speaks the worker protocol of the iii
// engine, so that a worker can be run, tested and hurt without installing
// anything. It is not an engine for production. Nothing here is
// authenticated, queues towards workers have no bound, and there is no http,
// state, cron or queue worker; production is the iii engine.
//
// # A connection
//
//	     upgrade of GET /
//	          │ workerregistered is sent, workers-available fires
//	          ▼
//	     ┌─ pending ─┐  registrations wait in order, calls already work
//	     │           │
//	register     grace is over (5 s)
//	     │           │  what waited takes effect, in order
//	     ▼           ▼
//	   named     in "default"
//	     │           │
//	     └────┬──────┘
//	          │ socket closed · evicted by reattach · Disconnect · Restart
//	          ▼
//	        gone          functions, bindings, trigger types and the name are
//	                      free; calls under way end with invocation_stopped
//
// A worker whose name is taken goes from pending to refused: it gets
// registrationrejected and a close without a code, what waited is dropped, and
// nothing it still sends has an effect.
//
// gone happens in one step under Engine.mu, whoever brings it about, and
// nothing belongs to a connection that is gone. So a reattach needs no
// waiting: when the frame behind it is read, the old connection has no name
// and no function any more.
//
// # A call
//
//	invokefunction ──► resolve in one namespace ──► missing: function_not_found
//	                        │
//	              ┌─────────┴──────────┐
//	          the engine's          a worker's
//	              │                    │ recorded as pending, then queued
//	           answered                ▼
//	                              invocationresult │ executor gone │ caller gone
//	                              goes to caller   │ ..._stopped   │ forgotten
//
// The engine never times a call out.
//
// # A binding of a trigger
//
//	registertrigger ──► provider there? ──no──► parked ◄── provider left,
//	                        │                     │         or refused it
//	                       yes                    │ provider appears
//	                        ▼                     ▼
//	                      live: the provider has been told
//
// # Threads
//
// Each socket has one reading goroutine, a worker connection also a writing
// one; each running engine has one for its clock work. Timers are recorded.
// Restart and Close return when all of them have ended. Messages to a worker
// are queued without waiting, also under Engine.mu, so a worker that does not
// read holds up nobody. Buffers are pooled: a frame's text belongs to whoever
// handles the frame, an outgoing one to the writer.
//
// # Differences from the iii engine
//
// Messages to a worker never block the sender. One ping gets one pong. An
// upgrade whose Origin names another host is refused. RBAC, telemetry and
// functions hosted over HTTP do not exist. The configuration directory is read
// at start only.
package devengine
