// Package cli is the command line: a thin client of the daemon.
//
// # Rules of the terminal
//
//   - Results go to standard output. Notes, warnings and errors go to standard
//     error; errors behind "✗ ", warnings behind "⚠ ".
//   - With --json exactly one JSON value goes to standard output, also on
//     failure, and standard error stays empty.
//   - Colours only where the stream is a terminal, NO_COLOR is unset and TERM is
//     not "dumb".
//   - The exit status is 0, or what docs/ERRORS.md says of the error's code.
//   - Ctrl-C ends this process; the daemon sees that and cancels the command, and
//     nothing else. A closed pipe ends it without a word.
//
// A command whose daemon is running never gets here: see package
// [github.com/usher-browser/usher/internal/cli/warm]. This package does what is
// left: commands for this process, starting a daemon, and saying what went wrong.
package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/api/line"
	"github.com/usher-browser/usher/internal/cli/warm"
	"github.com/usher-browser/usher/internal/config/dirs"
	"github.com/usher-browser/usher/internal/verb"
)

// Program is what main gives the command line.
type Program struct {
	// Version is what `usher version` prints.
	Version string
	// Daemon serves in this process and returns its exit status.
	Daemon func(Daemon) int
	// Local carries out a verb marked Local that package cli does not know
	// itself, in this process.
	Local func(ctx context.Context, req *api.Request, call *verb.Call) (exit int)
	// MCP serves an agent over standard input and output until it leaves.
	MCP func(context.Context, MCP) error
	// Tools carries out the verbs about the tools that agents are offered.
	Tools func(ctx context.Context, req *api.Request, call *verb.Call) (data any, text string, warnings []string, err error)
	// InstallMCP puts the program into the configuration of an MCP client.
	InstallMCP func(req *api.Request, call *verb.Call) (data map[string]any, text string, err error)
}

// MCP is what `usher mcp` is to serve.
type MCP struct {
	Request *api.Request
	Call    *verb.Call
	Places  dirs.Dirs
	// StartDaemon starts the daemon where none listens.
	StartDaemon func() error
}

// Daemon says how the daemon in this process is to run.
type Daemon struct {
	// Home is where what must last is kept, RunDir the directory of its locks and log.
	Home   string
	RunDir string
	// Build identifies this binary, Version is what people call it.
	Build, Version string
	// Detached says that a client started it and waits for its word.
	Detached bool
}

// attempts bounds how often a command is sent again because a daemon was just
// ending. Twice is one more than was ever needed.
const attempts = 3

// Main runs the command line of this process and returns its exit status.
func (p Program) Main() int {
	req := warm.NewRequest()
	if warm.MayBeLocal(req.Argv) {
		// A mistake in the command line is told as every other is: below.
		if call, err := parse(req); err == nil && call.Verb.Is(verb.Local) {
			return p.local(req, call)
		}
	}
	places, err := dirs.Of(os.Getenv, "", req.Program == "agent-browser")
	if err != nil {
		return fail(req, err)
	}
	if warm.IsDaemonCommand(req.Argv) {
		return p.daemonCommand(req, places)
	}
	result := warm.Early
	if result.Outcome == warm.Skipped {
		result = try(req, places)
	}
	for tried := 1; ; tried++ {
		switch result.Outcome {
		case warm.Done:
			return result.Exit
		case warm.NoDaemon, warm.Local, warm.Silent:
			call, err := parse(req)
			if err != nil {
				return fail(req, err)
			}
			if call.Verb.Is(verb.Local) {
				return p.local(req, call)
			}
			switch result.Outcome {
			case warm.Local:
				return fail(req, api.Errorf(api.Internal, "the background process calls %q a command for this process, which it is not", call.Verb.Name))
			case warm.Silent:
				return fail(req, failure(result))
			}
		case warm.Refused:
			switch result.Frame.Code {
			case line.Retired, string(api.DaemonStopping):
			default:
				return p.refused(req, result.Frame)
			}
		default:
			return fail(req, failure(result))
		}
		// Nobody is there, or is about to leave.
		if tried == attempts {
			return fail(req, api.Errorf(api.DaemonStartFailed, "the background process was started %d times and ended each time before it accepted the command", attempts-1))
		}
		if err := startDaemon(places); err != nil {
			return fail(req, err)
		}
		result = try(req, places)
	}
}

// try sends a request to the daemon, if there is one. Where its socket is not in a directory of the user's home, which nobody
// else can write to, the directory is looked at before a word is said.
func try(req *api.Request, places dirs.Dirs) warm.Result {
	if filepath.Dir(places.Socket) != places.Run {
		if err := places.CheckSocket(); err != nil {
			return warm.Result{Outcome: warm.Unusable, Err: err}
		}
	}
	return warm.Try(req, places.Socket)
}

// refused ends a command that the daemon would not run. What needs no daemon, help
// or the word on a mistake, is there all the same.
func (p Program) refused(req *api.Request, f line.Frame) int {
	call, err := parse(req)
	switch {
	case err != nil:
		return fail(req, err)
	case call.Verb.Is(verb.Local):
		return p.local(req, call)
	}
	return fail(req, refusal(f))
}

func fail(req *api.Request, err error) int {
	out, errOut := api.Failure(req, req.WantsJSON(), err)
	write(out, errOut)
	return api.ExitOf(err)
}

// write prints; where the streams cannot be written there is nobody left to
// tell, and the exit status says the rest.
func write(out, errOut []byte) {
	_, _ = os.Stdout.Write(out)
	_, _ = os.Stderr.Write(errOut)
}

// refusal is the error for a request the daemon did not run.
func refusal(f line.Frame) error {
	return api.Errorf(api.Code(f.Code), "%s", f.Text)
}

// failure is the error for a conversation that went wrong.
func failure(r warm.Result) error {
	switch r.Outcome {
	case warm.Lost:
		if r.Err != nil {
			return api.Errorf(api.ConnectionLost, "the background process ended while the command ran: %w", r.Err)
		}
		return api.Errorf(api.ConnectionLost, "the background process ended while the command ran")
	case warm.Broken:
		return api.Errorf(api.InvalidRequest, "the answer of the background process cannot be read: %w", r.Err).
			WithHint("Run `usher daemon stop` and try again.")
	case warm.OutputFailed:
		return api.Errorf(api.FileWriteFailed, "the result cannot be written: %w", r.Err)
	case warm.Silent:
		return silent(r)
	case warm.Unusable:
		return unusable(r.Err)
	}
	return api.Errorf(api.Internal, "the connection to the background process ended with outcome %d: %v", r.Outcome, r.Err)
}

// silent is the error for a daemon that hangs. Its browsers notice when it is
// killed, and end.
func silent(r warm.Result) error {
	if r.PID == 0 {
		return api.Errorf(api.ConnectionLost, "the background process does not answer: %w", r.Err).
			WithHint("It is stopped or stuck. Ending it ends the browsers it started, too.")
	}
	return api.Errorf(api.ConnectionLost, "the background process (%d) does not answer: %w", r.PID, r.Err).With("pid", r.PID).
		WithHint("It is stopped or stuck. `kill -9 %d` ends it and the browsers it started.", r.PID)
}

func unusable(err error) error {
	var insecure *dirs.Insecure
	switch {
	case errors.As(err, &insecure):
		return fmt.Errorf("the background process cannot be reached: %w", err)
	case errors.Is(err, os.ErrPermission), errors.Is(err, warm.ErrForeign):
		return api.Errorf(api.PermissionDenied, "the background process cannot be reached: %w", err).
			WithHint("Set USHER_HOME to a directory of your own.")
	case errors.Is(err, warm.ErrArgument):
		return api.Errorf(api.InvalidArgument, "the command line cannot be sent: %w", err)
	}
	return api.Errorf(api.DaemonStartFailed, "the background process cannot be reached: %w", err)
}

// parse reads the command line with the verb table.
func parse(req *api.Request) (*verb.Call, error) {
	return verb.Parse(req.Argv, verb.ModeOf(req.Program))
}
