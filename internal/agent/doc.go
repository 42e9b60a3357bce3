// Package agent holds the wire contracts of an agent conversation: messages,
// content blocks, tools and model limits. It is the only place that reads or
// writes the JSON of messages.
//
// A message travels as the bytes it arrived as. Decoding makes one validating
// pass that records where things are and how large the canonical form would
// be; rewriting splices new bytes into a copy. A message that nobody rewrites
// is therefore printed back byte for byte, unknown members included.
//
// What the pass accepts is stricter than encoding/json: nesting of at most
// [MaxDepth], valid UTF-8, no lone surrogates, and no duplicate key in a
// request, message or block. Inside opaque values (details, arguments, unknown
// members) duplicate keys and numbers of any size are kept as they are.
//
// No input is read twice, however deep function_result blocks nest. What is
// allocated is the list, which grows in a few steps, and nothing for a message
// by itself. The scanner is our own
// because that pays: BenchmarkTokens shows that the tokens of jsontext alone
// cost more than the whole of BenchmarkDecode.
package agent
