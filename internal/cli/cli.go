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
	"os"
	"path/filepath"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/api/client"
	"github.com/usher-browser/usher/internal/api/exchange"
	"github.com/usher-browser/usher/internal/cli/warm"
	"github.com/usher-browser/usher/internal/config/dirs"
	"github.com/usher-browser/usher/internal/verb"
)

// Program is what main gives the command line.
type Program struct {
	// Table is every command.
	Table *verb.Table
	// Version is what `usher version` prints.
	Version string
	// First is what came of the command before main ([warm.First]).
	First exchange.Result
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

// Main runs the command line of this process and returns its exit status.
func (p Program) Main() int {
	req := warm.NewRequest()
	if warm.MayBeLocal(req.Argv) {
		// A mistake in the command line is told as every other is: below.
		if call, err := p.parse(req); err == nil && call.Verb.Is(verb.Local) {
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
	again := func() exchange.Result { return try(req, places) }
	result := p.First
	if result.Outcome == exchange.Skipped {
		result = again()
	}
	switch result.Outcome {
	case exchange.NoDaemon, exchange.Local, exchange.Silent:
		// What needs no daemon is there without one, and so is the word on a mistake.
		if call, err := p.parse(req); err != nil {
			return fail(req, err)
		} else if call.Verb.Is(verb.Local) {
			return p.local(req, call)
		}
	}
	if result, err = client.Insist(result, func() error { return startDaemon(places) }, again); err != nil {
		return fail(req, err)
	}
	switch result.Outcome {
	case exchange.Done:
		return result.Frame.Status
	case exchange.Refused:
		return p.refused(req, result)
	case exchange.Local:
		return fail(req, api.Errorf(api.Internal, "the daemon returned %q to this process, which cannot run it", req.Argv))
	}
	return fail(req, client.Failure(result))
}

// try sends a request to the daemon, if there is one. Where its socket is not in a directory of the user's home, which nobody
// else can write to, the directory is looked at before a word is said.
func try(req *api.Request, places dirs.Dirs) exchange.Result {
	if filepath.Dir(places.Socket) != places.Run {
		if err := places.CheckSocket(); err != nil {
			return exchange.Result{Outcome: exchange.Unusable, Err: err}
		}
	}
	return warm.Try(req, places.Socket)
}

// refused ends a command that the daemon would not run. What needs no daemon, help
// or the word on a mistake, is there all the same.
func (p Program) refused(req *api.Request, r exchange.Result) int {
	call, err := p.parse(req)
	switch {
	case err != nil:
		return fail(req, err)
	case call.Verb.Is(verb.Local):
		return p.local(req, call)
	}
	return fail(req, client.Failure(r))
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

// parse reads the command line with the verb table.
func (p Program) parse(req *api.Request) (*verb.Call, error) {
	return p.Table.Parse(req.Argv, verb.ModeOf(req.Program))
}
