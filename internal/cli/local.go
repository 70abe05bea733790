package cli

import (
	"context"
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
	switch call.Verb.Name {
	case "help":
		return p.help(req, call)
	case "version":
		name := call.Mode.Program()
		return print(req, call, name+" "+p.Version, Version{p.Version})
	case "config schema":
		schema, err := settings.Schema(call.Mode)
		if err != nil {
			return fail(req, err)
		}
		return print(req, call, string(schema), Schema{Schema: schema})
	case "completion":
		text, err := completion.Script(p.Table, call.Str("shell"), call.Mode)
		if err != nil {
			return fail(req, err)
		}
		return print(req, call, text, Completion{text})
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	switch call.Verb.Name {
	case "mcp serve":
		return p.serveMCP(ctx, req, call)
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
	return p.Local(ctx, req, call)
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
	paths, err := dirs.Of(req.Getenv, "", false)
	if err == nil {
		err = p.MCP(ctx, MCP{Request: req, Call: call, Dirs: paths, StartDaemon: func() error { return startDaemon(paths) }})
	}
	if err != nil && ctx.Err() == nil {
		_, text := api.Failure(req, false, err)
		write(nil, text)
		return api.ExitOf(err)
	}
	return 0
}

// help prints the help of the table, and adds the one command that is not in it.
func (p Program) help(req *api.Request, call *verb.Call) int {
	topic := call.List("topic")
	text, err := help.Text(p.Table, call.Mode, topic...)
	if err != nil {
		return fail(req, err)
	}
	if len(topic) == 0 {
		text += "\nThe daemon: `usher daemon status|stop`, see `usher help daemon`.\n"
	}
	return print(req, call, text, Help{text})
}

// print writes text for people, or data in an envelope.
func print(req *api.Request, call *verb.Call, text string, data any) int {
	out := []byte(text)
	if call.Bool("json") || req.WantsJSON() {
		var err error
		if out, err = (api.Envelope{Data: data}).Append(nil); err != nil {
			return fail(req, err)
		}
	}
	if len(out) == 0 || out[len(out)-1] != '\n' {
		out = append(out, '\n')
	}
	if _, err := os.Stdout.Write(out); err != nil {
		return fail(req, api.Errorf(api.FileWriteFailed, "the result cannot be written: %w", err))
	}
	return 0
}
