// Package frame is the form of the local protocol on the socket: frames, each of
// a letter, a length and that many bytes. Package api describes the
// conversation.
//
// It imports next to nothing: the command line client is made of it, and
// reflection, fmt or a JSON package would cost that client more time than the
// rest of its work (docs/decisions, local protocol). Frames and fields of unknown
// names are skipped, so that builds of different age can still explain
// themselves to each other.
package frame

import (
	"strconv"
	"time"
	"unicode/utf8"
)

// Kind is the letter a frame starts with. A reader skips those it does not know.
type Kind byte

// The kinds of frame. Behind those marked (bytes) come bytes that pass through
// as they are; behind the others, fields.
const (
	// Run, from the client, is the request; it comes first.
	Run Kind = 'r'
	// Cancel, from the client, ends the command.
	Cancel Kind = 'c'
	// Input, from the client, is some of its standard input (bytes).
	Input Kind = 'i'
	// InputEnd, from the client, ends its standard input, with Text if that
	// ended in an error.
	InputEnd Kind = 'z'
	// WantInput, from the daemon, asks for standard input.
	WantInput Kind = 'w'
	// Out is for standard output (bytes).
	Out Kind = 'o'
	// Err is for standard error (bytes).
	Err Kind = 'e'
	// Progress is a passing note, for people who watch a terminal.
	Progress Kind = 'p'
	// Exit, from the daemon, ends the conversation, with Status. Text and Hint
	// are those of the error that ended the command, for clients that tell them
	// apart; they have been printed, too.
	Exit Kind = 'x'
	// Refused, from the daemon, in place of everything else: the request was
	// not run. Code is [Retired] or a code of package api.
	Refused Kind = 'f'
	// Local, from the daemon, in place of everything else: the command is one
	// the client's own process has to run.
	Local Kind = 'l'
	// Alive, from the daemon, says that it still works on the request, so that a
	// client can tell a long command from a daemon that hangs.
	Alive Kind = 'a'
)

// AliveEvery is how often the daemon says [Alive]. Nearly every command is done
// before the first time, and costs no such frame.
const AliveEvery = time.Second

// Retired is the code of a daemon of another build that had nothing to do and
// makes room: start one of your own.
const Retired = "retired"

// MaxRequest is the longest request a daemon reads, in bytes. A single argument
// may have 10 MB.
const MaxRequest = 16 << 20

// MaxFields is the longest of all other frames with fields, in bytes.
const MaxFields = 1 << 20

// Frame is one frame after the request, in either direction.
type Frame struct {
	Kind Kind
	// Size is the number of bytes that follow ([Out], [Err], [Input]).
	Size int
	// Status is the exit status ([Exit]).
	Status int
	// Text is a note ([Progress]) or a message ([Exit], [InputEnd], [Refused]),
	// Hint the next step of a message, where it has one of its own ([Exit]).
	Text, Hint string
	// Code says why a request was refused ([Refused]); Build, PID and Sessions
	// describe the daemon that refused it.
	Code, Build   string
	PID, Sessions int
}

// hasBytes says whether Size bytes follow the frame that are not fields.
func (k Kind) hasBytes() bool { return k == Out || k == Err || k == Input }

// Append appends f. The bytes that it announces are for the caller to send.
func Append(dst []byte, f Frame) []byte {
	if f.Kind.hasBytes() {
		return appendHeader(dst, f.Kind, f.Size)
	}
	start := len(dst)
	dst = appendHeader(dst, f.Kind, 0)
	for _, field := range [...]struct{ name, value string }{
		{"message", f.Text}, {"hint", f.Hint}, {"code", f.Code}, {"build", f.Build},
	} {
		if field.value == "" {
			continue
		}
		if !utf8.ValidString(field.value) {
			field.value = string([]rune(field.value)) // U+FFFD for what is none
		}
		dst = appendField(dst, field.name, field.value)
	}
	for _, field := range [...]struct {
		name  string
		value int
	}{{"status", f.Status}, {"pid", f.PID}, {"sessions", f.Sessions}} {
		if field.value != 0 {
			dst = appendField(dst, field.name, strconv.Itoa(field.value))
		}
	}
	return closeHeader(dst, start)
}

// parse reads the fields of a frame.
func (f *Frame) parse(data []byte) error {
	return eachField(data, func(name, value string) (err error) {
		switch name {
		case "message":
			f.Text = value
		case "hint":
			f.Hint = value
		case "code":
			f.Code = value
		case "build":
			f.Build = value
		case "status":
			f.Status, err = strconv.Atoi(value)
		case "pid":
			f.PID, err = strconv.Atoi(value)
		case "sessions":
			f.Sessions, err = strconv.Atoi(value)
		}
		return err
	})
}

// AppendRequest appends r as one frame. ok is false when a string in r is not
// valid UTF-8; bad then names it.
func AppendRequest(dst []byte, r *Request) (request []byte, bad string, ok bool) {
	start := len(dst)
	dst = appendHeader(dst, Run, 0)
	dst = appendField(dst, "v", strconv.Itoa(r.V))
	for _, field := range [...]struct{ name, value string }{
		{"op", r.Op}, {"id", r.ID}, {"program", r.Program}, {"build", r.Build}, {"cwd", r.Cwd},
	} {
		if !utf8.ValidString(field.value) {
			return dst, field.name, false
		}
		dst = appendField(dst, field.name, field.value)
	}
	for i, word := range r.Argv {
		if !utf8.ValidString(word) {
			return dst, "argument " + strconv.Itoa(i+1), false
		}
		dst = appendField(dst, "arg", word)
	}
	if dst, bad, ok = r.appendCall(dst); !ok {
		return dst, bad, false
	}
	for _, pair := range r.Env {
		if utf8.ValidString(pair) { // no variable we read has bytes in it
			dst = appendField(dst, "env", pair)
		}
	}
	dst = appendField(dst, "tty", strconv.Itoa(r.TTY.bits()))
	dst = appendField(dst, "width", strconv.Itoa(r.TTY.Width))
	return closeHeader(dst, start), "", true
}

// ParseRequest reads the fields of a request. Those it does not know are skipped.
func ParseRequest(data []byte) (*Request, error) {
	r := &Request{PeerUID: -1}
	err := eachField(data, func(name, value string) (err error) {
		switch name {
		case "v":
			r.V, err = strconv.Atoi(value)
		case "op":
			r.Op = value
		case "id":
			r.ID = value
		case "program":
			r.Program = value
		case "build":
			r.Build = value
		case "cwd":
			r.Cwd = value
		case "arg":
			r.Argv = append(r.Argv, value)
		case "verb":
			r.Verb = value
		case "value":
			err = r.addValue(value)
		case "tab":
			r.Tab = value
		case "env":
			r.Env = append(r.Env, value)
		case "tty":
			var bits int
			bits, err = strconv.Atoi(value)
			r.TTY.setBits(bits)
		case "width":
			r.TTY.Width, err = strconv.Atoi(value)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	if r.Op == "" {
		return nil, &SyntaxError{What: `a request needs "op"`}
	}
	return r, nil
}

// appendCall appends the call by name, if r is one.
func (r *Request) appendCall(dst []byte) (_ []byte, bad string, ok bool) {
	for _, field := range []struct{ name, value string }{{"verb", r.Verb}, {"tab", r.Tab}} {
		if !utf8.ValidString(field.value) {
			return dst, field.name, false
		}
		if field.value != "" {
			dst = appendField(dst, field.name, field.value)
		}
	}
	for name, values := range r.Values {
		for _, value := range values {
			if !utf8.ValidString(value) {
				return dst, "value of " + name, false
			}
			dst = appendField(dst, "value", name+"="+value)
		}
	}
	return dst, "", true
}

// addValue adds a name=value of a call by name.
func (r *Request) addValue(pair string) error {
	for i := range len(pair) {
		if pair[i] == '=' {
			if r.Values == nil {
				r.Values = map[string][]string{}
			}
			r.Values[pair[:i]] = append(r.Values[pair[:i]], pair[i+1:])
			return nil
		}
	}
	return &SyntaxError{"a value without its name"}
}

// The terminal's yes-or-no facts travel as one number.
const (
	ttyIn = 1 << iota
	ttyOut
	ttyErr
	ttyColor
	ttyErrColor
)

func (t Terminal) bits() int {
	bits := 0
	for i, set := range [...]bool{t.In, t.Out, t.Err, t.Color, t.ErrColor} {
		if set {
			bits |= 1 << i
		}
	}
	return bits
}

func (t *Terminal) setBits(bits int) {
	t.In, t.Out, t.Err = bits&ttyIn != 0, bits&ttyOut != 0, bits&ttyErr != 0
	t.Color, t.ErrColor = bits&ttyColor != 0, bits&ttyErrColor != 0
}
