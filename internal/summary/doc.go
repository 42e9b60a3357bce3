// Package summary writes the two prompts that ask a model to summarise the head
// of a history.
//
// The system prompt says what to do; everything the history holds goes into the
// user prompt, between conversation tags:
//
//	<::> [user]
//	list the files
//
//	<::> [assistant]
//	I will look.
//	<::> [tool_call] shell::run {"command":"ls"}
//
//	<::> [function_result] shell::run (error)
//	ls: not found
//
// # Fences
//
// The history is written by users, models and tools, and any of them may try to
// end the block it stands in, or to speak in somebody else's name. So whatever
// looks like one of our tags, or like the mark <::> that starts a label line,
// gets a backslash after its <. A look-alike is a <, any white space, invisible
// characters, slashes and backslashes, and then the tag's name in any letter
// case, even with white space in it. Backslashes that were there before are kept
// and one is added, so that taking one away gives the text back. The previous
// summary and the caller's instructions are fenced the same way.
//
// A body may be cut anywhere between two characters and still be fenced: half
// an escaped tag is no tag.
package summary
