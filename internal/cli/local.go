package cli

import (
	"context"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/config/dirs"
	"github.com/usher-browser/usher/internal/verb"
	"github.com/usher-browser/usher/internal/verb/completion"
	"github.com/usher-browser/usher/internal/verb/help"
	"github.com/usher-browser/usher/internal/verb/settings"
)

// withoutDaemon runs a verb for which no daemon is started.
func (p Program) withoutDaemon(req *api.Request, call *verb.Call, paths dirs.Dirs) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	return p.WithoutDaemon(ctx, req, call, paths)
}

// local runs a verb that needs no daemon.
func (p Program) local(req *api.Request, call *verb.Call) int {
	if call.Verb.Is(verb.AnyProcess) {
		return p.Answer(req, call, os.Stdout, os.Stderr)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	switch call.Verb.Name {
	case "mcp serve":
		return p.serveMCP(ctx, req, call)
	case "mcp call":
		return p.callMCP(ctx, req, call)
	case "mcp install":
		data, text, err := p.InstallMCP(req, call)
		if err != nil {
			return fail(req, err)
		}
		return print(req, call, text, data)
	}
	if strings.HasPrefix(call.Verb.Name, "tools ") {
		return p.tools(ctx, req, call)
	}
	return p.Local(ctx, req, call, os.Stdout, os.Stderr)
}

// Answer runs a verb with the mark [verb.AnyProcess], prints its result to the two streams, and returns the exit status.
// The client and the daemon both use it, so that they print the same.
func (p Program) Answer(req *api.Request, call *verb.Call, out, errOut io.Writer) (exit int) {
	var text string
	var data any
	switch call.Verb.Name {
	case "help":
		var err error
		if text, err = p.help(call); err != nil {
			return failTo(req, err, out, errOut)
		}
		data = Help{text}
	case "version":
		text, data = call.Mode.Program()+" "+p.Version, Version{p.Version}
	case "config schema":
		schema, err := settings.Schema(call.Mode)
		if err != nil {
			return failTo(req, err, out, errOut)
		}
		text, data = string(schema), Schema{Schema: schema}
	case "completion":
		script, err := completion.Script(p.Table, call.Str("shell"), call.Mode)
		if err != nil {
			return failTo(req, err, out, errOut)
		}
		text, data = script, Completion{script}
	default:
		return p.Local(context.Background(), req, call, out, errOut)
	}
	return printTo(req, call, text, data, out, errOut)
}

// tools runs a verb about the tools that agents are offered.
func (p Program) tools(ctx context.Context, req *api.Request, call *verb.Call) int {
	data, text, warnings, err := p.Tools(ctx, req, call)
	if err != nil {
		return fail(req, err)
	}
	if data == nil { // a person saw it on the screen
		return 0
	}
	if !call.Bool("json") && !req.WantsJSON() {
		for _, w := range warnings {
			write(nil, []byte("⚠ "+w+"\n"))
		}
	}
	return print(req, call, text, data)
}

// serveMCP serves an agent. Standard output is the protocol's, so errors go to standard error.
func (p Program) serveMCP(ctx context.Context, req *api.Request, call *verb.Call) int {
	m, err := newMCP(req, call)
	if err == nil {
		err = p.MCP(ctx, m)
	}
	if err != nil && ctx.Err() == nil {
		_, text := api.Failure(req, false, err)
		write(nil, text)
		return api.ExitOf(err)
	}
	return 0
}

// newMCP returns the options of the commands that run tools. The daemon is that of the command line.
func newMCP(req *api.Request, call *verb.Call) (MCP, error) {
	paths, err := dirs.Of(req.Getenv, "", call.Mode == verb.AgentBrowser)
	return MCP{Request: req, Call: call, Dirs: paths, StartDaemon: func() error { return startDaemon(paths) }}, err
}

// callMCP calls one tool of agents.
func (p Program) callMCP(ctx context.Context, req *api.Request, call *verb.Call) int {
	m, err := newMCP(req, call)
	if err != nil {
		return fail(req, err)
	}
	exit, err := p.CallMCP(ctx, m)
	if err != nil {
		return fail(req, err)
	}
	return exit
}

// help returns the help of the table, with the one command that is not in it.
func (p Program) help(call *verb.Call) (string, error) {
	topic := call.List("topic")
	text, err := help.Text(p.Table, call.Mode, topic...)
	if err == nil && len(topic) == 0 {
		text += "\nThe daemon: `usher daemon status|stop`, see `usher help daemon`.\n"
	}
	return text, err
}

// print writes text for people, or data in an envelope.
func print(req *api.Request, call *verb.Call, text string, data any) int {
	return printTo(req, call, text, data, os.Stdout, os.Stderr)
}

// printTo is print with the two streams.
func printTo(req *api.Request, call *verb.Call, text string, data any, stdout, stderr io.Writer) int {
	out := []byte(text)
	if call.Bool("json") || req.WantsJSON() {
		var err error
		if out, err = (api.Envelope{Data: data}).Append(nil); err != nil {
			return failTo(req, err, stdout, stderr)
		}
	}
	if len(out) == 0 || out[len(out)-1] != '\n' {
		out = append(out, '\n')
	}
	if _, err := stdout.Write(out); err != nil {
		return failTo(req, api.Errorf(api.FileWriteFailed, "the result cannot be written: %w", err), stdout, stderr)
	}
	return 0
}
