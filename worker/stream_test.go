package worker

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"context-manager/functions"
	"context-manager/internal/bus"
)

// frames makes text frames of events; an event that starts with > stands for a
// binary frame of the rest.
func frames(events ...string) []bus.Frame {
	var list []bus.Frame
	for _, e := range events {
		piece, binary := strings.CutPrefix(e, ">")
		list = append(list, bus.Frame{Binary: binary, Data: []byte(piece)})
	}
	return list
}

func fold(list []bus.Frame) *stream {
	s := &stream{}
	for _, f := range list {
		s.add(f)
	}
	s.end()
	return s
}

const partial = `"partial":{"role":"assistant","content":[{"type":"text","text":"so far"}],"stop_reason":"end","timestamp":1}`

func TestStream(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		frames  []bus.Frame
		want    string
		skipped int
	}{
		{"no frame is no text", nil, "", 0},
		{"deltas are joined", frames(delta("a"), delta("b")), "ab", 0},
		{"a delta with a snapshot counts once", frames(`{"type":"text_delta",`+partial+`,"delta":"a"}`, `{"type":"text_delta",`+partial+`,"delta":"b"}`), "ab", 0},
		{"the text of done wins", frames(delta("a"), done("end", "whole")), "whole", 0},
		{"text blocks of done are joined by newlines", frames(done("end", "one", "", "two")), "one\n\ntwo", 0},
		{"blocks of other types are no text", frames(`{"type":"done","message":{"content":[{"type":"thinking","text":"hm"},{"type":"text","text":"x"},{"type":"function_call","id":"c"},{"type":"text","text":"y"}]}}`), "x\ny", 0},
		{"a later done replaces an earlier one", frames(done("end", "first"), done("end", "second")), "second", 0},
		{"an empty done leaves the deltas", frames(delta("a"), done("end")), "a", 0},
		{"a blank done leaves the deltas", frames(delta("a"), done("end", "", " ")), "a", 0},
		{"a done without a message leaves the deltas", frames(delta("a"), `{"type":"done"}`), "a", 0},
		{"a blank text is handed on", frames(delta(" \n")), " \n", 0},
		{"thinking is no text", frames(`{"type":"thinking_delta","delta":"hm"}`, delta("a"), `{"type":"thinking_end",`+partial+`}`), "a", 0},
		{"arguments are no text", frames(`{"type":"functioncall_delta","delta":"{"}`, delta("a")), "a", 0},
		{"unknown events and usage are passed over", frames(`{"type":"start",`+partial+`}`, `{"type":"text_start",`+partial+`}`, delta("a"), `{"type":"ping"}`, `{"type":"usage","usage":{"input":3}}`, `{"type":"telemetry","delta":"x"}`), "a", 0},
		{"a stop is not the end", frames(delta("a"), `{"type":"stop","stop_reason":"end"}`, delta("b")), "ab", 0},
		{"frames that are no events are passed over", frames(delta("a"), `nonsense`, `{"type":`, `7`, `[]`, `{}`, `{"type":5}`, `{"type":"text_delta"}`, `{"type":"text_delta","delta":5}`, delta("b")), "ab", 8},
		{"empty frames are nothing", frames(delta("a"), ``, ` `, `>`, ">\n\n", delta("b")), "ab", 0},
		{"a text frame is one event, whatever its newlines", frames("{\n\"type\":\"text_delta\",\n\"delta\":\"a\"}\n"), "a", 0},
		{"binary lines are events", frames(">" + delta("a") + "\n" + delta("b") + "\n"), "ab", 0},
		{"a last line needs no newline", frames(">" + delta("a") + "\n" + delta("b")), "ab", 0},
		{"lines may end as on Windows", frames(">" + delta("a") + "\r\n" + delta("b") + "\r\n"), "ab", 0},
		{"text and binary keep their order", frames(delta("a"), ">"+delta("b")+"\n", delta("c"), ">"+delta("d")+"\n", delta("e")), "abcde", 0},
		{"a line lies across frames", frames(`>{"type":"text_`, `>delta","delta":"a`, ">b\"}\n"+`{"type":"text_delta","delta"`, `>:"c"}`), "abc", 0},
		{"a line counts where it ends", frames(`>{"type":"text_delta",`, delta("a"), ">\"delta\":\"b\"}\n", delta("c")), "abc", 0},
		{"broken characters in a line are replaced", frames(">" + `{"type":"text_delta","delta":"a` + "\xff" + `b"}` + "\n"), "a\ufffdb", 0},
		{"a character may lie across frames", frames(`>{"type":"text_delta","delta":"`+"\xc3", ">\xa9\"}\n"), "é", 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := fold(test.frames)
			got, err := s.outcome(chatAnswer{stopReason: "end"})
			if got != test.want || err != nil {
				t.Errorf("got %q, %v, want %q", got, err, test.want)
			}
			if s.skipped != test.skipped {
				t.Errorf("passed over %d frames, want %d", s.skipped, test.skipped)
			}
		})
	}
}

func TestStreamFailures(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		frames []bus.Frame
		answer string
		want   string // the error
	}{
		{
			"an error event tells its message, not the text written so far",
			frames(delta("a"), `{"type":"error","error":{"content":[{"type":"text","text":"so far"}],"stop_reason":"error","error_message":"upstream said 529","error_kind":"transient"}}`),
			answered, "the model failed: transient: upstream said 529",
		},
		{
			"an error event without a message tells its text",
			frames(`{"type":"error","error":{"content":[{"type":"text","text":"overloaded"}]}}`),
			answered, "the model failed: overloaded",
		},
		{"an error event may tell nothing", frames(`{"type":"error"}`), answered, "the model failed without saying why"},
		{"a done after an error comes too late", frames(`{"type":"error","error":{"error_message":"first"}}`, done("end", "text"), `{"type":"error","error":{"error_message":"second"}}`), answered, "the model failed: first"},
		{
			"a stop with an error", frames(`{"type":"stop","stop_reason":"error","error_message":"window exceeded","error_kind":"context_overflow"}`, done("end", "text")),
			answered, "the model failed: context_overflow: window exceeded",
		},
		{"a stop with an error may tell nothing", frames(`{"type":"stop","stop_reason":"error"}`), answered, "the model failed without saying why"},
		{
			"the answer has the first word", frames(`{"type":"error","error":{"error_message":"upstream said 429"}}`),
			`{"ok":false,"error":{"code":"rate_limited","message":"slow down"}}`, "the router failed: rate_limited: slow down",
		},
		{"the answer fails a whole stream", frames(done("end", "text")), `{"ok":false}`, "the router failed without saying why"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			text, err := fold(test.frames).outcome(decodeChatAnswer([]byte(test.answer)))
			if text != "" || err == nil || err.Error() != test.want {
				t.Errorf("got %q, %v, want the error %q", text, err, test.want)
			}
		})
	}
}

func TestSummariesThatAreNotWholeAreRejected(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		frames []bus.Frame
		answer string
		reason string // empty = it is whole
	}{
		{"aborted", frames(done("aborted", "half")), answered, "aborted"},
		{"cut at the output limit", frames(done("length", "half")), answered, "length"},
		{"ended by an error that no event told", frames(done("error", "half")), answered, "error"},
		{"aborted before any text", frames(done("aborted")), `{"ok":true,"stop_reason":"aborted"}`, "aborted"},
		{"only the answer tells", frames(delta("half")), `{"ok":true,"stop_reason":"length"}`, "length"},
		{"only the answer tells, and nothing came", nil, `{"ok":true,"stop_reason":"aborted"}`, "aborted"},
		{"done does not say, but the answer does", frames(done("", "half")), `{"ok":true,"stop_reason":"length"}`, "length"},
		{"only a stop tells", frames(delta("half"), `{"type":"stop","stop_reason":"length"}`), `{"ok":true}`, "length"},
		{"done knows better than the answer", frames(done("end", "half")), `{"ok":true,"stop_reason":"length"}`, ""},
		{"the last done counts", frames(done("length", "half"), done("end", "half")), answered, ""},
		{"an unknown reason", frames(done("paused", "half")), answered, ""},
		{"no reason at all", frames(done("", "half")), `{}`, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			text, err := fold(test.frames).outcome(decodeChatAnswer([]byte(test.answer)))
			rejected := (*functions.SummaryRejected)(nil)
			switch {
			case test.reason == "" && (err != nil || text != "half"):
				t.Errorf("got %q, %v, want half", text, err)
			case test.reason != "" && (text != "" || !errors.As(err, &rejected) || rejected.StopReason != test.reason):
				t.Errorf("got %q, %v, want it rejected as %s", text, err, test.reason)
			}
		})
	}
}

func TestLongFailuresAreClipped(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("é", 4000)
	_, err := fold(frames(`{"type":"error","error":{"error_message":"` + long + `"}}`)).outcome(chatAnswer{})
	if err == nil || len(err.Error()) > 400 || strings.ContainsRune(err.Error(), '\ufffd') {
		t.Errorf("got %v, want at most 400 bytes and whole characters", err)
	}
}

func TestEndlessSummariesFail(t *testing.T) {
	t.Parallel()
	mib := bytes.Repeat([]byte("x"), 1<<20)
	tests := []struct {
		name  string
		frame bus.Frame
	}{
		{"in deltas", bus.Frame{Data: []byte(delta(string(mib)))}},
		{"in a line without an end", bus.Frame{Binary: true, Data: mib}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := &stream{}
			for range 16 {
				s.add(test.frame)
			}
			if s.failure != nil {
				t.Errorf("got %v after 16 MiB, want no failure", s.failure)
			}
			s.add(test.frame)
			if s.failure != errEndless {
				t.Errorf("got %v after 17 MiB, want %v", s.failure, errEndless)
			}
			if kept := len(s.line) + s.deltas.Len(); kept > longestSummary {
				t.Errorf("kept %d bytes, want at most %d", kept, longestSummary)
			}
		})
	}
}

// FuzzStream cuts the lines of a stream into binary frames in every way and
// wants what the lines give as text frames.
func FuzzStream(f *testing.F) {
	f.Add([]byte(delta("a")+"\n"+delta("b")+"\n"+done("end", "x", "y")), uint16(7))
	f.Add([]byte("\n\n{}\nnonsense\n"+delta("é")), uint16(1))
	f.Add([]byte(`{"type":"stop","stop_reason":"error"}`), uint16(3))
	f.Add([]byte(`{"type":"error","error":{"content":[{}]}}`), uint16(0))
	f.Fuzz(func(t *testing.T, data []byte, size uint16) {
		whole := &stream{}
		for line := range bytes.SplitSeq(data, []byte("\n")) {
			whole.add(bus.Frame{Data: line})
		}
		whole.end()
		cut := &stream{}
		n := int(size)%9 + 1
		for rest := data; len(rest) > 0; {
			piece := rest[:min(n, len(rest))]
			cut.add(bus.Frame{Binary: true, Data: piece})
			rest = rest[len(piece):]
		}
		cut.end()
		got, gotErr := cut.outcome(chatAnswer{})
		want, wantErr := whole.outcome(chatAnswer{})
		if got != want || cut.skipped != whole.skipped || (gotErr == nil) != (wantErr == nil) {
			t.Errorf("got %q, %v, %d passed over, want %q, %v, %d", got, gotErr, cut.skipped, want, wantErr, whole.skipped)
		}
	})
}
