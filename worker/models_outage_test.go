package worker

import (
	"context"
	"testing"
	"testing/synctest"
	"time"
)

// outage returns a resolver whose router said small a good minute ago and fails
// since.
func outage(t *testing.T) *resolver {
	t.Helper()
	r := newResolver(t, modelsOptions{})
	r.router.budget(small, nil)
	r.wantWindow(windowSmall)
	pass(knownFor + time.Millisecond)
	r.router.budget("", errRouterDown)
	return r
}

func TestLastLimitsServeInAnOutage(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		r := outage(t)
		r.wantWindow(windowSmall) // this call finds out
		r.wantAsked(2)
		r.wantWarnings(1)
		for range 10 {
			r.wantWindow(windowSmall)
		}
		r.wantAsked(2)
	})
}

func TestOneLookupInTheBackgroundEveryFiveSeconds(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		r := outage(t)
		r.wantWindow(windowSmall)
		pass(retryEvery - time.Millisecond)
		r.wantWindow(windowSmall)
		synctest.Wait()
		r.wantAsked(2)
		for n := 3; n < 6; n++ {
			pass(time.Millisecond)
			for range 10 {
				r.wantWindow(windowSmall)
			}
			synctest.Wait()
			r.wantWindow(windowSmall)
			synctest.Wait()
			r.wantAsked(n)
			pass(retryEvery - time.Millisecond)
		}
	})
}

func TestCallsDoNotWaitForALookupInTheBackground(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		r := outage(t)
		r.wantWindow(windowSmall)
		pass(retryEvery)
		h := newHeld()
		r.router.set(modelBudgetFunction, h.answer)
		r.wantWindow(windowSmall)
		<-h.begun
		pass(time.Hour)
		r.wantWindow(windowSmall)
		r.wantAsked(3) // the one that hangs is the only one
		h.give(large, nil)
		synctest.Wait()
		r.wantWindow(windowLarge)
		r.wantAsked(3)
	})
}

func TestTheEndOfAnOutageIsFoundInTheBackground(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		r := outage(t)
		r.wantWindow(windowSmall)
		r.router.budget(large, nil)
		pass(retryEvery)
		r.wantWindow(windowSmall) // starts the lookup
		synctest.Wait()
		r.wantWindow(windowLarge)
		pass(knownFor)
		r.wantWindow(windowLarge)
		r.wantAsked(3)
		pass(time.Millisecond)
		r.wantWindow(windowLarge) // asks before it answers, as without an outage
		r.wantAsked(4)
	})
}

func TestNullEndsTheLastLimits(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		r := outage(t)
		r.wantWindow(windowSmall)
		r.router.budget("null", nil)
		pass(retryEvery)
		r.wantWindow(windowSmall)
		synctest.Wait()
		r.wantWindow(0)
		pass(unknownFor + time.Millisecond)
		r.router.budget("", errRouterDown)
		r.wantError(errRouterDown)
		r.wantError(errRouterDown)
		r.wantAsked(5)
	})
}

func TestOneWarningAMinute(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		r := outage(t)
		for range 120 {
			r.wantWindow(windowSmall)
			pass(time.Second)
		}
		r.wantWarnings(2)
		r.wantWindow(windowSmall)
		r.wantWarnings(3)
	})
}

func TestAFlushedAnswerServesInAnOutage(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		r := newResolver(t, modelsOptions{})
		r.router.budget(small, nil)
		r.wantWindow(windowSmall)
		r.Flush()
		r.router.budget("", errRouterDown)
		r.wantWindow(windowSmall)
		r.wantAsked(2)
		r.wantWindow(windowSmall)
		r.wantAsked(2)
	})
}

func TestAFlushInAnOutageMakesTheNextCallAsk(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		r := outage(t)
		r.wantWindow(windowSmall)
		r.router.budget(large, nil)
		r.Flush()
		r.wantWindow(windowLarge)
	})
}

// Room for other models can push out one whose lookup is scheduled, and then a
// call has to wait for that lookup, or make it when nobody will.
func TestAScheduledLookupThatIsNotMadeHasNoOutcome(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		r := newResolverAlone(t, modelsOptions{MaxModels: 1})
		r.beginRunning()
		r.router.budget(small, nil)
		r.wantWindow(windowSmall)
		pass(knownFor + time.Millisecond)
		r.router.budget("", errRouterDown)
		r.wantWindow(windowSmall)
		pass(retryEvery)
		r.wantWindow(windowSmall) // schedules
		r.router.budget(large, nil)
		r.window("p", "another")
		c := r.start(t.Context())
		if c.ended() {
			t.Error("did not wait for the lookup that is scheduled")
		}
		r.endRunning()
		<-c.done
		if c.err != nil || c.budget == nil || c.budget.Limits.ContextWindow != windowLarge {
			t.Errorf("got %+v, %v, want a window of %d", c.budget, c.err, windowLarge)
		}
	})
}

func TestWithoutRunCallsMakeEveryLookup(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		r := newResolverAlone(t, modelsOptions{})
		r.router.budget(small, nil)
		r.wantWindow(windowSmall)
		pass(knownFor + time.Millisecond)
		r.router.budget("", errRouterDown)
		r.wantWindow(windowSmall)
		r.wantWindow(windowSmall)
		r.wantAsked(2)
		pass(retryEvery)
		r.wantWindow(windowSmall)
		r.wantAsked(3)
		pass(retryEvery)
		r.router.budget(large, nil)
		r.wantWindow(windowLarge)
	})
}

func TestRunWaitsForItsLookups(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		r := newResolverAlone(t, modelsOptions{})
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			r.Run(ctx)
		}()
		synctest.Wait()
		r.router.budget(small, nil)
		r.wantWindow(windowSmall)
		pass(knownFor + time.Millisecond)
		r.router.budget("", errRouterDown)
		r.wantWindow(windowSmall)
		pass(retryEvery)

		begun, release := make(chan struct{}), make(chan struct{})
		r.router.set(modelBudgetFunction, func(ctx context.Context) (string, error) {
			close(begun)
			<-ctx.Done() // it is called off, and takes its time to end
			<-release
			return "", context.Cause(ctx)
		})
		r.wantWindow(windowSmall)
		<-begun
		cancel()
		synctest.Wait()
		select {
		case <-ended:
			t.Error("Run has returned before its lookup")
		default:
		}
		close(release)
		<-ended
		// A lookup that was called off is no failure of the router's.
		if got := r.cache.get(modelKey{Provider: "p", ID: "m"}).failure; got != errRouterDown {
			t.Errorf("got the failure %v, want %v", got, errRouterDown)
		}
	})
}
