package mcp

import (
	"context"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/config"
	"github.com/usher-browser/usher/internal/config/dirs"
	"github.com/usher-browser/usher/internal/config/trust"
	"github.com/usher-browser/usher/internal/mcp/mount"
	"github.com/usher-browser/usher/internal/tool"
	"github.com/usher-browser/usher/internal/toolset"
	"github.com/usher-browser/usher/internal/toolset/plugin"
	"github.com/usher-browser/usher/internal/toolset/screen"
	"github.com/usher-browser/usher/internal/verb"
)

// toolsConfig reads the tools section of the configuration.
func toolsConfig(req *api.Request, call *verb.Call) (*config.Tools, error) {
	return config.LoadTools(config.Source{Mode: call.Mode, Env: environment(req), Cwd: req.Cwd, Flags: call.Globals})
}

// helperSpecs returns the specifications of the configured MCP servers and plugins.
func helperSpecs(conf *config.Tools, version, cacheDir string, t *trustPolicy) (all []toolset.Spec) {
	reserved := toolset.NewRegistry()
	taken := func(name string) bool {
		return len(reserved.Owners(name)) > 0 || strings.HasPrefix(name, toolset.ToolPrefix)
	}
	for _, d := range definitions(conf) {
		if d.Off {
			continue
		}
		s, isPlugin, why := *d.Server, d.set == d.Name, t.blockedReason(d, conf.Path)
		prepare := func(changed func()) toolset.Helper { return mount.New(d.Server, version, cacheDir, changed) }
		switch {
		case why != "":
			prepare = func(func()) toolset.Helper { return d.untrusted(why) }
		case isPlugin:
			prepare = func(changed func()) toolset.Helper { return plugin.New(d.Server, version, taken, changed) }
		}
		s.Line = 0 // compare without the position in the file
		all = append(all, toolset.Spec{Conf: helperConf{s, isPlugin, why}, New: prepare})
	}
	return all
}

// mounts are the running MCP servers and plugins, and the watch of the file that configures them.
type mounts struct {
	*toolset.Helpers
	stop func()
}

func newMounts(conf *config.Tools, p *Process) *mounts {
	helpers := toolset.NewHelpers(helperSpecs(conf, p.Version, p.Places.Cache, p.trust))
	return &mounts{helpers, watch(conf.Path, p.trustDir(), p.log(), helpers.Notify)}
}

// Close ends them, and waits.
func (m *mounts) Close() {
	m.stop()
	m.Helpers.Close()
}

// helperConf is the configuration from which a server or plugin is made, for comparison.
type helperConf struct {
	config.Server
	plugin  bool
	blocked string
}

func isPlugin(s toolset.Source) bool { return s.Set().Kind == toolset.Plugin }

// environment looks a variable up in the request, which has those of usher's settings, and then in this process's
// environment, which may have keys for other programs.
func environment(req *api.Request) func(string) (string, bool) {
	return func(name string) (string, bool) {
		if v, ok := req.LookupEnv(name); ok {
			return v, true
		}
		return os.LookupEnv(name)
	}
}

// Tools implements the commands `tools ...`.
func Tools(ctx context.Context, version string, req *api.Request, call *verb.Call) (data any, text string, warnings []string, err error) {
	conf, err := toolsConfig(req, call)
	if err != nil {
		return nil, "", nil, err
	}
	places, err := dirs.Of(req.Getenv, "", false)
	if err != nil {
		return nil, "", nil, err
	}
	if call.Verb.Name == "tools trust" {
		data, text, err = agree(conf, places.Home, call)
		return data, text, nil, err
	}
	mounts := toolset.NewHelpers(helperSpecs(conf, version, places.Cache, &trustPolicy{store: trust.In(places.Home)}))
	defer mounts.Close()
	mounts.Prepare(ctx, isPlugin)
	o := toolset.Options{Config: conf, Platform: call.Str("platform"), Sources: mounts.Sources()}
	switch call.Verb.Name { // the other commands change the configured selection, so --toolsets does not apply
	case "tools list", "tools show":
		o.Names = call.List("toolsets")
	}
	if call.Verb.Name == "tools show" { // shows the current state, so the program is started
		if m := mounts.Find(call.Str("name")); m != nil && ctx.Err() == nil {
			_ = m.Ready(ctx) // an error is also its Problem, which is shown
		}
	}
	host := &tool.Host{Env: req.Env, Cwd: req.Cwd, Roots: []string{req.Cwd}}
	bare := call.Verb.Name == "tools list" && !slices.Contains(req.Argv, "list") && !call.Has("all") && o.Names == nil
	if bare && req.TTY.In && req.TTY.Out && !call.Bool("json") && !req.WantsJSON() {
		return nil, "", nil, runScreen(ctx, conf, o, host)
	}
	setup, err := toolset.New(o)
	if err != nil {
		return nil, "", nil, err
	}
	out, err := setup.Command(call, host)
	return out.Data, out.Text, out.Warnings, err
}

// runScreen runs the interactive screen, with the platform of o first.
func runScreen(ctx context.Context, conf *config.Tools, o toolset.Options, host *tool.Host) error {
	platforms := append([]string{o.Platform, toolset.DefaultPlatform, "cli", "acp", "api-server"}, slices.Sorted(maps.Keys(conf.Platforms))...)
	var setups []*toolset.Setup
	for _, o.Platform = range platforms {
		setup, err := toolset.New(o)
		if err != nil {
			return err
		}
		if !slices.ContainsFunc(setups, func(s *toolset.Setup) bool { return s.Platform == setup.Platform }) {
			setups = append(setups, setup)
		}
	}
	s, err := screen.New(setups, host, func(edits []config.Edit) error { return config.Apply(conf.Path, edits) })
	if err != nil {
		return err
	}
	return screen.Run(ctx, s, os.Stdin, os.Stdout)
}
