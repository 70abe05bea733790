package wire

import (
	"bytes"
	"errors"
	"strconv"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// Command is a command that a CDP client wrote. Its slices point into the message.
type Command struct {
	ID        int64
	Method    string         // Domain.method, of letters and digits
	Params    jsontext.Value // an object, or nil
	SessionID string         // CDP session; empty for the browser itself
}

// Errors of [ParseCommand], in the words of Chromium, which clients show.
var (
	ErrNotJSON    = errors.New("Message must be a valid JSON")                                                                         //nolint:staticcheck // Chromium's text
	ErrNotCommand = errors.New("Message must have an integer 'id', a 'method' and, if any, an object 'params' and a text 'sessionId'") //nolint:staticcheck // likewise
)

// Limits of commands, so that Chromium never gets a message that it cannot answer: its answer would have neither id nor session.
const (
	maxCommandID    = 1<<31 - 1 // Chromium's ids are 32-bit integers
	maxCommandDepth = 200       // Chromium's parser refuses more than 300 levels
)

// ParseCommand reads a command of a client that is not trusted. The message is checked completely: what it returns can be put
// together anew ([Command.Append]) without that a part of it is read as another one. Members that a command does not have are left out. The
// id is returned with an error, too, if there is one.
func ParseCommand(msg []byte) (Command, error) {
	var c Command
	if !utf8.Valid(msg) || !jsontext.Value(msg).IsValid(jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true)) {
		return c, ErrNotJSON // unpaired surrogates, as escapes, are texts of JavaScript
	}
	msg = bytes.TrimSpace(msg)
	if msg[0] != '{' || depth(msg) > maxCommandDepth {
		return c, ErrNotCommand
	}
	var seen [4]bool
	for i := skipSpace(msg, 1); msg[i] != '}'; {
		end, err := skipValue(msg, i)
		if err != nil {
			return c, ErrNotCommand
		}
		key := msg[i+1 : end-1]
		i = skipSpace(msg, skipSpace(msg, end)+1) // behind the colon
		if end, err = skipValue(msg, i); err != nil {
			return c, ErrNotCommand
		}
		if err := c.member(string(key), msg[i:end], &seen); err != nil {
			return c, err
		}
		if i = skipSpace(msg, end); msg[i] == ',' {
			i = skipSpace(msg, i+1)
		}
	}
	if !seen[0] || !seen[1] {
		return c, ErrNotCommand
	}
	return c, nil
}

// member takes a member of a command. Each may come once, written without escapes: a second one, or one in other letters, might be
// read differently by the browser.
func (c *Command) member(key string, value []byte, seen *[4]bool) (err error) {
	var which int
	switch key {
	case "id":
		which = 0
		if c.ID, err = strconv.ParseInt(string(value), 10, 64); err != nil || c.ID < 0 || c.ID > maxCommandID {
			c.ID = 0
			return ErrNotCommand
		}
	case "method":
		which = 1
		if c.Method = word(value); !isMethod(c.Method) {
			return ErrNotCommand
		}
	case "params":
		which = 2
		if value[0] != '{' {
			return ErrNotCommand
		}
		c.Params = value
	case "sessionId":
		which = 3
		if c.SessionID = word(value); c.SessionID == "" {
			return ErrNotCommand
		}
	default:
		if bytes.IndexByte([]byte(key), '\\') >= 0 {
			return ErrNotCommand
		}
		return nil
	}
	if seen[which] {
		return ErrNotCommand
	}
	seen[which] = true
	return nil
}

// word returns a text that has letters, digits, dots, dashes and underscores only; "" for any other value.
func word(value []byte) string {
	if len(value) < 2 || value[0] != '"' {
		return ""
	}
	value = value[1 : len(value)-1]
	for _, c := range value {
		if (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '.' && c != '-' && c != '_' {
			return ""
		}
	}
	return string(value)
}

// isMethod reports whether a word has the form Domain.method.
func isMethod(s string) bool {
	dot := bytes.IndexByte([]byte(s), '.')
	return dot > 0 && dot < len(s)-1 && bytes.Count([]byte(s), []byte{'.'}) == 1 && !bytes.ContainsAny([]byte(s), "-_")
}

// depth returns how deeply a valid JSON value is nested.
func depth(b []byte) int {
	deepest, now := 0, 0
	for i := 0; i < len(b); i++ {
		switch b[i] {
		case '"':
			end, err := skipString(b, i)
			if err != nil {
				return deepest
			}
			i = end - 1
		case '{', '[':
			now++
			deepest = max(deepest, now)
		case '}', ']':
			now--
		}
	}
	return deepest
}

// Append appends the command as a message.
func (c *Command) Append(b []byte) []byte {
	b = strconv.AppendInt(append(b, keyID...), c.ID, 10)
	b = append(append(append(b, `,"method":"`...), c.Method...), '"')
	if c.Params != nil {
		b = append(append(b, keyParams...), c.Params...)
	}
	return endMessage(b, c.SessionID)
}

// endMessage completes a message with the session id, if there is one.
func endMessage(b []byte, session string) []byte {
	if session != "" {
		b = append(append(append(b, keySession...), session...), '"')
	}
	return append(b, '}')
}

// Append appends the message again, with the session id that it has now.
func (e *Envelope) Append(b []byte) []byte {
	if e.Method != "" {
		b = append(append(append(b, keyMethod...), e.Method...), '"')
		b = append(b, keyParams...)
		if len(e.Payload) == 0 {
			b = append(b, "{}"...)
		}
		return endMessage(append(b, e.Payload...), e.SessionID)
	}
	b = strconv.AppendInt(append(b, keyID...), e.ID, 10)
	if e.IsError {
		b = append(b, keyError...)
	} else {
		b = append(b, keyResult...)
	}
	return endMessage(append(b, e.Payload...), e.SessionID)
}
