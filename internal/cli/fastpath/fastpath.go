// Package fastpath runs a command whose daemon is already running: collect argv, directory, environment and terminal,
// send them, copy the output, exit. Nearly every command of an agent takes it.
//
// There are two roads. The usual one on Linux begins at the entry of the program, before Go's runtime starts
// (entry_linux.go). The other is for everything else: the program runs it before main, and before nearly all of its
// packages are initialised (cmd/usher/first explains how and why); a test limits the imports of this package. If neither
// can run the command (no daemon, another build, a command for this process), package cli does.
package fastpath

import (
	"io"
	"os"

	"github.com/usher-browser/usher/internal/api/exchange"
	"github.com/usher-browser/usher/internal/api/frame"
)

// First tries to run the command of this process. If it ran, the process exits; otherwise the result has the reason.
func First() exchange.Result {
	if result, ok := resume(standardStreams); ok {
		return exitIfDone(result)
	}
	program, ok := programOf(os.Args[0])
	if ok && asksVersion(os.Args[1:], os.Getenv) {
		if _, err := os.Stdout.WriteString(program + " " + Version + "\n"); err == nil {
			os.Exit(0)
		}
	}
	if ok {
		if text, known := knownText(program, os.Args[1:], os.Getenv); known {
			if _, err := os.Stdout.WriteString(text); err == nil {
				os.Exit(0)
			}
		}
	}
	if !ok || IsDaemonCommand(os.Args[1:]) {
		return exchange.Result{}
	}
	text := mayBeText(os.Args[1:])
	if !text && MayBeLocal(os.Args[1:]) {
		return exchange.Result{}
	}
	path, ok := frame.AppendSocket(nil, os.Getenv, program == "agent-browser")
	if !ok {
		return exchange.Result{}
	}
	r, socket := newRequest(program), string(path)
	if text {
		if result := tryText(r, socket); result.Outcome == exchange.Done {
			os.Exit(result.Frame.Status)
		} else if result.Outcome != exchange.Refused || result.Frame.Code != frame.NotText {
			return exchange.Result{}
		}
	}
	return exitIfDone(exchange.Do(r, socket, standardStreams()))
}

// exitIfDone ends the process if its command ran.
func exitIfDone(result exchange.Result) exchange.Result {
	if result.Outcome == exchange.Done {
		os.Exit(result.Frame.Status)
	}
	return result
}

// Version is what `usher version` prints; the build of a release sets it.
var Version = "devel"

// asksVersion reports whether the words ask for the version as text, and nothing else.
func asksVersion(argv []string, env func(string) string) bool {
	if len(argv) != 1 || env("USHER_JSON") != "" || env("AGENT_BROWSER_JSON") != "" {
		return false
	}
	return argv[0] == "--version" || argv[0] == "-V" || argv[0] == "version"
}

// Try sends the request to the daemon at the socket, with the streams of this process. If the result is not final, a
// goroutine may still wait in a read of standard input: the process is about to end, or has not requested input.
func Try(r *frame.Request, socket string) exchange.Result {
	return exchange.Do(r, socket, standardStreams())
}

// standardStreams are those of this process. Status lines are for a terminal.
func standardStreams() exchange.Streams {
	streams := exchange.Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}
	if terminal().Err {
		streams.Progress = func(note string) error {
			_, err := os.Stderr.WriteString(note + "\n")
			return err
		}
	}
	return streams
}

// mayBeText reports whether the words may ask for a text that a running daemon can supply, such as help. Like
// [MayBeLocal] it looks for words only; the daemon parses.
func mayBeText(argv []string) bool {
	for _, word := range argv {
		switch word {
		case "completion", "help", "--help", "-h", "version", "--version", "-V":
			return true
		}
	}
	return len(argv) == 0
}

// tryText asks the daemon at the socket for a text. Nothing is written unless the outcome is [exchange.Done]: a daemon
// that hangs, or another program in its place, costs [exchange.TextTimeout], and then this process makes the text.
func tryText(r *frame.Request, socket string) exchange.Result {
	request := *r
	request.Op = frame.OpText
	var out, errOut collected
	result := exchange.Do(&request, socket, exchange.Streams{Out: &out, Err: &errOut})
	if result.Outcome != exchange.Done {
		return result
	}
	for _, stream := range [...]struct {
		text collected
		to   *os.File
	}{{out, os.Stdout}, {errOut, os.Stderr}} {
		if len(stream.text) == 0 {
			continue
		}
		if _, err := stream.to.Write(stream.text); err != nil { // this process will find that, too, and report it
			return exchange.Result{Outcome: exchange.OutputFailed, Err: err}
		}
	}
	return result
}

// collected is the output of a command, kept until it is complete.
type collected []byte

// maxText bounds a text in bytes. The longest, the schema of the configuration, has 100 KB.
const maxText = 4 << 20

func (c *collected) Write(p []byte) (int, error) {
	if len(*c)+len(p) > maxText {
		return 0, io.ErrShortBuffer
	}
	*c = append(*c, p...)
	return len(p), nil
}

// programOf returns the program that the path of an executable names. ok is
// false for others, such as the test binary of a package that imports this one.
func programOf(path string) (program string, ok bool) {
	base := path
	for i := len(path) - 1; i >= 0; i-- {
		if os.IsPathSeparator(path[i]) {
			base = path[i+1:]
			break
		}
	}
	if len(base) > 4 && base[len(base)-4:] == ".exe" {
		base = base[:len(base)-4]
	}
	return base, base == "usher" || base == "agent-browser"
}

// IsDaemonCommand reports whether the words control the daemon process itself (`usher daemon status`, and the help on
// that) and so are never sent to it as a command.
func IsDaemonCommand(argv []string) bool {
	for i, word := range argv {
		switch word {
		case "--json":
		case "help":
			return i+1 < len(argv) && argv[i+1] == "daemon"
		default:
			return word == "daemon"
		}
	}
	return false
}

// MayBeLocal reports whether the words may be a command that runs in this process (`usher doctor`, `usher help`, `usher
// click --help`), which must work if a daemon hangs, or another program answers in its place. This package has no grammar:
// it returns true wherever one of these words is, and the caller parses. The daemon refuses the few others.
func MayBeLocal(argv []string) bool {
	for _, word := range argv {
		switch word {
		case "doctor", "install", "mcp", "tools", "replay":
			return true
		}
	}
	return mayBeText(argv)
}

// NewRequest returns this process's command line and environment.
func NewRequest() *frame.Request {
	program, ok := programOf(os.Args[0])
	if !ok {
		program = "usher"
	}
	return newRequest(program)
}

func newRequest(program string) *frame.Request {
	r := &frame.Request{PeerUID: -1}
	// A directory that was removed has no name; commands that take no path ignore that, the others return an error.
	r.Cwd, _ = workingDirectory()
	fill(r, program, os.Args[1:], os.Environ())
	r.Build = Build()
	return r
}

// fill sets what words, environment and terminal say. It allocates nothing if r.Env has room.
func fill(r *frame.Request, program string, argv, env []string) {
	r.V, r.Op, r.Program, r.Argv = frame.Version, frame.OpRun, program, argv
	noColor := false
	dumb := false
	aws := frame.NamesAWS(argv, env)
	for _, pair := range env {
		if !frame.WantEnv(pair) && (!aws || !frame.WantAWS(pair)) {
			continue
		}
		r.Env = append(r.Env, pair)
		switch {
		case len(pair) > len("NO_COLOR=") && pair[:len("NO_COLOR=")] == "NO_COLOR=":
			noColor = true
		case pair == "TERM=dumb":
			dumb = true
		}
	}
	r.TTY = terminal()
	r.TTY.Color = r.TTY.Out && !noColor && !dumb
	r.TTY.ErrColor = r.TTY.Err && !noColor && !dumb
}
