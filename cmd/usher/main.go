// Command usher is a browser for AI agents, which people can observe.
//
// The same program is the command line, the background daemon that owns the browsers, and, called through a link of
// that name, a replacement for agent-browser.
package main

import (
	"context"
	"log/slog"
	"os"

	"github.com/usher-browser/usher/cmd/usher/first" // has carried the command out already where it could, and ended the process
	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/cli"
	"github.com/usher-browser/usher/internal/cli/fastpath"
	"github.com/usher-browser/usher/internal/config/dirs"
	"github.com/usher-browser/usher/internal/daemon"
	"github.com/usher-browser/usher/internal/local"
	"github.com/usher-browser/usher/internal/mcp"
	"github.com/usher-browser/usher/internal/program"
	"github.com/usher-browser/usher/internal/reader"
	"github.com/usher-browser/usher/internal/script"
	"github.com/usher-browser/usher/internal/session"
	"github.com/usher-browser/usher/internal/verb"
)

func main() {
	if reader.Child() || script.Child() {
		return
	}
	os.Exit(commandLine().Main())
}

// commandLine is the program as it is called from a shell.
func commandLine() cli.Program {
	return cli.Program{Table: program.Table(), Version: fastpath.Version, First: first.Result, Daemon: serve, Local: local.Program{Version: fastpath.Version}.Run,
		WithoutDaemon: withoutDaemon, MCP: serveMCP, CallMCP: callMCP, InstallMCP: mcp.Install, Tools: tools}
}

// tools runs the commands about the tools that agents are offered.
func tools(ctx context.Context, req *api.Request, call *verb.Call) (data any, text string, warnings []string, err error) {
	return mcp.Tools(ctx, fastpath.Version, req, call)
}

// serveMCP is the program as an MCP server.
func serveMCP(ctx context.Context, m cli.MCP) error {
	return mcp.Stdio(ctx, agentProcess(m))
}

// callMCP calls one tool of agents.
func callMCP(ctx context.Context, m cli.MCP) (exit int, err error) {
	return mcp.Call(ctx, agentProcess(m), os.Stdin, os.Stdout)
}

func agentProcess(m cli.MCP) mcp.Process {
	return mcp.Process{
		Version: fastpath.Version, Request: m.Request, Call: m.Call, Places: m.Dirs, StartDaemon: m.StartDaemon,
		Local: local.Program{Version: fastpath.Version}.Run,
		Log:   slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn})),
	}
}

// withoutDaemon runs a command that needs no browser while no daemon runs.
func withoutDaemon(ctx context.Context, req *api.Request, call *verb.Call, paths dirs.Dirs) int {
	commands := &daemon.Commands{Registry: session.NewRegistry(session.Options{Table: program.Table(), StateDir: paths.Home, RunDir: paths.Run, NoDaemon: true})}
	status := commands.RunHere(ctx, req, call, os.Stdout, os.Stderr)
	if err := commands.Close(ctx); err != nil {
		_, text := api.Failure(req, false, err)
		_, _ = os.Stderr.Write(text)
		return api.ExitOf(err)
	}
	return status
}

// serve is the daemon's side of the program.
func serve(d cli.Daemon) int {
	defer reader.KeepReady()()
	return daemon.Process{
		Home: d.Home, RunDir: d.RunDir, Build: d.Build, Version: d.Version, Detached: d.Detached, Table: program.Table(),
		Local: commandLine().Answer,
		NewHandler: func(log *slog.Logger) (daemon.Handler, error) {
			return &daemon.Commands{
				Registry:  session.NewRegistry(session.Options{Table: program.Table(), StateDir: d.Home, RunDir: d.RunDir, Version: d.Version, Log: log}),
				Frontends: map[string]daemon.Frontend{"mcp http": &mcp.HTTP{Version: d.Version, StateDir: d.Home, Log: log}},
			}, nil
		},
	}.Run()
}
