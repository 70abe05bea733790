package mcp

import (
	"context"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strconv"
	"time"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/api/client"
	"github.com/usher-browser/usher/internal/config"
	"github.com/usher-browser/usher/internal/config/dirs"
	"github.com/usher-browser/usher/internal/tool"
	"github.com/usher-browser/usher/internal/tool/vision"
	"github.com/usher-browser/usher/internal/toolset"
	"github.com/usher-browser/usher/internal/verb"
)

// Process describes one run of `usher mcp`.
type Process struct {
	Version string
	Request *api.Request
	Call    *verb.Call
	Places  dirs.Dirs
	// StartDaemon starts the daemon if none is running.
	StartDaemon func() error
	// Platform and Toolsets, if set, select the tools in place of the flags.
	Platform string
	Toolsets []string

	// Local runs a command that needs no daemon, and writes its result; nil if there are none.
	Local func(ctx context.Context, req *api.Request, call *verb.Call, out, errOut io.Writer) (exit int)

	// Log receives errors that are not the result of a call; nil discards them.
	Log *slog.Logger

	// trust decides which servers and plugins may start; if nil, those that are configured at the start.
	trust *trustPolicy
	// mounts returns the MCP servers and plugins of a configuration, the same for each call. Its creator closes them.
	mounts func(*config.Tools) (*mounts, error)
}

// Stdio serves one client on standard input and output until it disconnects.
func Stdio(ctx context.Context, p Process) error {
	// The client waits for the start. A garbage collection now would take more than a tenth of it (1.1 of 6.9 ms).
	gcPercent := debug.SetGCPercent(-1)
	started := time.AfterFunc(gcOffTime, func() { debug.SetGCPercent(gcPercent) })
	defer started.Stop()
	var all *mounts
	p.mounts = func(conf *config.Tools) (*mounts, error) {
		all = newMounts(conf, &p)
		return all, nil
	}
	defer func() {
		if all != nil {
			all.Close()
		}
	}()
	opts, err := p.options(ctx)
	if err != nil {
		return err
	}
	s := New(opts)
	return s.Run(ctx, overStdio(os.Stdin, os.Stdout, &s.arrivals))
}

// gcOffTime is how long the garbage collector is off.
const gcOffTime = 300 * time.Millisecond

func (p *Process) log() *slog.Logger {
	if p.Log != nil {
		return p.Log
	}
	return slog.New(slog.DiscardHandler)
}

// requireSiteGuard returns an error if the command line turns the site guard off.
func requireSiteGuard(call *verb.Call) error {
	if call.Has("site-guard") && !call.Bool("site-guard") {
		return api.Errorf(api.InvalidArgument, "%s: --site-guard=false: agents always work under the site guard", call.Verb.Name).
			WithHint("--allow-private-urls and --blocklist=false loosen it.")
	}
	return nil
}

// options returns what to serve, from the command line, the environment and the settings.
func (p *Process) options(ctx context.Context) (Options, error) {
	set, err := config.Load(config.Source{Mode: p.Call.Mode, Env: p.Request.LookupEnv, Cwd: p.Request.Cwd, Flags: p.Call.Globals})
	if err != nil {
		return Options{}, err
	}
	if err := requireSiteGuard(p.Call); err != nil {
		return Options{}, err
	}
	results := Results(p.Call.Str("results"))
	if results == "" {
		results = Both
	}
	platform, names, typed, instructions := p.selection()
	conf, err := toolsConfig(p.Request, p.Call)
	if err != nil {
		return Options{}, err
	}
	if p.trust == nil {
		p.trust = newTrustPolicy(p.Places.Home, conf, p.log())
	}
	mounts, err := p.mounts(conf)
	if err != nil {
		return Options{}, err
	}
	mounts.Prepare(ctx, isPlugin) // plugins choose the names of their tools, which may be in a list of tools
	reload := p.reloader(mounts, toolset.Options{Platform: platform, Names: names})
	setup, err := reload.change(conf)
	if err != nil {
		return Options{}, err
	}
	reload.start(conf, setup)
	mounts.Prepare(ctx, setup.Wanted)
	tools := reload.tools
	if typed != nil {
		tools = func() []tool.Tool { return slices.Concat(typed, reload.tools()) }
	}
	return Options{
		Version: p.Version, Instructions: instructions, Refresh: reload.refresh, Select: tools, Watch: mounts.Subscribe, Results: results,
		NeedsConfirmation: reload.needsConfirmation,
		Host:              p.host(set, conf.Vision, func() *config.Tools { conf, _ := reload.current(); return conf }),
	}, nil
}

// host returns what the calls of an agent share.
func (p *Process) host(set *config.Settings, conf *config.VisionModel, current func() *config.Tools) tool.Host {
	var fallback tool.Model
	if conf != nil {
		fallback = vision.New(conf)
	}
	return tool.Host{
		Daemon: &client.Client{Socket: p.Places.Socket, Build: p.Request.Build, Start: p.StartDaemon}, Session: set.Str("session"), OwnSession: set.Given("session"), Client: "process:" + strconv.Itoa(os.Getppid()),
		Globals: p.Call.Globals.Without("session", "site-guard", "json").Values(), Env: p.Request.Env, Cwd: p.Request.Cwd,
		Roots: []string{p.Request.Cwd}, Protected: p.protectedPaths(set, current), OwnUploadRoots: set.Given("upload-root"), StateDir: filepath.Join(p.Places.Home, "agents"), ArtifactDir: p.Places.Artifacts,
		AcceptsImages: p.Call.Verb.Name == "mcp call" || p.Call.Str("images") != "ask", Fallback: fallback,
	}
}

// reloader returns the current and future configuration for one selection of tools.
func (p *Process) reloader(mounts *mounts, selection toolset.Options) *reloader {
	return &reloader{
		load: func() (*config.Tools, error) { return toolsConfig(p.Request, p.Call) },
		change: func(conf *config.Tools) (setup *toolset.Setup, err error) {
			err = mounts.Change(helperSpecs(conf, p.Version, p.Places.Cache, p.trust), isPlugin, func(sources []toolset.Source) (func(toolset.Source) bool, error) {
				o := selection
				o.Config, o.Sources = conf, sources
				made, err := toolset.New(o)
				if err != nil {
					return nil, err
				}
				setup = made
				return setup.Wanted, nil
			})
			return setup, err
		},
		stampTrust: p.trust.store.Stamp,
		log:        p.log(),
	}
}
