package verb

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// The codes of an Error. The first five are the words agent-browser uses for the same mistakes.
const (
	UnknownCommand     = "unknown_command"
	UnknownSubcommand  = "unknown_subcommand"
	MissingArguments   = "missing_arguments"
	InvalidValue       = "invalid_value"
	InvalidSessionName = "invalid_session_name"
	UnknownFlag        = "unknown_flag"
	UnexpectedArgument = "unexpected_argument" // a positional too many
	Conflict           = "conflicting_arguments"
)

// Error says what is wrong with a command line. Nothing has been done when it is returned.
type Error struct {
	Code        string
	Message     string   // one sentence with a full stop: what was given and why it cannot be
	Accepted    []string // what would have been accepted, when that is a short list
	Suggestions []string // the nearest accepted words, best first
	Usage       string   // the usage line of the verb, when one was recognised
}

// Error is the message with the suggestion and, on a line of its own, the usage.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(e.Message)
	switch {
	case len(e.Suggestions) > 0:
		b.WriteString(" Did you mean ")
		b.WriteString(strings.Join(e.Suggestions, " or "))
		b.WriteString("?")
	case len(e.Accepted) > 0:
		b.WriteString(" Accepted: ")
		b.WriteString(strings.Join(e.Accepted, ", "))
		b.WriteString(".")
	}
	if e.Usage != "" {
		b.WriteString("\nUsage: ")
		b.WriteString(e.Usage)
	}
	return b.String()
}

// quote shows a word of the user's in a message: quoted, control characters escaped, and cut at 80 characters, because a
// mistake of ten megabytes must not become a message of ten megabytes.
func quote(s string) string {
	const most = 80
	if len(s) > 4*most || utf8.RuneCountInString(s) > most {
		n, cut := 0, 0
		for i := range s {
			if n == most {
				cut = i
				break
			}
			n++
		}
		if cut > 0 {
			return strconv.Quote(s[:cut]) + "..."
		}
	}
	return strconv.Quote(s)
}
