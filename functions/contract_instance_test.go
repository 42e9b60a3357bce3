package functions_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"context-manager/functions"
	"context-manager/internal/contract"
)

// instances is how many generated requests each published function must take.
const instances = 1000

// Every request that the published schemas allow is accepted, and what it is
// answered is allowed by them too. A request may still fail for what it asks,
// such as a budget that is too small; it may not be called invalid.
func TestPublishedRequestsAreAccepted(t *testing.T) {
	t.Parallel()
	service := functions.New(functions.Options{Summarizer: scribe{}, Leases: freeLeases{}})
	var names []string
	for _, p := range published(t) {
		names = append(names, p.Name)
	}
	contract.CheckInstances(t, names, rand.Uint64(), instances, func(name string, instance []byte) error {
		spec, ok := functions.Find(name)
		if !ok {
			return fmt.Errorf("no function %s", name)
		}
		answer, err := spec.Invoke(t.Context(), service, instance, 0, nil)
		var coded *functions.Error
		switch {
		case err == nil:
			return contract.ResponseError(name, answer)
		case errors.As(err, &coded) && (coded.Code == functions.CodeOverflow || coded.Code == functions.CodeModelUnresolved):
			return nil
		}
		return err
	})
}

// scribe answers every prompt with the same short summary.
type scribe struct{}

func (scribe) Summarize(context.Context, functions.SummaryPrompt) (string, error) {
	return "## Goal\n- go on", nil
}

// freeLeases hands out every lease.
type freeLeases struct{}

func (freeLeases) Acquire(context.Context, string, time.Duration) (functions.Lease, error) {
	return freeLease{}, nil
}

type freeLease struct{}

func (freeLease) Renew(context.Context) error { return nil }
func (freeLease) Check(context.Context) error { return nil }
func (freeLease) Release() error              { return nil }
