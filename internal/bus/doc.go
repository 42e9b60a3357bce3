// Package bus is the client of a worker for the iii engine: one WebSocket over
// which the worker registers functions and triggers, is called, calls others and
// opens channels.
//
// # Connection
//
//	          dial fails, refused name           engine closes, silence > 60 s,
//	          ┌──────────┐                       message > 64 MiB, write fails
//	          ▼          │                                   │
//	Run ─► pausing ─► dialling ─► registering ─► serving ────┤
//	          ▲                                     │        │
//	          └─────────────────────────────────────┼────────┘
//	                                     ctx ends   ▼
//	                                            draining ─► closing ─► Run returns nil
//
// Registering means queueing reattach (if there was a connection before), the
// worker itself, trigger types, functions and triggers, in this order and before
// anything else; nothing is acknowledged by the engine, so serving begins at once.
// Pauses start at 100 ms ± 30 % and double up to 30 s; a connection that lasted
// 5 s or on which a call was answered starts them anew, unless it was refused.
//
// Invariant: what came with a connection stays with it. An answer goes out on the
// connection its call came on or not at all, because the engine has failed the
// call already when that connection is lost; for the same reason a call that was
// sent is never sent again.
//
//	what happens                         what follows
//	connection lost                      waiting outgoing calls fail with ErrDisconnected, contexts of
//	                                     handlers end, incoming calls that wait are dropped
//	worker's name refused                5 more tries in 30 s, then Run returns *WorkerConflictError
//	all public functions refused         Run returns *FunctionConflictError
//	some functions refused               a warning
//	frame undecodable                    a warning with its length, nothing else
//	engine does not read                 senders wait; 16 MiB of unread refusals cost the connection
//	authentication refused               an error in the log; connecting again goes on
//
// # Goroutines
//
//	Run ── owns the connection, pauses, drains
//	 ├── readLoop   frames in: decodes the outline, never waits for anything else
//	 ├── writeLoop  frames out: the only writer; fed by outbox
//	 ├── pingLoop, watchSilence
//	 ├── one per connect hook, one for the callbacks of trigger types
//	 └── one per running handler: may outlive its connection, not Run
//
// # An incoming call
//
//	frame ─► no such function ─────────────────────► function_not_found
//	      ─► stopping ─────────────────────────────► context/stopping
//	      ─► 1,024 more than may run ─────────────► context/overloaded
//	      ─► waiting ─► running ◄──────► parked
//	                       │   the handler waits on the bus: its place
//	                       │   is another call's meanwhile
//	                       ▼
//	            result, error, panic, too large ───► one answer, to the writer
//
// A frame is read into a pooled buffer, scanned once for its top-level members and
// handed to the handler as a range of bytes. The handler appends its result behind
// the beginning of the answer's frame, so that no long message is copied or
// re-encoded here. Results are not checked: a handler must append valid JSON in
// UTF-8.
//
// When the client stops, calls that wait are answered context/stopping, contexts
// of running handlers end, and what has not returned after 2.5 s is answered
// context/stopping in its stead. The wire has no way to cancel a call: a handler
// never learns that its caller gave up.
package bus
