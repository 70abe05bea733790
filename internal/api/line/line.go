// Package line is the form of the local protocol on the socket: lines that are
// JSON objects, some of which announce bytes that follow. Package api describes
// the conversation.
//
// It is written by hand and imports next to nothing: the command line client is
// made of it, and reflection, fmt and encoding/json would cost that
// client more time than the rest of its work. Unknown members are skipped, so
// that builds of different age can still explain themselves to each other.
package line

import (
	"strconv"
	"time"
	"unicode/utf8"
)

// MaxRequest is the longest request line a daemon reads. A single argument may
// have 10 MB; escaping can multiply that by six.
const MaxRequest = 96 << 20

// MaxFrame is the longest of all other lines. Bytes announced by a line do not
// count.
const MaxFrame = 1 << 20

// Frame is one line after the request, in either direction. Exactly one of its
// members is set; a line with none of them is from a newer build and is to be
// ignored.
type Frame struct {
	Kind Kind
	// Size is the number of bytes that follow the line ([Out], [Err], [Stdin]
	// from the client), or the exit status ([Exit]).
	Size int
	// Text is the progress note of [Progress].
	Text string
	// Code and Text describe a refused request ([Refused]); Build, PID and
	// Sessions the daemon that refused it.
	Code, Build   string
	PID, Sessions int
}

// Retired is the code of a daemon of another build that had nothing to do and
// makes room: start one of your own.
const Retired = "retired"

// Kind tells frames apart.
type Kind uint8

// The kinds of frame.
const (
	// Unknown is a well-formed line of no known kind.
	Unknown Kind = iota
	// Out announces Size bytes for standard output.
	Out
	// Err announces Size bytes for standard error.
	Err
	// Stdin from the daemon asks for standard input. From the client it
	// announces Size bytes of it; Size 0 ends it, with Text if it ended in an
	// error.
	Stdin
	// Progress is a passing note, for people who watch a terminal.
	Progress
	// Exit ends the conversation.
	Exit
	// Cancel, from the client, ends the command.
	Cancel
	// Refused, from the daemon, in place of everything else: the request was
	// not run. Code is [Retired] or a code of package api.
	Refused
	// Local, from the daemon, in place of everything else: the command is one
	// the client's own process has to run.
	Local
	// Alive, from the daemon, says that it still works on the request, so that a
	// client can tell a long command from a daemon that hangs.
	Alive
)

// AliveEvery is how often the daemon says [Alive]. Nearly every command is done
// before the first time, and costs no such frame.
const AliveEvery = time.Second

// AppendRequest appends r as one line. ok is false when a string in r is not
// valid UTF-8; bad then names it.
func AppendRequest(dst []byte, r *Request) (line []byte, bad string, ok bool) {
	dst = append(dst, `{"v":`...)
	dst = strconv.AppendInt(dst, int64(r.V), 10)
	dst = append(dst, `,"op":"`...)
	dst = append(dst, r.Op...)
	dst = append(dst, '"')
	for _, field := range [...]struct{ name, value string }{
		{"id", r.ID}, {"program", r.Program}, {"build", r.Build}, {"cwd", r.Cwd},
	} {
		if field.value == "" {
			continue
		}
		if !utf8.ValidString(field.value) {
			return dst, field.name, false
		}
		dst = append(dst, `,"`...)
		dst = append(dst, field.name...)
		dst = append(dst, `":`...)
		dst = AppendString(dst, field.value)
	}
	dst = append(dst, `,"argv":[`...)
	for i, word := range r.Argv {
		if !utf8.ValidString(word) {
			return dst, "argument " + strconv.Itoa(i+1), false
		}
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = AppendString(dst, word)
	}
	dst = append(dst, `],"env":[`...)
	first := true
	for _, pair := range r.Env {
		if !utf8.ValidString(pair) {
			continue // no variable we read has bytes in it
		}
		if !first {
			dst = append(dst, ',')
		}
		first = false
		dst = AppendString(dst, pair)
	}
	dst = append(dst, `],"tty":`...)
	dst = strconv.AppendInt(dst, int64(r.TTY.bits()), 10)
	dst = append(dst, `,"width":`...)
	dst = strconv.AppendInt(dst, int64(r.TTY.Width), 10)
	return append(dst, "}\n"...), "", true
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

// AppendFrame appends f as one line.
func AppendFrame(dst []byte, f Frame) []byte {
	switch f.Kind {
	case Out:
		dst = append(dst, `{"out":`...)
	case Err:
		dst = append(dst, `{"err":`...)
	case Exit:
		dst = append(dst, `{"exit":`...)
	case Stdin:
		if f.Size < 0 {
			return append(dst, "{\"stdin\":true}\n"...)
		}
		if f.Text != "" {
			dst = append(dst, `{"message":`...)
			dst = AppendString(dst, f.Text)
			dst = append(dst, `,"stdin":`...)
			break
		}
		dst = append(dst, `{"stdin":`...)
	case Cancel:
		return append(dst, "{\"cancel\":true}\n"...)
	case Local:
		return append(dst, "{\"local\":true}\n"...)
	case Alive:
		return append(dst, "{\"alive\":true}\n"...)
	case Progress:
		dst = append(dst, `{"progress":`...)
		dst = AppendString(dst, f.Text)
		return append(dst, "}\n"...)
	case Refused:
		dst = append(dst, `{"refused":`...)
		dst = AppendString(dst, f.Code)
		dst = append(dst, `,"message":`...)
		dst = AppendString(dst, f.Text)
		dst = append(dst, `,"build":`...)
		dst = AppendString(dst, f.Build)
		dst = append(dst, `,"pid":`...)
		dst = strconv.AppendInt(dst, int64(f.PID), 10)
		dst = append(dst, `,"sessions":`...)
		dst = strconv.AppendInt(dst, int64(f.Sessions), 10)
		return append(dst, "}\n"...)
	default:
		return append(dst, "{}\n"...)
	}
	dst = strconv.AppendInt(dst, int64(f.Size), 10)
	return append(dst, "}\n"...)
}

// WantStdin is the daemon's request for standard input.
var WantStdin = Frame{Kind: Stdin, Size: -1}

// AppendString appends s as a JSON string. Invalid UTF-8 becomes U+FFFD.
func AppendString(dst []byte, s string) []byte {
	const hex = "0123456789abcdef"
	dst = append(dst, '"')
	start := 0
	for i := 0; i < len(s); {
		c := s[i]
		switch {
		case c == '"' || c == '\\' || c < 0x20:
			dst = append(dst, s[start:i]...)
			switch c {
			case '"', '\\':
				dst = append(dst, '\\', c)
			case '\n':
				dst = append(dst, '\\', 'n')
			case '\t':
				dst = append(dst, '\\', 't')
			case '\r':
				dst = append(dst, '\\', 'r')
			default:
				dst = append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
			}
			i++
			start = i
		case c < utf8.RuneSelf:
			i++
		default:
			r, size := utf8.DecodeRuneInString(s[i:])
			if r == utf8.RuneError && size == 1 {
				dst = append(dst, s[start:i]...)
				dst = append(dst, "\uFFFD"...)
				start = i + 1
			}
			i += size
		}
	}
	dst = append(dst, s[start:]...)
	return append(dst, '"')
}
