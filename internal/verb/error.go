package verb

import (
	"errors"
	"strings"

	"github.com/usher-browser/usher/internal/api"
)

// The codes of an Error, as package api lists them.
const (
	UnknownCommand     = "unknown_command"
	UnknownSubcommand  = "unknown_subcommand"
	UnknownFlag        = "unknown_flag"
	MissingArgument    = "missing_argument"
	InvalidArgument    = "invalid_argument" // a value of the wrong kind, a word too many, or two that exclude each other
	InvalidSelector    = "invalid_selector"
	InvalidSessionName = "invalid_session_name"
	InvalidJSON        = "invalid_json"
	UnsupportedURL     = "unsupported_url"
)

// Error is a mistake in a command line. Nothing has been done when it is returned.
type Error struct {
	Code        string
	Message     string   // the mistake, without a final full stop
	Hint        string   // the correction, one sentence; may be empty
	Accepted    []string // what would have been accepted, when that is a short list
	Suggestions []string // the nearest accepted words, best first
	Usage       string   // the usage line of the verb, when one was recognised

	// The rest says what is wrong, for callers that word it themselves.

	Call *Call  // what was read of the line; nil when no verb was recognised
	Word string // the word that is wrong: an unknown name, or the value that is refused
	At   string // what the word was given for: a flag ("--depth") or an argument ("<index>"); empty for a rule about several
}

// About says which value a mistake is about, for a rule that checks one.
func (e *Error) About(at, word string) *Error {
	e.At, e.Word = at, word
	return e
}

// Error returns the message with the hint and, on a line of its own, the usage.
func (e *Error) Error() string {
	s := e.Message
	if next := e.NextStep(); next != "" {
		s += ". " + next
	}
	if e.Usage != "" {
		s += "\nUsage: " + e.Usage
	}
	return s
}

// NextStep returns the correction in one line, or "".
func (e *Error) NextStep() string {
	var parts []string
	switch {
	case len(e.Suggestions) > 0:
		parts = append(parts, "Did you mean "+strings.Join(e.Suggestions, " or ")+"?")
	case len(e.Accepted) > 0:
		parts = append(parts, "Accepted: "+strings.Join(e.Accepted, ", ")+".")
	}
	if e.Hint != "" {
		parts = append(parts, e.Hint)
	}
	return strings.Join(parts, " ")
}

// Coded returns the mistake as an error of the table of codes, which every frontend prints. The usage is behind the
// hint.
func (e *Error) Coded() (code, message, hint string, data map[string]any) {
	hint = e.NextStep()
	if e.Usage != "" {
		if hint == "" {
			hint = api.Lookup(api.Code(e.Code)).Hint
		}
		hint = strings.TrimSpace(hint + " Usage: " + e.Usage)
	}
	return e.Code, e.Message, hint, nil
}

// Type returns agent-browser's "type" of the same mistake, or "" where it has none.
func (e *Error) Type() string {
	switch e.Code {
	case UnknownCommand, UnknownSubcommand, InvalidSessionName:
		return e.Code
	case MissingArgument:
		return "missing_arguments"
	case UnknownFlag:
		return ""
	}
	return "invalid_value"
}

// AsError returns the *Error that every check of this package returns as an error.
func AsError(err error) *Error {
	var e *Error
	if errors.As(err, &e) {
		return e
	}
	return Invalid(err.Error())
}

// Fail returns an error with a code of the parser.
func Fail(code, message string, hint ...string) *Error {
	return &Error{Code: code, Message: message, Hint: strings.Join(hint, " ")}
}

// Invalid returns an error of the code invalid_argument.
func Invalid(message string, hint ...string) *Error { return Fail(InvalidArgument, message, hint...) }
func badSelector(message string, hint ...string) *Error {
	return Fail(InvalidSelector, message, hint...)
}
func badURL(message string, hint ...string) *Error { return Fail(UnsupportedURL, message, hint...) }
