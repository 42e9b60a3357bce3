package worker

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
)

func TestCallsShareALookup(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		r := newResolver(t, modelsOptions{})
		h := newHeld()
		r.router.set(modelBudgetFunction, h.answer)
		var calls []*resolving
		for range 50 {
			calls = append(calls, r.start(t.Context()))
		}
		h.give(small, nil)
		for _, c := range calls {
			<-c.done
			if c.err != nil || c.budget.Limits.ContextWindow != windowSmall {
				t.Errorf("got %+v, %v, want a window of %d", c.budget, c.err, windowSmall)
			}
		}
		r.wantAsked(1)
	})
}

func TestCallsShareAFailure(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		r := newResolver(t, modelsOptions{})
		h := newHeld()
		r.router.set(modelBudgetFunction, h.answer)
		first, second := r.start(t.Context()), r.start(t.Context())
		h.give("", errRouterDown)
		<-first.done
		<-second.done
		if !errors.Is(first.err, errRouterDown) || !errors.Is(second.err, errRouterDown) {
			t.Errorf("got %v and %v, want %v for both", first.err, second.err, errRouterDown)
		}
		r.wantAsked(1)
	})
}

var errGone = errors.New("the caller is gone")

func TestAWaiterThatLeavesHurtsNobody(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		r := newResolver(t, modelsOptions{})
		h := newHeld()
		r.router.set(modelBudgetFunction, h.answer)
		first := r.start(t.Context())
		ctx, cancel := context.WithCancelCause(t.Context())
		second := r.start(ctx)
		cancel(errGone)
		<-second.done
		if !errors.Is(second.err, errGone) {
			t.Errorf("got %v, want %v", second.err, errGone)
		}
		if first.ended() {
			t.Error("the lookup ended with the call that left")
		}
		h.give(small, nil)
		<-first.done
		if first.err != nil {
			t.Errorf("got %v, want an answer", first.err)
		}
		r.wantAsked(1)
	})
}

func TestOthersTakeOverWhenTheCallThatAsksLeaves(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		r := newResolver(t, modelsOptions{})
		h := newHeld()
		r.router.set(modelBudgetFunction, h.answer)
		ctx, cancel := context.WithCancelCause(t.Context())
		first := r.start(ctx)
		second, third := r.start(t.Context()), r.start(t.Context())
		cancel(errGone)
		<-first.done
		if !errors.Is(first.err, errGone) {
			t.Errorf("got %v, want %v", first.err, errGone)
		}
		synctest.Wait()
		r.wantAsked(2) // one of the two asks, the other waits for it
		h.give(small, nil)
		<-second.done
		<-third.done
		if second.err != nil || third.err != nil {
			t.Errorf("got %v and %v, want answers", second.err, third.err)
		}
		r.wantAsked(2)
	})
}

func TestALookupLeavesNothingBehindAFlush(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		r := newResolver(t, modelsOptions{})
		h := newHeld()
		r.router.set(modelBudgetFunction, h.answer)
		before := r.start(t.Context())
		r.Flush()
		h.give(small, nil)
		<-before.done
		if before.err != nil || before.budget.Limits.ContextWindow != windowSmall {
			t.Errorf("got %+v, %v, want the answer that was asked for", before.budget, before.err)
		}
		r.router.budget(large, nil)
		r.wantWindow(windowLarge)
		r.wantAsked(2)
	})
}

func TestCallsAfterAFlushDoNotWaitForEarlierLookups(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		r := newResolver(t, modelsOptions{})
		h := newHeld()
		r.router.set(modelBudgetFunction, h.answer)
		before := r.start(t.Context())
		<-h.begun
		r.Flush()
		r.router.budget(large, nil)
		r.wantWindow(windowLarge)
		h.give(small, nil)
		<-before.done
		r.wantWindow(windowLarge)
		r.wantAsked(2)
	})
}

func TestTheEndOfAnEarlierLookupEndsNoLaterOne(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		r := newResolver(t, modelsOptions{})
		earlier, later := newHeld(), newHeld()
		r.router.set(modelBudgetFunction, earlier.answer)
		first := r.start(t.Context())
		r.Flush()
		r.router.set(modelBudgetFunction, later.answer)
		second := r.start(t.Context())
		earlier.give(small, nil)
		<-first.done
		third := r.start(t.Context()) // shares the lookup of the second
		r.wantAsked(2)
		later.give(large, nil)
		<-second.done
		<-third.done
		if third.err != nil || third.budget.Limits.ContextWindow != windowLarge {
			t.Errorf("got %+v, %v, want a window of %d", third.budget, third.err, windowLarge)
		}
		r.wantAsked(2)
	})
}

func TestAFailureFromBeforeAFlushSaysNothing(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		r := newResolver(t, modelsOptions{})
		r.router.budget(small, nil)
		r.wantWindow(windowSmall)
		r.Flush()
		h := newHeld()
		r.router.set(modelBudgetFunction, h.answer)
		before := r.start(t.Context())
		r.Flush()
		h.give("", errRouterDown)
		<-before.done
		if before.err != nil || before.budget.Limits.ContextWindow != windowSmall {
			t.Errorf("got %+v, %v, want the last limits", before.budget, before.err)
		}
		r.wantWarnings(0)
		r.router.budget(large, nil)
		r.wantWindow(windowLarge) // asked for, not answered from the last limits
	})
}

func TestThoseWhoWaitGiveWay(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		r := newResolver(t, modelsOptions{})
		h := newHeld()
		r.router.set(modelBudgetFunction, h.answer)
		first, second := r.start(t.Context()), r.start(t.Context())
		if got := r.router.waiting(); got != 2 {
			t.Errorf("got %d handlers that gave way, want 2", got)
		}
		h.give(small, nil)
		<-first.done
		<-second.done
		if got := r.router.waiting(); got != 0 {
			t.Errorf("got %d handlers that have not come back, want 0", got)
		}
	})
}

// The call that asks gets its running place back when there is one; those who
// share the lookup do not wait for that.
func TestALookupLandsWithoutARunningPlace(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		r := newResolver(t, modelsOptions{})
		h := newHeld()
		r.router.set(modelBudgetFunction, h.answer)
		free := make(chan struct{})
		r.router.resume = func(n int) {
			if n == 1 {
				<-free
			}
		}
		type marker struct{}
		first := r.start(context.WithValue(t.Context(), marker{}, true))
		second := r.start(t.Context())
		if r.router.callCtx.Value(marker{}) != nil {
			t.Error("the lookup is part of the call that asks: the bus makes it wait for that call's place")
		}
		h.give(small, nil)
		<-second.done
		if first.ended() {
			t.Error("the first call went on without a place")
		}
		close(free)
		<-first.done
		if first.err != nil || second.err != nil {
			t.Errorf("got %v and %v, want answers", first.err, second.err)
		}
	})
}

func TestAPanicLeavesNobodyWaiting(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		r := newResolver(t, modelsOptions{})
		h := newHeld()
		r.router.set(modelBudgetFunction, h.answer)
		recovered := make(chan any)
		go func() {
			defer func() { recovered <- recover() }()
			_, _ = r.Resolve(t.Context(), "p", "m")
		}()
		<-h.begun
		second := r.start(t.Context())
		h.release <- func() (string, error) { panic("broken") }
		if got := <-recovered; got != "broken" {
			t.Errorf("got the panic %v, want broken", got)
		}
		h.give(small, nil) // the second call asks in its stead
		<-second.done
		if second.err != nil {
			t.Errorf("got %v, want an answer", second.err)
		}
	})
}
