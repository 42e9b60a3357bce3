package fakerouter_test

import (
	"encoding/json"
	"strings"
	"testing"

	"context-manager/internal/fakerouter"
)

const conversation = `Summarise this conversation.

<conversation>

<::> [user]
Migrate the tests.
And be quick.

<::> [assistant]
I look first.
<::> [tool_call] shell::run {"command":"cat internal/a/b.go"}
<::> [tool_call] shell::run {"command":"cat internal/a/b.go"}

<::> [function_result] shell::run (error)
cat: no such file
exit status 1

<::> [function_result] shell::run
package a

[assistant]

Found it.

<::> [user]
Now the second file.

</conversation>`

const template = "Create a new anchored summary.\n\n<template>\n## Goal\n- x\n\n## Progress\n### Done\n- y\n\n### Blocked\n- z\n\n## Next Steps\n- n\n\n## Critical Context\n- c\n\n## Relevant Files\n- f\n</template>\n"

func summarise(t *testing.T, system, user string) string {
	t.Helper()
	w := setup(t, fakerouter.Options{Answer: fakerouter.Extractive})
	text, err := json.Marshal(user)
	if err != nil {
		t.Fatal(err)
	}
	prompt, err := json.Marshal(system)
	if err != nil {
		t.Fatal(err)
	}
	_, _, done := kinds(t, w.chat(`"model":"m","system_prompt":`+string(prompt)+`,"messages":[{"role":"user","content":[{"type":"text","text":`+string(text)+`}],"timestamp":1}]`).ask().frames())
	return done
}

func TestExtractiveFillsTheHeadingsThatAreAskedFor(t *testing.T) {
	t.Parallel()
	const label = "- this summary is extractive: lines picked from the conversation by a development router; no model wrote it\n"
	got := summarise(t, template, conversation)
	want := "## Goal\n- Migrate the tests.\n\n## Progress\n\n### Done\n- I look first.\n- Found it.\n\n### Blocked\n- cat: no such file\n\n" +
		"## Next Steps\n- Now the second file.\n\n## Critical Context\n" + label + "\n## Relevant Files\n- internal/a/b.go"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	update := "Update.\n<previous-summary>\n" + got + "\n</previous-summary>\n" + template
	got = summarise(t, update, "<conversation>\n<::> [user]\nAnd a third.\n\n<::> [assistant]\nDone with it.\n\n</conversation>")
	want = "## Goal\n- Migrate the tests.\n\n## Progress\n\n### Done\n- I look first.\n- Found it.\n- Done with it.\n\n### Blocked\n- cat: no such file\n\n" +
		"## Next Steps\n- And a third.\n\n## Critical Context\n" + label + "\n## Relevant Files\n- internal/a/b.go"
	if got != want {
		t.Errorf("got update\n%s\nwant\n%s", got, want)
	}
}

func TestExtractiveStaysShort(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("[user]\n"+strings.Repeat("é", 5000)+"\n[assistant]\n"+strings.Repeat("x", 999)+"\n", 10)
	for i := range 100 {
		long += "[assistant]\nstep " + strings.Repeat("i", i) + "\n[tool_call] f::g {\"path\":\"a/b" + strings.Repeat("i", i) + ".go\"}\n"
	}
	got := summarise(t, "no template here", long)
	if len(got) > 6000 {
		t.Errorf("got %d bytes, want at most 6,000", len(got))
	}
	for _, heading := range []string{"## Goal", "## Constraints & Preferences\n- (none)", "### In Progress\n- (none)", "## Actions Taken", "## Relevant Files", "no model wrote it"} {
		contains(t, got, heading)
	}
}
