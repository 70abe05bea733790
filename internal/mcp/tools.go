package mcp

import (
	"context"
	"os"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/config"
	"github.com/usher-browser/usher/internal/tool"
	"github.com/usher-browser/usher/internal/toolset"
	"github.com/usher-browser/usher/internal/verb"
)

// selection works out which tools are chosen, from the configuration and what the caller
// names.
func selection(req *api.Request, call *verb.Call, platform string, names []string) (*toolset.Setup, error) {
	conf, err := config.LoadTools(config.Source{Mode: call.Mode, Env: environment(req), Cwd: req.Cwd, Flags: call.Globals})
	if err != nil {
		return nil, err
	}
	return toolset.New(toolset.Options{Config: conf, Platform: platform, Names: names})
}

// environment looks variables up in the request, which carries those that settings are
// made of, and then in this process's own: keys for other programs.
func environment(req *api.Request) func(string) (string, bool) {
	return func(name string) (string, bool) {
		if v, ok := req.LookupEnv(name); ok {
			return v, true
		}
		return os.LookupEnv(name)
	}
}

// Tools carries out the verbs about the tools that agents are offered.
func Tools(_ context.Context, req *api.Request, call *verb.Call) (data any, text string, warnings []string, err error) {
	var names []string
	if call.Verb.Name == "tools list" || call.Verb.Name == "tools show" { // what is changed is what is configured
		names = call.List("toolsets")
	}
	setup, err := selection(req, call, call.Str("platform"), names)
	if err != nil {
		return nil, "", nil, err
	}
	out, err := setup.Command(call, &tool.Host{Env: req.Env, Cwd: req.Cwd, Roots: []string{req.Cwd}, Backend: func() bool { return true }})
	return out.Data, out.Text, out.Warnings, err
}
