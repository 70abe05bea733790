package api

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// Error is an error as data, which every frontend renders and programs can match on. Use [Errorf] where the cause is
// understood; other errors become [Internal] by [AsError].
type Error struct {
	// Code is a code of the table in codes.go.
	Code Code
	// Message says what was tried and what was found, without a final full stop. It must not contain secrets.
	Message string
	// Hint is the next step; "" means the hint of the code.
	Hint string
	// Data are details for programs, nil for none. Keys are camelCase.
	Data map[string]any

	cause error
}

// Errorf returns an error with a code. As with fmt.Errorf, %w keeps the cause for errors.Is and errors.As.
func Errorf(code Code, format string, args ...any) *Error {
	err := fmt.Errorf(format, args...)
	return &Error{Code: code, Message: err.Error(), cause: errors.Unwrap(err)}
}

// With adds a member to Data and returns e.
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

// Error returns the message without the hint.
func (e *Error) Error() string { return e.Message }

// Unwrap returns the cause given with %w, or nil.
func (e *Error) Unwrap() error { return e.cause }

// NextStep returns the error's hint or, if it has none, that of its code.
func (e *Error) NextStep() string {
	if e.Hint != "" {
		return e.Hint
	}
	return Lookup(e.Code).Hint
}

// Sentence returns message and next step in one line, the form used in JSON.
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

// Coded is an error of a package that cannot import this one, but has a code, such as an error in the configuration.
// [AsError] converts it to an [Error].
type Coded interface {
	error
	// Coded returns the members of the [Error]. hint and data may be empty.
	Coded() (code, message, hint string, data map[string]any)
}

// AsError returns the *Error in err's chain. If there is none it makes one: from a [Coded] error; with [Timeout] for a
// passed deadline; with [Cancelled] for a cancelled context; and otherwise with [Internal] and err's text. It returns nil
// for nil.
//
// The text of wrappers is kept: fmt.Errorf("fill the form: %w", apiErr) has the longer message and apiErr's code, data
// and hint.
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
		// coded.Error() may contain the hint, message does not.
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
