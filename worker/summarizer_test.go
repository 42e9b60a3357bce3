package worker

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"context-manager/functions"
	"context-manager/internal/bus"

	"github.com/google/go-cmp/cmp"
)

func TestChatRequest(t *testing.T) {
	tests := []struct {
		name, provider, want string
	}{
		{
			"with a provider", "p-1",
			`{"writer_ref":{"channel_id":"c-1","access_key":"k-1","direction":"write"},"model":"m-1","provider":"p-1","system_prompt":"sum it up",` +
				`"messages":[{"role":"user","content":[{"type":"text","text":"a <conversation> & more"}],"timestamp":1766000000000}],"tools":[]}`,
		},
		{
			"without a provider", "",
			`{"writer_ref":{"channel_id":"c-1","access_key":"k-1","direction":"write"},"model":"m-1","system_prompt":"sum it up",` +
				`"messages":[{"role":"user","content":[{"type":"text","text":"a <conversation> & more"}],"timestamp":1766000000000}],"tools":[]}`,
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				b := &scriptedChat{chat: func(_ context.Context, f *scriptedFrames) (string, error) {
					f.text(done("end", "text"))
					f.end()
					return answered, nil
				}}
				p := prompt
				p.Provider = test.provider
				got, err := newSummarizer(b, summarizerOptions{}).Summarize(t.Context(), p)
				if got != "text" || err != nil {
					t.Errorf("got %q, %v, want text", got, err)
				}
				if len(b.requests) != 1 || b.requests[0].FunctionID != "router::chat" || string(b.requests[0].Data) != test.want {
					t.Errorf("got the calls %s, want one of router::chat with\n%s", b.requests, test.want)
				}
				if got := b.requests[0].Timeout; got < time.Hour {
					t.Errorf("got a limit of %v on the call, want none that a summary can reach", got)
				}
				if b.frames.closes == 0 || b.waiting() != 0 {
					t.Errorf("the reader was closed %d times and %d handlers have not come back, want some and 0", b.frames.closes, b.waiting())
				}
			})
		})
	}
}

// unanswered ends a call of router::chat with an error.
func unanswered(err error) func(context.Context, *scriptedFrames) (string, error) {
	return func(_ context.Context, f *scriptedFrames) (string, error) { return "", err }
}

func TestFailuresAreTold(t *testing.T) {
	tests := []struct {
		name        string
		bus         *scriptedChat
		unavailable bool
		want        string // in the error
	}{
		{"no channel means that nobody is there", &scriptedChat{createErr: bus.ErrDisconnected}, true, "not connected"},
		{"a channel that does not open is a failure", &scriptedChat{openErr: bus.ErrNoChannel}, false, "no such channel"},
		{"no router means that nobody is there", &scriptedChat{chat: unanswered(&bus.RemoteError{Code: "function_not_found", Message: "Function router::chat not found in namespace default."})}, true, "router::chat"},
		{"no provider means that nobody is there", &scriptedChat{chat: unanswered(&bus.RemoteError{Code: "router/provider_unavailable", Message: "provider p unavailable"})}, true, "provider p"},
		{"an ambiguous model is a failure", &scriptedChat{chat: unanswered(&bus.RemoteError{Code: "router/ambiguous_model", Message: "two providers"})}, false, "router/ambiguous_model"},
		{"a text that speaks of something missing is a failure", &scriptedChat{chat: unanswered(&bus.RemoteError{Code: "invocation_failed", Message: "handler error: function_not_found: model not found, no function"})}, false, "not found"},
		{"a lost connection is a failure", &scriptedChat{chat: unanswered(bus.ErrDisconnected)}, false, "not connected"},
		{"a call cut off by the bus is a failure", &scriptedChat{chat: unanswered(bus.ErrTimeout)}, false, "no answer in time"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				begun := time.Now()
				text, err := newSummarizer(test.bus, summarizerOptions{}).Summarize(t.Context(), prompt)
				if text != "" || err == nil || !strings.Contains(err.Error(), test.want) {
					t.Fatalf("got %q, %v, want an error with %q", text, err, test.want)
				}
				if got := errors.Is(err, functions.ErrSummarizerUnavailable); got != test.unavailable {
					t.Errorf("got unavailable %v for %v, want %v", got, err, test.unavailable)
				}
				if took := time.Since(begun); took != 0 {
					t.Errorf("waited %v for the end of a stream that nobody writes, want no wait", took)
				}
				if f := test.bus.frames; f != nil && f.closes == 0 {
					t.Error("the reader was left open")
				}
			})
		})
	}
}

func TestTheAnswerMayComeBeforeTheStream(t *testing.T) {
	tests := []struct {
		name  string
		delay time.Duration
		want  string
	}{
		{"frames within two seconds count", 1999 * time.Millisecond, "the whole text"},
		{"frames after two seconds do not", 2001 * time.Millisecond, "the wh"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				b := &scriptedChat{chat: func(_ context.Context, f *scriptedFrames) (string, error) {
					f.text(delta("the wh"))
					go func() {
						time.Sleep(test.delay)
						f.text(delta("ole text"), done("end", "the whole text"))
						f.end()
					}()
					return answered, nil
				}}
				startSumming(t.Context(), newSummarizer(b, summarizerOptions{})).want(t, test.want)
				pass(time.Second) // for the late writer
			})
		})
	}
}

func TestAStreamThatIsNotClosedTakesTwoSeconds(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		b := &scriptedChat{chat: func(_ context.Context, f *scriptedFrames) (string, error) {
			f.text(done("end", "text"))
			return answered, nil
		}}
		c := startSumming(t.Context(), newSummarizer(b, summarizerOptions{}))
		if got := b.waiting(); got != 1 {
			t.Errorf("%d handlers gave way during the wait, want 1", got)
		}
		pass(drainFor - time.Millisecond)
		if c.ended() {
			t.Error("did not wait for the end of the stream")
		}
		pass(time.Millisecond)
		if !c.ended() {
			t.Error("still waits for the end of the stream")
		}
		c.want(t, "text")
		if b.frames.closes == 0 {
			t.Error("the reader was left open")
		}
	})
}

func TestAStreamThatEndsIsNotWaitedFor(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		b := &scriptedChat{chat: func(_ context.Context, f *scriptedFrames) (string, error) {
			f.text(done("end", "text"))
			f.end()
			return answered, nil
		}}
		begun := time.Now()
		startSumming(t.Context(), newSummarizer(b, summarizerOptions{})).want(t, "text")
		if took := time.Since(begun); took != 0 {
			t.Errorf("took %v, want no wait", took)
		}
	})
}

func TestASummaryTakesAsLongAsTheCallerLets(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		b := &scriptedChat{chat: func(ctx context.Context, f *scriptedFrames) (string, error) {
			f.text(delta("slow"))
			time.Sleep(59 * time.Minute)
			f.end()
			return answered, nil
		}}
		startSumming(t.Context(), newSummarizer(b, summarizerOptions{})).want(t, "slow")
	})
}

func TestTheCallerEndsASummary(t *testing.T) {
	hang := func(ctx context.Context, f *scriptedFrames) (string, error) {
		f.text(done("end", "text"))
		<-ctx.Done()
		return "", context.Cause(ctx)
	}
	unclosed := func(_ context.Context, f *scriptedFrames) (string, error) {
		f.text(done("end", "text"))
		return answered, nil
	}
	tests := []struct {
		name string
		chat func(context.Context, *scriptedFrames) (string, error)
	}{
		{"while the model writes", hang},
		{"while the model writes, and the bus has a reason of its own", func(ctx context.Context, _ *scriptedFrames) (string, error) {
			<-ctx.Done()
			return "", &bus.RemoteError{Code: "function_not_found", Message: "gone"}
		}},
		{"while the end of the stream is awaited", unclosed},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				ctx, cancel := context.WithCancelCause(t.Context())
				c := startSumming(ctx, newSummarizer(&scriptedChat{chat: test.chat}, summarizerOptions{}))
				cancel(errGone)
				synctest.Wait()
				if !c.ended() {
					t.Fatal("the summary goes on without its caller")
				}
				if !errors.Is(c.err, errGone) || errors.Is(c.err, functions.ErrSummarizerUnavailable) {
					t.Errorf("got %q, %v, want the error %v", c.text, c.err, errGone)
				}
			})
		})
	}
}

// The time for answers bounds the wait for an answer, not that for its end.
func TestTheTimeForAnswersDoesNotCutTheStream(t *testing.T) {
	late := func(t *testing.T, chat func(f *scriptedFrames), then func(context.CancelCauseFunc)) *summing {
		ctx, cancel := context.WithCancelCause(t.Context())
		c := startSumming(ctx, newSummarizer(&scriptedChat{chat: func(_ context.Context, f *scriptedFrames) (string, error) {
			chat(f)
			return answered, nil
		}}, summarizerOptions{}))
		pass(time.Second)
		cancel(functions.ErrSummaryLate)
		synctest.Wait()
		then(cancel)
		return c
	}
	t.Run("a stream that is not closed", func(t *testing.T) {
		inBubble(t, func(t *testing.T) {
			late(t, func(f *scriptedFrames) { f.text(done("end", "text")) },
				func(context.CancelCauseFunc) { pass(drainFor - time.Second) }).want(t, "text")
		})
	})
	t.Run("a stream that ends late", func(t *testing.T) {
		inBubble(t, func(t *testing.T) {
			var frames *scriptedFrames
			late(t, func(f *scriptedFrames) { frames = f; f.text(delta("half")) }, func(context.CancelCauseFunc) {
				frames.text(delta(" and half"), done("end"))
				frames.end()
			}).want(t, "half and half")
		})
	})
	t.Run("no answer", func(t *testing.T) {
		inBubble(t, func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(t.Context())
			c := startSumming(ctx, newSummarizer(&scriptedChat{chat: func(ctx context.Context, f *scriptedFrames) (string, error) {
				f.text(done("end", "text"))
				<-ctx.Done()
				return "", context.Cause(ctx)
			}}, summarizerOptions{}))
			cancel(functions.ErrSummaryLate)
			synctest.Wait()
			if !c.ended() || !errors.Is(c.err, functions.ErrSummaryLate) {
				t.Errorf("got %q, %v, want %v at once", c.text, c.err, functions.ErrSummaryLate)
			}
		})
	})
}

// An empty summary is the model's; one that could not be read is not empty.
func TestAStreamThatCannotBeReadIsAFailure(t *testing.T) {
	broken := fmt.Errorf("reading a channel: %w: %w", bus.ErrDisconnected, io.EOF)
	for name, tt := range map[string]struct {
		events []string
		want   string
	}{
		"before a text": {nil, ""},
		"behind a text": {[]string{delta("text")}, "text"},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				b := &scriptedChat{chat: func(_ context.Context, f *scriptedFrames) (string, error) {
					f.text(tt.events...)
					f.fail(broken)
					return answered, nil
				}}
				c := startSumming(t.Context(), newSummarizer(b, summarizerOptions{}))
				if tt.want != "" {
					c.want(t, tt.want)
				} else if !c.ended() || !errors.Is(c.err, broken) {
					t.Errorf("got %q, %v, want %v", c.text, c.err, broken)
				}
			})
		})
	}
}

func TestACallerThatHasGoneIsTheReason(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(errGone)
		b := &scriptedChat{createErr: bus.ErrDisconnected}
		_, err := newSummarizer(b, summarizerOptions{}).Summarize(ctx, prompt)
		if !errors.Is(err, errGone) || errors.Is(err, functions.ErrSummarizerUnavailable) {
			t.Errorf("got %v, want %v", err, errGone)
		}
	})
}

func TestNoTextIsLogged(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		log := &lockedBuffer{}
		b := &scriptedChat{chat: func(_ context.Context, f *scriptedFrames) (string, error) {
			f.text(delta("secret"), "secret garbage")
			return answered, nil
		}}
		s := newSummarizer(b, summarizerOptions{Logger: debugLog(log)})
		startSumming(t.Context(), s).want(t, "secret")
		got := log.String()
		if strings.Contains(got, "secret") || strings.Contains(got, prompt.System) {
			t.Errorf("got a text in the log:\n%s", got)
		}
		if n := strings.Count(got, "\n"); n != 2 {
			t.Errorf("got %d lines, want one about the stream and one about the frame:\n%s", n, got)
		}
	})
}

func TestDecodeChatAnswer(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, answer, stopReason, failure string
	}{
		{"a success", answered, "end", ""},
		{"an answer that is not marked", `{"stop_reason":"length"}`, "length", ""},
		{"null", `null`, "", ""},
		{"no object", `["ok"]`, "", ""},
		{"a mark that is not false", `{"ok":"false"}`, "", ""},
		{"a mark of null", `{"ok":null}`, "", ""},
		{"a bare kind", `{"ok":false,"error":{"code":"rate_limited","message":"upstream said 429"}}`, "", "rate_limited: upstream said 429"},
		{"a newer error", `{"ok":false,"stop_reason":"error","error":{"code":"router/rate_limited","message":"later","kind":"rate_limited","retryable":true,"attempts":3}}`, "error", "router/rate_limited: later"},
		{"a code alone", `{"ok":false,"error":{"code":"transient"}}`, "", "failed: transient"},
		{"a message alone", `{"ok":false,"error":{"message":"oops","code":7}}`, "", "failed: oops"},
		{"no error", `{"ok":false}`, "", "without saying why"},
		{"an error that is no object", `{"ok":false,"error":"broken"}`, "", "without saying why"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got := decodeChatAnswer([]byte(test.answer))
			if diff := cmp.Diff(got.stopReason, test.stopReason); diff != "" {
				t.Errorf("stop reason (-got +want):\n%s", diff)
			}
			switch {
			case test.failure == "" && got.failure != nil:
				t.Errorf("got the failure %v, want none", got.failure)
			case test.failure != "" && (got.failure == nil || !strings.Contains(got.failure.Error(), test.failure)):
				t.Errorf("got the failure %v, want one with %q", got.failure, test.failure)
			}
		})
	}
}
