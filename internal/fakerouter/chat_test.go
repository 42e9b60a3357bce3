package fakerouter_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"context-manager/internal/fakerouter"
)

const okAnswer = `{"model":"m-1","ok":true,"provider":"p-1","stop_reason":"end","usage":{"input":100,"output":`

func TestScripts(t *testing.T) {
	t.Parallel()
	const text = "## Goal\n- ship é\u00fc \U0001F600 <now> & then"
	whole := []string{"start", "text_start", "text_delta", "text_delta", "text_delta", "text_delta", "text_end", "usage", "stop", "done"}
	for _, tt := range []struct {
		name         string
		script       fakerouter.Script
		types        []string
		deltas, done string
		answer       string
	}{
		{"a summary", fakerouter.Summary(text), whole, text, text, okAnswer},
		{"deltas only", fakerouter.Deltas(text), whole, text, "", okAnswer},
		{"slim deltas", fakerouter.Slim(text), whole, text, "", okAnswer},
		{"no frames", fakerouter.Silent(), nil, "", "", okAnswer},
		{"an error frame", fakerouter.Failure("rate_limited", "429"), []string{"start", "error"}, "", "", `{"error":{"code":"rate_limited","message":"429"},"model":"m-1","ok":false,`},
		{"a stop with an error, then done", fakerouter.StopError("window exceeded", "x"), []string{"start", "stop", "done"}, "", "x", okAnswer},
		{"thrown before any frame", fakerouter.Thrown("router/provider_unavailable", "provider p unavailable"), nil, "", "", "router/provider_unavailable"},
		{"refused with its frame", fakerouter.Refused("router/ambiguous_model", "which"), []string{"error"}, "", "", "router/ambiguous_model"},
		{"cut by the limit", fakerouter.Ended("x", "length"), []string{"start", "text_start", "text_delta", "text_end", "usage", "stop", "done"}, "x", "x", `"stop_reason":"length"`},
		{"garbage between", fakerouter.StopError("m", "x").WithGarbage(), nil, "", "x", okAnswer},
		{"frames of the test's own", fakerouter.Script{fakerouter.Text(`{"type":"ping"}`), fakerouter.Close(), fakerouter.Answer(`{"x":1}`)}, []string{"ping"}, "", "", `{"x":1}`},
		{"no answer of its own", fakerouter.Script{fakerouter.Close()}, nil, "", "", okAnswer},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := setup(t, fakerouter.Options{})
			w.router.Push(tt.script)
			c := w.chat(request).ask()
			types, deltas, done := kinds(t, c.frames())
			if tt.types != nil && !slices.Equal(types, tt.types) {
				t.Errorf("got frames %q, want %q", types, tt.types)
			}
			if deltas != tt.deltas || done != tt.done {
				t.Errorf("got deltas %q and done %q, want %q and %q", deltas, done, tt.deltas, tt.done)
			}
			if got := c.answered(); !strings.HasPrefix(got, tt.answer) && !strings.Contains(got, tt.answer) {
				t.Errorf("got answer %s, want %s", got, tt.answer)
			}
			if w.router.Unplayed() != 0 || w.router.Count(fakerouter.ChatID) != 1 {
				t.Errorf("got %d scripts left and %d chats, want 0 and 1", w.router.Unplayed(), w.router.Count(fakerouter.ChatID))
			}
		})
	}
}

func TestPartialsFollowTheDeltas(t *testing.T) {
	t.Parallel()
	w := setup(t, fakerouter.Options{})
	w.router.Push(fakerouter.Summary("abcdef"), fakerouter.Slim("abcdef"))
	frames := w.chat(request).ask().frames()
	contains(t, frames[3], `"delta":"cd"`, `"text":"abcd"`, `"model":"m-1"`, `"provider":"p-1"`)
	frames = w.chat(request).ask().frames()
	if got := frames[3]; got != `{"delta":"cd","type":"text_delta"}` {
		t.Errorf("got %s, want a delta without a partial", got)
	}
}

func TestOrderIsFramesCloseAnswer(t *testing.T) {
	t.Parallel()
	w := setup(t, fakerouter.Options{})
	w.router.Push(fakerouter.Deltas("x"))
	c := w.chat(request).ask()
	c.frames()
	c.answered()
	got := fmt.Sprint(w.router.Events())
	want := "[{1 call } {1 frame start} {1 frame text_start} {1 frame text_delta} {1 frame text_end} {1 frame usage} {1 frame stop} {1 frame done} {1 close } {1 answer }]"
	if got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestAnAnswerMayComeBeforeTheLastFrames(t *testing.T) {
	t.Parallel()
	w := setup(t, fakerouter.Options{})
	letGo := make(chan struct{})
	w.router.Push(fakerouter.Summary("abc").AnswerBefore(2, fakerouter.Until(letGo)))
	c := w.chat(request).ask()
	contains(t, c.answered(), `"ok":true`)
	for _, e := range w.router.Events() {
		if e.Detail == "done" || e.Kind == "close" {
			t.Errorf("got %v before the answer, want it behind", e)
		}
	}
	close(letGo)
	if types, _, done := kinds(t, c.frames()); done != "abc" || types[len(types)-1] != "done" {
		t.Errorf("got %q with %q, want all frames in the end", types, done)
	}
}

func TestAThrowMayComeBeforeFrames(t *testing.T) {
	t.Parallel()
	w := setup(t, fakerouter.Options{})
	w.router.Push(fakerouter.Refused("router/x", "m").AnswerBefore(1, fakerouter.Pause(time.Microsecond)))
	c := w.chat(request).ask()
	if got := c.answered(); got != "router/x" {
		t.Errorf("got %s, want router/x", got)
	}
	if types, _, _ := kinds(t, c.frames()); !slices.Equal(types, []string{"error"}) {
		t.Errorf("got %q, want the error frame behind the answer", types)
	}
}

func TestAChannelMayStayOpen(t *testing.T) {
	t.Parallel()
	w := setup(t, fakerouter.Options{})
	w.router.Push(fakerouter.Summary("abc").WithoutClose())
	c := w.chat(request).ask()
	contains(t, c.answered(), `"ok":true`)
	for {
		f, err := c.reader.Next(w.ctx)
		if err != nil {
			t.Fatalf("got %v, want frames", err)
		}
		if strings.Contains(string(f.Data), `"done"`) {
			break
		}
	}
	for _, e := range w.router.Events() {
		if e.Kind == "close" {
			t.Error("got a close, want none")
		}
	}
}

func TestEventsMayComeAsBinaryLines(t *testing.T) {
	t.Parallel()
	w := setup(t, fakerouter.Options{})
	w.router.Push(fakerouter.Deltas(strings.Repeat("long ", 50_000)).AsBinaryLines())
	all := ""
	for _, f := range w.chat(request).ask().frames() {
		data, ok := strings.CutPrefix(f, "binary:")
		if !ok {
			t.Errorf("got a text frame %.50q, want binary only", f)
		}
		all += data
	}
	if types, deltas, _ := kinds(t, strings.Split(strings.TrimSuffix(all, "\n"), "\n")); len(types) != 9 && len(types) != 10 || deltas != strings.Repeat("long ", 50_000) {
		t.Errorf("got %q, want the events of the stream, one a line", types)
	}
}

func TestBinaryFramesOfTheTestsOwn(t *testing.T) {
	t.Parallel()
	w := setup(t, fakerouter.Options{})
	w.router.Push(fakerouter.Script{fakerouter.Binary([]byte("a\xffb")), fakerouter.Close()})
	if got := w.chat(request).ask().frames(); len(got) != 1 || got[0] != "binary:a\xffb" {
		t.Errorf("got %q, want the bytes unchanged", got)
	}
}

func TestMoreFramesThanTheChannelHoldsArriveOnceTheReaderReads(t *testing.T) {
	t.Parallel()
	w := setup(t, fakerouter.Options{})
	text := strings.Repeat("0123456789", 100)
	w.router.Push(fakerouter.Many(text, 500))
	c := w.chat(request)
	c.ask()
	types, deltas, _ := kinds(t, c.frames())
	if len(types) < 500 || deltas != text {
		t.Errorf("got %d frames and %d bytes, want at least 500 and %d", len(types), len(deltas), len(text))
	}
}

func TestAReaderThatGoesEndsTheChatAsAborted(t *testing.T) {
	t.Parallel()
	w := setup(t, fakerouter.Options{})
	w.router.Push(fakerouter.Many(strings.Repeat("x", 1000), 1000))
	c := w.chat(request)
	c.reader.Close()
	if got := c.ask().answered(); !strings.Contains(got, `"stop_reason":"aborted"`) {
		t.Errorf("got %s, want an aborted answer", got)
	}
}

func TestRequestsThatAreNone(t *testing.T) {
	t.Parallel()
	w := setup(t, fakerouter.Options{StrictRouting: true, Models: []fakerouter.Model{{ID: "m-1", Provider: "p-1"}, {ID: "m-2", Provider: "p-1"}, {ID: "m-2", Provider: "p-2"}}})
	for _, tt := range []struct {
		name, request, code string
		frame               bool
	}{
		{"no model", `"messages":[]`, "router/invalid_request", true},
		{"no messages", `"model":"m-1"`, "router/invalid_request", true},
		{"messages that are no array", `"model":"m-1","messages":{}`, "router/invalid_request", true},
		{"an unknown provider", `"model":"m-1","provider":"p-9","messages":[]`, "router/unknown_provider", true},
		{"an unknown model", `"model":"m-9","messages":[]`, "router/no_provider_for_model", true},
		{"a model of two providers", `"model":"m-2","messages":[]`, "router/ambiguous_model", true},
		{"no script", `"model":"m-1","messages":[]`, "fakerouter/unscripted", false},
	} {
		c := w.chat(tt.request).ask()
		frames := c.frames()
		if got := c.answered(); got != tt.code {
			t.Errorf("%s: got %s, want %s", tt.name, got, tt.code)
		}
		if (len(frames) == 1 && strings.Contains(frames[0], `"error_kind":"permanent"`)) != tt.frame {
			t.Errorf("%s: got frames %q, want an error frame: %t", tt.name, frames, tt.frame)
		}
	}
	for _, data := range []string{`{"model":"m-1","messages":[]}`, `{"writer_ref":{"channel_id":"c","access_key":"k","direction":"read"},"model":"m-1","messages":[]}`, `[]`} {
		if got := w.call(fakerouter.ChatID, data); got != "router/invalid_request" {
			t.Errorf("got %s for %s, want router/invalid_request", got, data)
		}
	}
}

// A script that hangs must not keep the router from ending: the clean-up of the
// test would not return.
func TestAHangingChat(t *testing.T) {
	t.Parallel()
	w := setup(t, fakerouter.Options{})
	w.router.Push(fakerouter.Hanging())
	c := w.chat(request).ask()
	f, err := c.reader.Next(w.ctx)
	if err != nil || !strings.Contains(string(f.Data), `"start"`) {
		t.Errorf("got %s, %v, want the start frame", f.Data, err)
	}
}

func TestAnswersFromAFunction(t *testing.T) {
	t.Parallel()
	w := setup(t, fakerouter.Options{Answer: func(q fakerouter.ChatRequest) fakerouter.Script {
		return fakerouter.Summary(fmt.Sprintf("%d %s %s %s", q.Chat, q.Model, q.SystemPrompt, strings.TrimSpace(q.Text())))
	}})
	w.router.Push(fakerouter.Summary("pushed first"))
	for _, want := range []string{"pushed first", "2 m-1 s hello", "3 m-1 s hello"} {
		if _, _, done := kinds(t, w.chat(request).ask().frames()); done != want {
			t.Errorf("got %q, want %q", done, want)
		}
	}
}
