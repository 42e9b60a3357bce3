package config

import (
	"context"

	"github.com/fsnotify/fsnotify"
)

// What the external tests may see of the inside.
var ExpandHomeOf = expandHome

// WatchSettling is Watch with its wait passed in.
func WatchSettling(ctx context.Context, path string, settle func(context.Context), onChange func([]byte, error)) error {
	return watch(ctx, path, settle, onChange)
}

// WaitOn waits for a sign that the route to path changes.
func WaitOn(ctx context.Context, w *fsnotify.Watcher, path string) {
	steps, _ := route(path)
	(&watcher{w, steps}).wait(ctx)
}

// Limit is the range of a key as the table has it: numbers in Low and High,
// else the zero value.
type Limit struct {
	Key       string
	Number    bool
	Low, High uint64
}

// Limits lists the keys in order.
func Limits() []Limit {
	var limits []Limit
	for _, k := range table {
		l := Limit{Key: k.name}
		if low, ok := k.limits["minimum"].(uint64); ok {
			l.Number, l.Low, l.High = true, low, k.limits["maximum"].(uint64)
		}
		limits = append(limits, l)
	}
	return limits
}
