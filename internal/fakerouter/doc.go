// Package fakerouter is a router worker that does what a test says: it has a table
// of models behind router::models::budget, ::get and ::list, answers router::chat
// from scripts over real channels, provides the trigger type
// router::models::changed, and records everything it is asked.
//
// One chat, as the script of [Summary] plays it; a script may do any of it
// otherwise, or not at all:
//
//	router::chat ─► request recorded ─► invalid? ─► thrown router/invalid_request
//	                    │
//	        next pushed script, else Options.Answer
//	                    ▼
//	  frames over the channel ─► channel closed ─► answer returned
//
// What a script does after its answer goes on in the background until it ends or
// [Router.Run] does. When the reader of the channel has gone, the rest of the
// frames is left out and the answer says aborted, as the real router does.
//
// [Extractive] is an answer for demonstrations: a summary picked from the
// conversation's own lines, which says that no model wrote it.
package fakerouter
