package api

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// Error is a failure as data: what every frontend renders and every program
// can match on. It is made with [Errorf] where the cause is understood; errors
// from below that nobody translated become [Internal] by [AsError].
type Error struct {
	// Code is one of the table.
	Code Code
	// Message says what was tried and what was found, without a final full
	// stop. It never holds a secret.
	Message string
	// Hint is the next step. Empty means the table's hint for the code.
	Hint string
	// Data are machine-readable particulars, nil for none. Keys are camelCase.
	Data map[string]any

	cause error
}

// Errorf makes an error with a code. As with fmt.Errorf, %w keeps the cause for
// errors.Is and errors.As.
func Errorf(code Code, format string, args ...any) *Error {
	err := fmt.Errorf(format, args...)
	return &Error{Code: code, Message: err.Error(), cause: errors.Unwrap(err)}
}

// With adds one particular to Data and returns e.
func (e *Error) With(key string, value any) *Error {
	if e.Data == nil {
		e.Data = make(map[string]any, 2)
	}
	e.Data[key] = value
	return e
}

// WithHint sets the next step and returns e.
func (e *Error) WithHint(format string, args ...any) *Error {
	e.Hint = fmt.Sprintf(format, args...)
	return e
}

// Error returns the message alone; renderers add the hint.
func (e *Error) Error() string { return e.Message }

// Unwrap returns the cause given with %w, or nil.
func (e *Error) Unwrap() error { return e.cause }

// NextStep returns the error's own hint, or else the table's.
func (e *Error) NextStep() string {
	if e.Hint != "" {
		return e.Hint
	}
	return Lookup(e.Code).Hint
}

// Sentence joins message and next step in one line, the form used in JSON.
func (e *Error) Sentence() string {
	hint := e.NextStep()
	if hint == "" {
		return e.Message
	}
	if e.Message == "" {
		return hint
	}
	switch e.Message[len(e.Message)-1] {
	case '.', '!', '?', ':':
		return e.Message + " " + hint
	}
	return e.Message + ". " + hint
}

// Coded is an error of a package beside this one that has a place in the table,
// such as a fault in the configuration. [AsError] makes an [Error] of it.
type Coded interface {
	error
	// Coded returns what [Error] has under these names; all but the first two
	// may be empty.
	Coded() (code, message, hint string, data map[string]any)
}

// AsError finds the *Error in err's chain. Where there is none it makes one: of
// a [Coded] error by what that says, a passed deadline is [Timeout], a cancelled
// context [Cancelled], anything else [Internal] with err's text. nil stays nil.
//
// A wrapper's words are kept: fmt.Errorf("fill the form: %w", apiErr) keeps code,
// data and hint and renders with the longer message.
func AsError(err error) *Error {
	if err == nil {
		return nil
	}
	if e, ok := err.(*Error); ok { //nolint:errorlint // the unwrapped case is next
		return e
	}
	var inner *Error
	var coded Coded
	switch {
	case errors.As(err, &inner):
		wrapped := *inner
		wrapped.Message, wrapped.cause = err.Error(), err
		return &wrapped
	case errors.As(err, &coded):
		code, message, hint, data := coded.Coded()
		// Its own text may have the hint in it.
		message = strings.Replace(err.Error(), coded.Error(), message, 1)
		return &Error{Code: Code(code), Message: message, Hint: hint, Data: data, cause: err}
	case errors.Is(err, context.DeadlineExceeded):
		return &Error{Code: Timeout, Message: err.Error(), cause: err}
	case errors.Is(err, context.Canceled):
		return &Error{Code: Cancelled, Message: err.Error(), cause: err}
	}
	return &Error{Code: Internal, Message: err.Error(), cause: err}
}

// CodeOf returns the code of err as [AsError] sees it, "" for nil.
func CodeOf(err error) Code {
	if err == nil {
		return ""
	}
	return AsError(err).Code
}

// ExitOf returns the exit status for err: 0 for nil.
func ExitOf(err error) int {
	if err == nil {
		return 0
	}
	return Lookup(AsError(err).Code).Exit
}
