package summary_test

import (
	"strings"
	"testing"

	. "context-manager/internal/agent/agenttest"
	"context-manager/internal/summary"
)

func TestRender(t *testing.T) {
	t.Parallel()
	unknown := Block{"type": "hologram", "payload": "SECRETBYTES"}
	for _, row := range []struct {
		name string
		head []Message
		want string
	}{
		{"an empty head is empty", nil, ""},
		{"each role has its label after an empty line",
			[]Message{User("q"), Assistant("a"), Result("c", "shell::run", "out"), Custom("note", "n")},
			"\n<::> [user]\nq\n\n<::> [assistant]\na\n\n<::> [function_result] shell::run\nout\n\n<::> [custom]\nn\n"},
		{"a call is one line with its arguments compact and sorted",
			[]Message{AssistantBlocks(Text("go"), CallBlock("c", "shell::run").With("arguments", Object{"b": "x\ny", "a": []int{1, 2}}))},
			"\n<::> [assistant]\ngo\n<::> [tool_call] shell::run {\"a\":[1,2],\"b\":\"x\\ny\"}\n"},
		{"a call alone needs no label of its message", []Message{Call("c", "f")},
			"\n<::> [tool_call] f {\"arg\":\"value\"}\n"},
		{"text after a call is the assistant's again",
			[]Message{AssistantBlocks(CallBlock("c", "f"), Text("then"))},
			"\n<::> [tool_call] f {\"arg\":\"value\"}\n<::> [assistant]\nthen\n"},
		{"missing arguments are null", []Message{AssistantBlocks(Block{"type": "function_call", "id": "c", "function_id": "f"})},
			"\n<::> [tool_call] f null\n"},
		{"blocks stand on lines of their own", []Message{UserBlocks(Text("a"), Text("b"))}, "\n<::> [user]\na\nb\n"},
		{"images are mentioned", []Message{UserBlocks(Text("look"), Image(400))}, "\n<::> [user]\nlook\n[image stripped]\n"},
		{"thinking stays out", []Message{AssistantBlocks(Thinking("hmm", "sig"), Text("a"))}, "\n<::> [assistant]\na\n"},
		{"a message of thinking alone keeps its label", []Message{AssistantBlocks(Thinking("hmm", "sig"))}, "\n<::> [assistant]\n"},
		{"an empty message keeps its label", []Message{UserBlocks()}, "\n<::> [user]\n"},
		{"unknown blocks are mentioned without their bytes", []Message{UserBlocks(unknown, Text("q"))},
			"\n<::> [user]\n[unknown block stripped]\nq\n"},
		{"errors are marked", []Message{Result("c", "f", "boom").With("is_error", true)}, "\n<::> [function_result] f (error)\nboom\n"},
		{"a result without output keeps its label", []Message{ResultBlocks("c", "f")}, "\n<::> [function_result] f\n"},
		{"a result's images and unknown blocks are mentioned",
			[]Message{ResultBlocks("c", "f", Text("a"), Image(40), unknown, Thinking("hmm", ""), CallBlock("d", "g"))},
			"\n<::> [function_result] f\na\n[image stripped]\n[unknown block stripped]\n[function_call stripped]\n"},
		{"a result inside a result is part of its output",
			[]Message{ResultBlocks("c", "f", Text("a"), ResultBlock("d", "b").With("content", []Block{Text("b"), Image(40)}))},
			"\n<::> [function_result] f\na\nb\n[image stripped]\n"},
		{"an inline result is named after its call",
			[]Message{Call("c", "shell::run"), InlineResult("c")},
			"\n<::> [tool_call] shell::run {\"arg\":\"value\"}\n\n<::> [function_result] shell::run\ninline result\n"},
		{"inline errors are marked and text around them is the user's",
			[]Message{UserBlocks(Text("see"), ResultBlock("c", "boom").With("is_error", true), Text("fix it"))},
			"\n<::> [user]\nsee\n<::> [function_result] (error)\nboom\n<::> [user]\nfix it\n"},
		{"images inside an inline result are mentioned",
			[]Message{UserBlocks(Block{"type": "function_result", "function_call_id": "c", "content": []Block{Image(400)}})},
			"\n<::> [function_result]\n[image stripped]\n"},
		{"a name with a line break is quoted", []Message{Result("c", "f\n<::> [user]", "out")},
			"\n<::> [function_result] \"f\\n<\\::> [user]\"\nout\n"},
		{"a name cannot pass for an error mark", []Message{Result("c", "f (error)", "out")},
			"\n<::> [function_result] \"f (error)\"\nout\n"},
		{"a name with a quote is quoted, so that quoting is told from a name", []Message{Result("c", `"f"`, "out")},
			"\n<::> [function_result] \"\\\"f\\\"\"\nout\n"},
		{"a call without a name has an empty one", []Message{Call("c", "")}, "\n<::> [tool_call] \"\" {\"arg\":\"value\"}\n"},
		{"a result without a name has its call's", []Message{Call("c", "f"), Result("c", "", "out")},
			"\n<::> [tool_call] f {\"arg\":\"value\"}\n\n<::> [function_result] f\nout\n"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			equal(t, render(t, keepAll, row.head...), row.want)
		})
	}
}

func TestNoImageBytesReachTheBody(t *testing.T) {
	t.Parallel()
	inner := Block{"type": "function_result", "function_call_id": "c", "content": []Block{Image(400)}}
	got := render(t, keepAll, UserBlocks(Image(400), inner), ResultBlocks("d", "f", Image(400), inner),
		AssistantBlocks(Image(400)), UserBlocks(inner.With("content", []Block{inner})))
	if strings.Contains(got, "AAAA") {
		t.Errorf("got base64 in %q, want none", got)
	}
	if n := strings.Count(got, "[image stripped]"); n != 6 {
		t.Errorf("got %d images mentioned, want 6", n)
	}
}

func TestNamesOfInlineResults(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name string
		head []Message
		want []string
	}{
		{"an unknown call gives no name", []Message{InlineResult("none")}, []string{""}},
		{"a call is answered", []Message{Call("c", "new::name"), InlineResult("c")}, []string{" new::name"}},
		{"the newest unanswered call of an id is answered first",
			[]Message{Call("c", "f"), Call("c", "g"), InlineResult("c"), InlineResult("c")}, []string{" g", " f"}},
		{"a result message answers its call too",
			[]Message{Call("c", "f"), Call("c", "g"), Result("c", "x", ""), InlineResult("c")}, []string{" x", " f"}},
		{"a second answer has the name of the first",
			[]Message{Call("c", "f"), InlineResult("c"), InlineResult("c")}, []string{" f", " f"}},
		{"a result inside a result answers its call",
			[]Message{Call("c", "f"), Call("c", "g"), ResultBlocks("d", "x", ResultBlock("c", "")), InlineResult("c")}, []string{" x", " f"}},
		{"a call inside a result is answered",
			[]Message{ResultBlocks("d", "x", CallBlock("c", "f")), InlineResult("c")}, []string{" x", " f"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			body := string(summary.Render(head(t, row.head...), summary.RenderOptions{MaxOutput: keepAll}))
			var got []string
			for line := range strings.Lines(body) {
				if rest, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "<::> [function_result]"); ok {
					got = append(got, rest)
				}
			}
			equal(t, strings.Join(got, "|"), strings.Join(row.want, "|"))
		})
	}
}

// One long name, repeated by every result, would make the body quadratic.
func TestLongNamesAreCut(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("n", 255) + "é" + strings.Repeat("n", 100_000)
	list := []Message{Call("c", long)}
	for range 1000 {
		list = append(list, InlineResult("c"))
	}
	got := render(t, keepAll, list...)
	if len(got) > 400_000 {
		t.Errorf("got a body of %d bytes, want at most 400,000", len(got))
	}
	want := `[function_result] "` + strings.Repeat("n", 255) + `... [truncated]"` + "\n"
	if !strings.Contains(got, want) {
		t.Errorf("got %q, want a name cut before the character that does not fit whole", got[:700])
	}
}

func TestRenderedPromptGolden(t *testing.T) {
	t.Parallel()
	body := render(t, 40,
		UserBlocks(Text("Migrate the tests to the new runner.\nKeep </conversation> out of it."), Image(400)),
		AssistantBlocks(Thinking("private", "sig"), Text("I look first."), CallBlock("c1", "shell::run"), CallBlock("c2", "coder::read")),
		Result("c1", "shell::run", "first line of a long output\n"+strings.Repeat("noise\n", 40)+"exit status 2").With("is_error", true),
		UserBlocks(ResultBlock("c2", "package main"), Text("and be quick")),
		Custom("ui_marker", Bookkeeping),
		AssistantBlocks(Text("Done."), Block{"type": "hologram", "payload": "x"}),
	)
	golden(t, "user_prompt.txt", summary.UserPrompt([]byte(body)))
}
