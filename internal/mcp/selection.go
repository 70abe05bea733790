package mcp

import (
	"context"
	"io"

	"github.com/usher-browser/usher/internal/config"
	"github.com/usher-browser/usher/internal/tool"
	"github.com/usher-browser/usher/internal/tool/commands"
	"github.com/usher-browser/usher/internal/verb"
)

// selection returns what the agent is offered: the platform and names of toolsets, the tools of profiles, and the instructions for those.
// With profiles, toolsets are served only if they are named. Under the name agent-browser, profiles are the default.
func (p *Process) selection() (platform string, names []string, tools []tool.Tool, instructions string) {
	platform, names = p.Platform, p.Toolsets
	if platform == "" {
		platform = p.Call.Str("platform")
	}
	if names == nil {
		names = p.Call.List("toolsets")
	}
	profiles := p.Call.List("tools")
	if len(profiles) == 0 && names == nil && platform == "" && p.Call.Mode == verb.AgentBrowser {
		profiles = []string{commands.Default}
	}
	if len(profiles) == 0 {
		return platform, names, nil, ""
	}
	if names == nil {
		names = []string{}
	}
	return platform, names, commands.Tools(p.commands(), profiles), commands.Instructions
}

// commands returns how the tools of profiles run.
func (p *Process) commands() commands.Options {
	o := commands.Options{Table: p.Call.Table(), Mode: p.Call.Mode}
	if p.Local != nil {
		o.Local = func(ctx context.Context, call *verb.Call, out, errOut io.Writer) int {
			return p.Local(ctx, p.Request, call, out, errOut)
		}
	}
	return o
}

// oneTool returns what to serve for a call of one tool.
func (p *Process) oneTool(t *tool.Tool) (Options, error) {
	set, err := config.Load(config.Source{Mode: p.Call.Mode, Env: p.Request.LookupEnv, Cwd: p.Request.Cwd, Flags: p.Call.Globals})
	if err != nil {
		return Options{}, err
	}
	if err := requireSiteGuard(p.Call); err != nil {
		return Options{}, err
	}
	conf, err := toolsConfig(p.Request, p.Call)
	if err != nil {
		return Options{}, err
	}
	return Options{
		Version: p.Version, Tools: []tool.Tool{*t}, Results: Both, NeedsConfirmation: conf.Confirms, Log: p.log(),
		Host: p.host(set, conf.Vision, func() *config.Tools { return conf }),
	}, nil
}
