package bus

import (
	"errors"
	"fmt"
	"strings"
)

// Codes that the bus itself answers a caller with. The message of every code
// that starts with "context/" starts with the code and a colon, because callers
// look for the code in the printed error.
const (
	// CodeOverloaded: as many calls wait as [Options.MaxWaiting] or
	// [Options.MaxWaitingBytes] allow. Trying again later may work.
	CodeOverloaded = "context/overloaded"
	// CodeStopping: the worker shuts down; the call was not begun, or was cut.
	CodeStopping = "context/stopping"
	// CodeResultTooLarge: the answer would exceed 60 MiB.
	CodeResultTooLarge = "context/result_too_large"
	// CodeInternal: the handler panicked. The stack is in the worker's log only.
	CodeInternal = "context/internal"
	// CodeInvocationFailed: the handler's error had no code of its own.
	CodeInvocationFailed = "invocation_failed"
	// CodeFunctionNotFound: the id is not, or no longer, served here.
	CodeFunctionNotFound = "function_not_found"
	// CodeTriggerRejected: a provider refused a binding.
	CodeTriggerRejected = "trigger_registration_failed"
	// CodeTriggerTypeNotFound: a binding arrived for a type that is not served here.
	CodeTriggerTypeNotFound = "trigger_type_not_found"
)

// Errors of the client itself; the methods that return them wrap them with the
// function or channel concerned. Each has a method ErrorCode() string.
var (
	// ErrDisconnected: there is no connection, or the one that carried the call
	// was lost. Whether a call that was sent has been executed is unknown.
	ErrDisconnected error = &sentinel{"invocation_stopped", "not connected to the engine"}
	// ErrTimeout: no answer came within the timeout. The engine has no cancel, so
	// the function may still be running.
	ErrTimeout error = &sentinel{"TIMEOUT", "no answer in time"}
	// ErrTooLarge: the message exceeds the 64 MiB the engine accepts. Nothing was
	// sent and the connection is unharmed.
	ErrTooLarge error = &sentinel{"message_too_large", "message over the 64 MiB limit of the engine"}
	// ErrStopped: the client shuts down or has done so.
	ErrStopped error = &sentinel{CodeStopping, CodeStopping + ": the worker is shutting down"}
	// ErrUndecodable: an answer arrived that this client does not accept, for
	// example one nested deeper than 128 levels.
	ErrUndecodable error = &sentinel{"undecodable_answer", "the answer cannot be decoded"}
	// ErrInvalidData: the data or metadata of a request is not JSON in UTF-8 or
	// nests too deep. The engine would drop the frame without an answer, or the
	// connection, so nothing is sent.
	ErrInvalidData error = &sentinel{"invalid_request", "not valid JSON of at most 127 levels"}
)

type sentinel struct{ code, text string }

func (e *sentinel) Error() string     { return e.text }
func (e *sentinel) ErrorCode() string { return e.code }

// RemoteError is an error that the engine or another worker answered with.
type RemoteError struct {
	Code       string
	Message    string
	Stacktrace string // as sent; empty when absent
}

// Error prints code and message, the code once.
func (e *RemoteError) Error() string {
	if strings.HasPrefix(e.Message, e.Code+":") {
		return e.Message
	}
	return e.Code + ": " + e.Message
}

// ErrorCode returns the remote code.
func (e *RemoteError) ErrorCode() string { return e.Code }

// WorkerConflictError ends [Client.Run]: the engine kept refusing the worker,
// normally because another live worker has the name. The code tells.
type WorkerConflictError struct {
	Code      string // WORKER_NAMESPACE_CONFLICT, or what the engine sent
	Namespace string
	Name      string
	Owner     string // worker id of the holder, empty when unknown
}

func (e *WorkerConflictError) Error() string {
	if e.Code != codeWorkerConflict {
		return fmt.Sprintf("the engine refuses worker %q in namespace %q: %s", e.Name, e.Namespace, e.Code)
	}
	return fmt.Sprintf("the engine refuses worker %q in namespace %q (%s): worker %s has the name; stop it or choose another name",
		e.Name, e.Namespace, e.Code, orUnknown(e.Owner))
}

// hint says what a refusal that is tried again may come from.
func (e *WorkerConflictError) hint() string {
	if e.Code != codeWorkerConflict {
		return "the engine refused this worker"
	}
	return "the engine refused the worker's name; an earlier connection may still hold it"
}

// ErrorCode returns the engine's code.
func (e *WorkerConflictError) ErrorCode() string { return e.Code }

// FunctionConflictError ends [Client.Run]: another worker owns every public
// function id of this one.
type FunctionConflictError struct {
	Namespace string
	IDs       []string
	Owner     string // worker id of the owner, empty when unknown
}

func (e *FunctionConflictError) Error() string {
	return fmt.Sprintf("every function of this worker (%s) is already registered in namespace %q by worker %s",
		strings.Join(e.IDs, ", "), e.Namespace, orUnknown(e.Owner))
}

// ErrorCode returns FUNCTION_NAMESPACE_CONFLICT.
func (e *FunctionConflictError) ErrorCode() string { return codeFunctionConflict }

func orUnknown(id string) string {
	if id == "" {
		return "(unknown)"
	}
	return id
}

// coded is what an error needs to choose its own code on the wire.
type coded interface{ ErrorCode() string }

func isCoded(err error) bool {
	var own coded
	return errors.As(err, &own)
}

// wireError returns what goes into an error object for err: its own code when
// one is in its chain, else fallback.
func wireError(err error, fallback string) (code, message string) {
	code, message = fallback, err.Error()
	var own coded
	if errors.As(err, &own) && own.ErrorCode() != "" {
		code = own.ErrorCode()
	}
	if strings.HasPrefix(code, "context/") && !strings.HasPrefix(message, code+": ") {
		message = code + ": " + message
	}
	return code, message
}
