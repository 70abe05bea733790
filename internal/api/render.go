package api

import "github.com/usher-browser/usher/internal/plain"

// longestMessage is how many characters of a message are shown as text. Some quote what was given, which may be a whole file.
const longestMessage = 4_000

// Failure renders err for the terminal or program behind r, and returns what to write to standard output and to standard
// error. With asJSON it is one envelope on standard output. Otherwise it is a line after "✗ " on standard error and the
// hint on a line of its own; the mark is red if the terminal has colours.
func Failure(r *Request, asJSON bool, err error) (out, errOut []byte) {
	e := AsError(err)
	if asJSON {
		env, marshalErr := Envelope{Err: e}.Append(nil)
		if marshalErr != nil {
			// Data that cannot be encoded is a bug; report the failure without it.
			plain := *e
			plain.Data = nil
			env, _ = Envelope{Err: &plain}.Append(nil)
		}
		if r.TTY.Out {
			env = []byte(plain.EscapedJSON(string(env)))
		}
		return append(env, '\n'), nil
	}
	mark := "✗ "
	if r.TTY.ErrColor {
		mark = "\x1b[31m✗\x1b[0m "
	}
	shown := func(text string) string { // a message may quote a page
		if r.TTY.Err {
			return plain.Escaped(text)
		}
		return text
	}
	errOut = append(errOut, mark...)
	errOut = append(errOut, shown(plain.Cut(e.Message, longestMessage))...)
	if hint := e.NextStep(); hint != "" {
		errOut = append(errOut, "\n  "...)
		errOut = append(errOut, shown(hint)...)
	}
	return nil, append(errOut, '\n')
}
