package worker

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"
)

func TestLimitsAreFreshForAMinute(t *testing.T) {
	tests := []struct {
		name  string
		age   time.Duration
		asked int
	}{
		{"at once", 0, 1},
		{"at 60,000 ms", 60000 * time.Millisecond, 1},
		{"not at 60,001 ms", 60001 * time.Millisecond, 2},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				r := newResolver(t, modelsOptions{})
				r.router.budget(small, nil)
				r.wantWindow(windowSmall)
				pass(test.age)
				r.wantWindow(windowSmall)
				r.wantAsked(test.asked)
			})
		})
	}
}

func TestUnknownModelsAreAskedForAgainAfterFiveSeconds(t *testing.T) {
	tests := []struct {
		name  string
		age   time.Duration
		asked int
	}{
		{"not at once", 0, 1},
		{"not at 5,000 ms", 5000 * time.Millisecond, 1},
		{"at 5,001 ms", 5001 * time.Millisecond, 2},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				r := newResolver(t, modelsOptions{})
				r.router.budget("null", nil)
				r.wantWindow(0)
				pass(test.age)
				r.wantWindow(0)
				r.wantAsked(test.asked)
			})
		})
	}
}

func TestFailuresAreNotKept(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		r := newResolver(t, modelsOptions{})
		r.router.budget("", errRouterDown)
		r.wantError(errRouterDown)
		r.wantError(errRouterDown)
		r.wantAsked(2)
		r.router.budget(small, nil)
		r.wantWindow(windowSmall)
		r.wantAsked(3)
	})
}

func TestARecordThatCannotBeReadIsAFailure(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		r := newResolver(t, modelsOptions{})
		r.router.budget(`{"model":{"context_window":9,"max_output_tokens":8,"thinking_budgets":{"odd":1}}}`, nil)
		for range 2 {
			if b, err := r.Resolve(t.Context(), "p", "m"); err == nil || !strings.Contains(err.Error(), "odd") {
				t.Errorf("got %v, %v, want an error that names the level", b, err)
			}
		}
		r.wantAsked(2)
	})
}

func TestProvidersAreToldApart(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		r := newResolver(t, modelsOptions{})
		r.router.budget(small, nil)
		for range 2 {
			for _, provider := range []string{"p", "q", ""} {
				r.window(provider, "m")
			}
		}
		r.wantAsked(3)
	})
}

func TestAFlushMakesTheNextCallAsk(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		r := newResolver(t, modelsOptions{})
		r.router.budget(small, nil)
		r.wantWindow(windowSmall)
		r.router.budget(large, nil)
		r.wantWindow(windowSmall)
		r.Flush()
		r.wantWindow(windowLarge)
		r.wantWindow(windowLarge)
		r.wantAsked(2)
	})
}

func TestAFlushForgetsThatAModelIsUnknown(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		r := newResolver(t, modelsOptions{})
		r.router.budget("null", nil)
		r.wantWindow(0)
		r.router.budget(small, nil)
		r.Flush()
		r.wantWindow(windowSmall)
	})
}

func TestChangedRecordsShowAfterAMinuteWithoutAFlush(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		r := newResolver(t, modelsOptions{})
		r.router.budget(small, nil)
		r.wantWindow(windowSmall)
		r.router.budget(large, nil)
		pass(60 * time.Second)
		r.wantWindow(windowSmall)
		pass(time.Millisecond)
		r.wantWindow(windowLarge)
	})
}

func TestTheOldestAnswerMakesRoom(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		r := newResolver(t, modelsOptions{MaxModels: 3})
		r.router.budget(small, nil)
		for _, id := range []string{"a", "b", "c"} {
			r.window("", id)
		}
		pass(60*time.Second + 1)
		r.window("", "a") // stored anew, so b is the oldest
		r.window("", "d")
		r.wantAsked(5)
		r.window("", "a")
		r.window("", "d")
		r.wantAsked(5)
		if got := r.cache.get(modelKey{ID: "b"}); got != nil {
			t.Errorf("got %+v for the oldest model, want nothing", got)
		}
		if got := len(r.cache.entries); got != 3 || r.cache.order.Len() != 3 {
			t.Errorf("got %d entries in a list of %d, want 3", got, r.cache.order.Len())
		}
	})
}

func TestAnAnswerReplacesTheOneBefore(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		r := newResolver(t, modelsOptions{})
		r.router.budget(small, nil)
		for range 3 {
			r.wantWindow(windowSmall)
			pass(knownFor + time.Millisecond)
		}
		r.wantAsked(3)
		if got := r.cache.order.Len(); got != 1 {
			t.Errorf("got %d answers for one model, want 1", got)
		}
	})
}

func TestTheCacheHasABound(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		r := newResolver(t, modelsOptions{})
		r.router.set(modelBudgetFunction, func(context.Context) (string, error) { return small, nil })
		for i := range maxModels + 10 {
			r.window("", fmt.Sprint(i))
		}
		if got := len(r.cache.entries); got != 4096 {
			t.Errorf("got %d entries, want 4096", got)
		}
	})
}

func TestLongNamesAreNotKept(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		r := newResolver(t, modelsOptions{})
		r.router.budget(small, nil)
		long := strings.Repeat("m", longestKey+1)
		for range 2 {
			if got := r.window("", long); got != windowSmall {
				t.Errorf("got a window of %d, want %d", got, windowSmall)
			}
		}
		r.wantAsked(2)
	})
}
