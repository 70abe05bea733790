package api

import "github.com/usher-browser/usher/internal/plain"

// Failure renders err for the terminal or program behind r: what goes to
// standard output and what to standard error. With asJSON that is one envelope
// on standard output and nothing else; otherwise a line behind "✗ " on standard
// error, the next step on its own line, the mark red where the terminal may
// have colours.
func Failure(r *Request, asJSON bool, err error) (out, errOut []byte) {
	e := AsError(err)
	if asJSON {
		env, marshalErr := Envelope{Err: e}.Append(nil)
		if marshalErr != nil {
			// Data that has no JSON form is our own mistake; the failure it
			// belongs to still has to be told.
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
	shown := func(text string) string { // a message may quote what a page says
		if r.TTY.Err {
			return plain.Escaped(text)
		}
		return text
	}
	errOut = append(errOut, mark...)
	errOut = append(errOut, shown(e.Message)...)
	if hint := e.NextStep(); hint != "" {
		errOut = append(errOut, "\n  "...)
		errOut = append(errOut, shown(hint)...)
	}
	return nil, append(errOut, '\n')
}
