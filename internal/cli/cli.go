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
//   - The exit status is 0, or that of the error's code in docs/ERRORS.md.
//   - Ctrl-C ends this process; the daemon sees that and cancels the command, and
//     nothing else. A closed pipe ends it without a message.
//
// A command whose daemon is running does not reach this package: see package
// [github.com/usher-browser/usher/internal/cli/fastpath]. This package does what is left: commands that run in this
// process, starting a daemon, and error messages.
package cli

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/api/client"
	"github.com/usher-browser/usher/internal/api/exchange"
	"github.com/usher-browser/usher/internal/cli/fastpath"
	"github.com/usher-browser/usher/internal/config/dirs"
	"github.com/usher-browser/usher/internal/verb"
	"github.com/usher-browser/usher/internal/verb/mistakes"
)

// Program is the configuration of the command line, set by main.
type Program struct {
	// Table is the grammar of all commands.
	Table *verb.Table
	// Version is what `usher version` prints.
	Version string
	// First is the result of the attempt before main ([fastpath.First]).
	First exchange.Result
	// Daemon serves in this process and returns its exit status.
	Daemon func(Daemon) int
	// Local runs a verb marked Local that package cli does not implement itself, in this process, and prints its result.
	Local func(ctx context.Context, req *api.Request, call *verb.Call, out, errOut io.Writer) (exit int)
	// WithoutDaemon runs a verb marked DaemonOptional in this process while no daemon runs.
	WithoutDaemon func(ctx context.Context, req *api.Request, call *verb.Call, paths dirs.Dirs) (exit int)
	// MCP serves an agent over standard input and output until it disconnects.
	MCP func(context.Context, MCP) error
	// CallMCP calls one tool, prints its result, and returns the exit status.
	CallMCP func(context.Context, MCP) (exit int, err error)
	// Tools runs the verbs about the tools that agents are offered.
	Tools func(ctx context.Context, req *api.Request, call *verb.Call) (data any, text string, warnings []string, err error)
	// InstallMCP adds the program to the configuration of an MCP client.
	InstallMCP func(req *api.Request, call *verb.Call) (data any, text string, err error)
}

// MCP are the options of `usher mcp`.
type MCP struct {
	Request *api.Request
	Call    *verb.Call
	Dirs    dirs.Dirs
	// StartDaemon starts the daemon if none listens.
	StartDaemon func() error
}

// Daemon are the options of a daemon in this process.
type Daemon struct {
	// Home is the directory of persistent files, RunDir the directory of its locks and log.
	Home   string
	RunDir string
	// Build identifies this binary, Version is the version shown to users.
	Build, Version string
	// Detached reports whether a client started it and waits for its first line.
	Detached bool
}

// Main runs the command line of this process and returns its exit status.
func (p Program) Main() int {
	req := fastpath.NewRequest()
	if fastpath.MayBeLocal(req.Argv) {
		// A mistake in the command line is reported as every other is: below.
		if call, err := p.parse(req); err == nil && call.Verb.Is(verb.Local) {
			return p.local(req, call)
		}
	}
	paths, err := dirs.Of(os.Getenv, "", req.Program == "agent-browser")
	if err != nil {
		return fail(req, err)
	}
	if fastpath.IsDaemonCommand(req.Argv) {
		return p.daemonCommand(req, paths)
	}
	again := func() exchange.Result { return try(req, paths) }
	result := p.First
	if result.Outcome == exchange.Skipped {
		result = again()
	}
	switch result.Outcome {
	case exchange.NoDaemon, exchange.Local, exchange.TimedOut:
		// What needs no daemon runs without one, and so do error messages of the parser.
		if call, err := p.parse(req); err != nil {
			return fail(req, err)
		} else if call.Verb.Is(verb.Local) {
			return p.local(req, call)
		} else if result.Outcome == exchange.NoDaemon && call.Verb.Is(verb.DaemonOptional) && !restricts(call) {
			return p.withoutDaemon(req, call, paths)
		}
	}
	if result, err = client.StartAndRetry(result, func() error { return startDaemon(paths) }, again); err != nil {
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

// restricts reports whether a command restricts its session, which only a daemon remembers.
func restricts(call *verb.Call) bool {
	return slices.ContainsFunc(call.Globals.Names(), func(name string) bool { return verb.GlobalFlag(name).Restricts })
}

// try sends a request to the daemon, if there is one. If its socket is not in a directory of the user's home, to which
// no other user can write, the directory is checked before anything is sent.
func try(req *api.Request, paths dirs.Dirs) exchange.Result {
	if filepath.Dir(paths.Socket) != paths.Run {
		if err := paths.CheckSocket(); err != nil {
			return exchange.Result{Outcome: exchange.Unusable, Err: err}
		}
	}
	return fastpath.Try(req, paths.Socket)
}

// refused ends a command that the daemon does not run. Commands that need no daemon, such as help, and errors of the
// parser are printed nevertheless.
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

func fail(req *api.Request, err error) int { return failTo(req, err, os.Stdout, os.Stderr) }

// failTo prints err. If the streams cannot be written, the exit status is the only report.
func failTo(req *api.Request, err error, out, errOut io.Writer) int {
	text, errText := api.Failure(req, req.WantsJSON(), err)
	_, _ = out.Write(text)
	_, _ = errOut.Write(errText)
	return api.ExitOf(err)
}

// write prints; if the streams cannot be written, the exit status is the only report.
func write(out, errOut []byte) {
	_, _ = os.Stdout.Write(out)
	_, _ = os.Stderr.Write(errOut)
}

// parse reads the command line with the verb table.
func (p Program) parse(req *api.Request) (*verb.Call, error) {
	return mistakes.Parse(p.Table, req.Argv, verb.ModeOf(req.Program))
}
