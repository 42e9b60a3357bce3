package functions

import (
	"errors"

	"context-manager/internal/agent"
)

// Code tells a caller's program what went wrong; it is stable.
type Code string

const (
	// CodeInvalidRequest says that the request is malformed; the text names the
	// member.
	CodeInvalidRequest Code = "context/invalid_request"
	// CodeModelUnresolved says that the model's limits are unknown and that
	// assuming small ones is switched off.
	CodeModelUnresolved Code = "context/model_unresolved"
	// CodeOverflow says that no allowed pass made the context fit.
	CodeOverflow Code = "context/overflow"
	// CodeState says that stored state could not be read or written.
	CodeState Code = "context/state"
	// CodeInternal says that the worker failed; the text says no more.
	CodeInternal Code = "context/internal"
	// CodeStopping says that the worker is going away; ask again.
	CodeStopping Code = "context/stopping"
)

// Error is a coded failure. Handlers return nothing else to the outside.
type Error struct {
	Code Code
	// Text says what, where and what to do, without the code.
	Text string
}

// Error prints "code: text": callers that only see a message look for the code
// in it.
func (e *Error) Error() string { return string(e.Code) + ": " + e.Text }

// ErrorCode returns the code; whoever puts errors on a wire asks for it.
func (e *Error) ErrorCode() string { return string(e.Code) }

func invalid(text string) *Error { return &Error{CodeInvalidRequest, text} }

// givenUp is the answer to a call whose worker stops, or whose connection is
// gone, while it waits for the router.
func givenUp() *Error {
	return &Error{CodeStopping, "the call was given up while it waited for the router; ask again"}
}

// coded gives an error the code it leaves the worker with.
func coded(err error) error {
	var e *Error
	var f *agent.FieldError
	switch {
	case errors.As(err, &e):
		return e
	case errors.As(err, &f):
		return invalid(f.Error())
	}
	return &Error{CodeInternal, err.Error()}
}
