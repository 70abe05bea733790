// Package frame encodes the local protocol: frames, each of a letter, a length and that many bytes. Package api describes
// the protocol.
//
// It imports very little: in the command line client, reflection, fmt or a JSON package would take more time than the
// rest of its work (docs/decisions, local protocol). Unknown frames and fields are skipped, so that builds of different
// age can report to each other that they differ.
package frame

import (
	"strconv"
	"time"
	"unicode/utf8"
)

// Kind is the letter that begins a frame. A reader skips kinds that it does not know.
type Kind byte

// The kinds of frames. Those marked (bytes) contain raw bytes, the others fields.
const (
	// Run, from the client, is the request. It is the first frame.
	Run Kind = 'r'
	// Cancel, from the client, cancels the command.
	Cancel Kind = 'c'
	// Input, from the client, is a part of its standard input (bytes).
	Input Kind = 'i'
	// InputEnd, from the client, is the end of its standard input. Text is the error of reading it, if any.
	InputEnd Kind = 'z'
	// WantInput, from the daemon, requests the client's standard input.
	WantInput Kind = 'w'
	// Out, from the daemon, is for standard output (bytes).
	Out Kind = 'o'
	// Err, from the daemon, is for standard error (bytes).
	Err Kind = 'e'
	// Progress, from the daemon, is a status line for a terminal.
	Progress Kind = 'p'
	// Exit, from the daemon, ends the conversation, with the exit status. Text and Hint are those of the command's error,
	// for clients that need them separately; they were printed already.
	Exit Kind = 'x'
	// Refused, from the daemon, is sent in place of everything else if it does not run the request. Code is [Retired] or
	// a code of package api.
	Refused Kind = 'f'
	// Local, from the daemon, is sent in place of everything else if the client's own process must run the command.
	Local Kind = 'l'
	// Alive, from the daemon, means that the command is still running, so that a client can distinguish a long command
	// from a daemon that hangs.
	Alive Kind = 'a'
)

// AliveEvery is the interval of [Alive] frames. Nearly all commands end before the first one.
const AliveEvery = time.Second

// Retired is the code of a daemon of another build that had no sessions and is exiting: the client starts a daemon of its
// own build.
const Retired = "retired"

// NotText is the code for an [OpText] request whose command the daemon runs with [OpRun] only.
const NotText = "not_text"

// MaxRequest bounds a request, in bytes. A single argument may have 10 MB.
const MaxRequest = 16 << 20

// MaxFields bounds every other frame with fields, in bytes.
const MaxFields = 1 << 20

// Frame is one frame after the request, in either direction.
type Frame struct {
	Kind Kind
	// Size is the number of raw bytes that follow ([Out], [Err], [Input]).
	Size int
	// Status is the exit status ([Exit]).
	Status int
	// Text is a status line ([Progress]) or a message ([Exit], [InputEnd], [Refused]). Hint is the next step, if the
	// error has its own ([Exit]).
	Text, Hint string
	// Code is why a request was refused ([Refused]). Build, PID and Sessions describe the daemon that refused it.
	Code, Build   string
	PID, Sessions int
}

// hasBytes reports whether raw bytes follow the header, and not fields.
func (k Kind) hasBytes() bool { return k == Out || k == Err || k == Input }

// Append appends f to dst. For frames with raw bytes it appends the header only; the caller sends the bytes.
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
			field.value = string([]rune(field.value)) // replaces invalid UTF-8 by U+FFFD
		}
		dst = appendField(dst, field.name, field.value)
	}
	for _, field := range [...]struct {
		name  string
		value int
	}{{"status", f.Status}, {"pid", f.PID}, {"sessions", f.Sessions}} {
		if field.value != 0 {
			dst = appendNumber(dst, field.name, field.value)
		}
	}
	return closeHeader(dst, start)
}

// parse decodes the fields of a frame.
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

// AppendRequest appends r as one frame. ok is false if a string in r is not valid UTF-8; bad then names it. It allocates
// nothing for a request without Values whose strings are valid, if dst has room.
func AppendRequest(dst []byte, r *Request) (request []byte, bad string, ok bool) {
	start := len(dst)
	dst = appendHeader(dst, Run, 0)
	dst = appendNumber(dst, "v", r.V)
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
		if utf8.ValidString(pair) { // omit invalid ones: no variable that usher reads has such a value
			dst = appendField(dst, "env", pair)
		}
	}
	dst = appendNumber(dst, "tty", r.TTY.bits())
	dst = appendNumber(dst, "width", r.TTY.Width)
	return closeHeader(dst, start), "", true
}

// ParseRequest decodes the fields of a request. Unknown fields are skipped.
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
		case "preset":
			r.Preset = append(r.Preset, value)
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

// appendCall appends Verb and Values, if r has them.
func (r *Request) appendCall(dst []byte) (_ []byte, bad string, ok bool) {
	for _, field := range []struct{ name, value string }{{"verb", r.Verb}, {"tab", r.Tab}} {
		if !utf8.ValidString(field.value) {
			return dst, field.name, false
		}
		if field.value != "" {
			dst = appendField(dst, field.name, field.value)
		}
	}
	for _, name := range r.Preset {
		if !utf8.ValidString(name) {
			return dst, "preset", false
		}
		dst = appendField(dst, "preset", name)
	}
	if len(r.Values) == 0 {
		return dst, "", true
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

// addValue adds a field name=value to Values.
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

// The boolean members of [Terminal] are sent as one number.
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
