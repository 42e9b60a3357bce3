package agent

import (
	"errors"
	"fmt"
	"strings"
)

// FieldError says which member of a request is wrong and what was wanted.
// Every decoding function of this package returns one for bad input.
type FieldError struct {
	// Path names the member from the root, such as messages[3].timestamp.
	// Empty means the request itself.
	Path string
	// Reason says what is wrong and, where it helps, what is wanted.
	Reason string
}

// Error prints "path: reason".
func (e *FieldError) Error() string {
	if e.Path == "" {
		return "request: " + e.Reason
	}
	return e.Path + ": " + e.Reason
}

// fieldErr builds a FieldError without a path; callers on the way out add
// theirs with at.
func fieldErr(format string, args ...any) *FieldError {
	return &FieldError{Reason: fmt.Sprintf(format, args...)}
}

// at puts a path element in front of an error's path.
func at(err error, element string) error {
	if err == nil {
		return nil
	}
	var f *FieldError
	if !errors.As(err, &f) {
		return err
	}
	switch {
	case f.Path == "":
		f.Path = element
	case strings.HasPrefix(f.Path, "["):
		f.Path = element + f.Path
	default:
		f.Path = element + "." + f.Path
	}
	return err
}

// atIndex puts an array index in front of an error's path.
func atIndex(err error, i int) error {
	if err == nil {
		return nil
	}
	return at(err, fmt.Sprintf("[%d]", i))
}

// atKey puts a key of the text in front of an error's path, shortened, since it
// may be as long as the text.
func atKey(err error, key str) error {
	if err == nil {
		return nil
	}
	return at(err, short(key.bytes()))
}

// isSyntax tells an error about the JSON text itself from one about a value's
// shape. After a shape error the text can still be walked to its end.
func isSyntax(err error) bool {
	var s *syntaxError
	return errors.As(err, &s)
}

// syntaxError is the cause of a FieldError about the text itself.
type syntaxError struct{ FieldError }

func (e *syntaxError) As(target any) bool {
	if f, ok := target.(**FieldError); ok {
		*f = &e.FieldError
		return true
	}
	return false
}
