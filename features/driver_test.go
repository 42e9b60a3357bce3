package features_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"context-manager/config"
	"context-manager/internal/fakerouter"
)

// driver takes scenarios to the functions: straight, or through a socket.
type driver interface {
	// begin prepares the surroundings that a scenario asks for. What it starts
	// ends with t.
	begin(t *testing.T, s setup) (session, error)
}

// session is the surroundings of one scenario.
type session interface {
	// call invokes a function and returns its answer; a failure is a *failure.
	call(ctx context.Context, id string, request []byte) ([]byte, error)
	// summaries are the calls of the summariser so far.
	summaries() []prompt
	// lookups are the models that the router has been asked for so far.
	lookups() []lookup
	// leases is the lease directory.
	leases() string
	// now is the worker's time in milliseconds.
	now() int64
	// pass lets its time go by; expire waits for a timer that this will end.
	pass(time.Duration)
	expire(time.Duration)
	// registered are the functions that callers can see.
	registered(ctx context.Context) ([]registration, error)
	// end frees what begin took.
	end()
}

// setup is what a scenario says about the surroundings.
type setup struct {
	settings config.Settings
	// models is what the router knows.
	models []routerModel
	// noRouter leaves the router out.
	noRouter bool
	// noLeases makes the lease directory unusable.
	noLeases bool
	script   script
}

// routerModel is one model of the router's table.
type routerModel struct {
	id, provider   string
	window, output uint64
	effective      *uint64
	inputLimit     *uint64
	thinking       map[string]uint64
	// record is answered as it stands in place of one made of these.
	record json.RawMessage
}

// maxOutput is what a call of the model would really ask for.
func (m *routerModel) maxOutput() uint64 {
	if m.effective != nil {
		return min(*m.effective, m.output)
	}
	return m.output
}

// script is what the summariser does: the replies in turn, then the last one
// for ever.
type script []reply

func (s script) at(n int) reply {
	if len(s) == 0 {
		return reply{text: defaultSummary}
	}
	return s[min(n, len(s)-1)]
}

// reply is one answer of the summariser.
type reply struct {
	text string
	// fail is the error it ends with instead.
	fail string
	// stop is the stop reason when the text is not whole.
	stop string
	// unavailable means that nobody answers.
	unavailable bool
	// never means that the answer does not come.
	never bool
	// meanwhile happens while the summary is being written.
	meanwhile func(dir string) error
	// raw is what the stream looks like, for scenarios on a socket.
	raw fakerouter.Script
}

const defaultSummary = "## Goal\n- (scripted default summary)"

// prompt is one call of the summariser.
type prompt struct {
	Model    string `json:"model"`
	Provider string `json:"provider,omitempty"`
	System   string `json:"system"`
	User     string `json:"user"`
}

// lookup is one question about a model's limits.
type lookup struct {
	ID       string `json:"id"`
	Provider string `json:"provider,omitempty"`
}

// registration is one function as callers see it.
type registration struct {
	ID       string
	Metadata json.RawMessage
}

// failure is a call's error as a caller sees it.
type failure struct{ code, message string }

func (f *failure) Error() string { return f.message }

// consistent reports whether the message repeats the code, which is how callers
// that only see a message tell errors apart.
func (f *failure) consistent() bool { return strings.HasPrefix(f.message, f.code+": ") }
