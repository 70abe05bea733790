// Package plugin has the commands about plugins of the protocol agent-browser.plugin.v1.
package plugin

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/command/run"
	"github.com/usher-browser/usher/internal/plugin"
	"github.com/usher-browser/usher/internal/verb"
)

// Plugin is a plugin of the configuration.
type Plugin struct {
	Name         string   `json:"name"`
	Command      string   `json:"command"` // its program
	Args         []string `json:"args"`
	Capabilities []string `json:"capabilities"`      // what it may be used for
	Source       string   `json:"source,omitzero"`   // npm:NAME, github:OWNER/REPO or a file
	Env          []string `json:"envNames,omitzero"` // the names of its own environment variables
}

// Listed is the result of `plugin list`.
type Listed struct {
	Plugins []Plugin `json:"plugins"`
}

// Shown is the result of `plugin show`.
type Shown struct {
	Plugin Plugin `json:"plugin"`
}

// Ran is the result of `plugin run`: the reply of the plugin.
type Ran struct {
	Protocol string `json:"protocol"` // agent-browser.plugin.v1
	Success  bool   `json:"success"`
	Result   any    `json:"result,omitzero"` // of the plugin's own form; there may be other members

	raw jsontext.Value
}

// MarshalJSON returns the reply as the plugin wrote it.
func (r *Ran) MarshalJSON() ([]byte, error) { return r.raw, nil }

// Family returns the commands.
func Family() run.Family {
	return run.Family{Grammar: grammar(), Handlers: map[string]run.Handler{
		"plugin list": run.Handle(list),
		"plugin show": run.Handle(show),
		"plugin run":  run.Handle(start),
		"plugin add":  run.Handle(add),
	}}
}

func shown(p *verb.PluginDef) Plugin {
	return Plugin{p.Name, p.Command, append([]string{}, p.Args...), append([]string{}, p.Capabilities...), p.Source, slices.Sorted(maps.Keys(p.Env))}
}

// list lists the plugins.
func list(_ context.Context, e *run.Env, _ *verb.Call) (run.Reply[Listed], error) {
	res := run.Reply[Listed]{Data: Listed{Plugins: []Plugin{}}, Bare: true}
	var lines []string
	for i := range e.Settings.Plugins {
		p := shown(&e.Settings.Plugins[i])
		res.Data.Plugins = append(res.Data.Plugins, p)
		lines = append(lines, p.Name+"  "+capabilities(p.Capabilities))
	}
	if res.Text = strings.Join(lines, "\n"); len(lines) == 0 {
		res.Text = "No plugins configured"
	}
	return res, nil
}

func capabilities(names []string) string {
	if len(names) == 0 {
		return "(no capabilities)"
	}
	return strings.Join(names, ", ")
}

// show shows one plugin.
func show(_ context.Context, e *run.Env, c *verb.Call) (run.Reply[Shown], error) {
	def, err := e.Plugins().Find(c.Str("name"), "")
	if err != nil {
		return run.Reply[Shown]{}, err
	}
	p := shown(def)
	text := "Name: " + p.Name + "\nCommand: " + p.Command
	if len(p.Args) > 0 {
		text += "\nArgs: " + strings.Join(p.Args, " ")
	}
	text += "\nCapabilities: " + capabilities(p.Capabilities)
	if p.Source != "" {
		text += "\nSource: " + p.Source
	}
	if len(p.Env) > 0 {
		text += "\nEnvironment: " + strings.Join(p.Env, ", ")
	}
	return run.Reply[Shown]{Data: Shown{p}, Text: text, Bare: true}, nil
}

// core are the request types and capabilities that have commands of their own.
func core(name string) (instead string, ok bool) {
	switch name {
	case plugin.CredentialResolve, verb.CredentialRead:
		return "`auth login NAME --credential-provider PLUGIN`", true
	case plugin.BrowserLaunch, plugin.BrowserClose, verb.BrowserProvider:
		return "`open --provider PLUGIN`", true
	case plugin.LaunchMutate:
		return "`open`, which asks every plugin with that capability when it launches a browser", true
	case plugin.Manifest:
		return "`plugin add`, which asks for it", true
	}
	return "", false
}

// start sends a plugin a request of its own kind.
func start(ctx context.Context, e *run.Env, c *verb.Call) (run.Reply[*Ran], error) {
	var res run.Reply[*Ran]
	kind := c.Str("type")
	if instead, ok := core(kind); ok {
		return res, api.Errorf(api.InvalidArgument, "plugin run cannot invoke core plugin entrypoint '%s'; use the dedicated agent-browser command path", kind).
			WithHint("That is %s.", instead)
	}
	payload := jsontext.Value("{}")
	if c.Has("payload") {
		payload = jsontext.Value(c.Str("payload"))
		if err := json.Unmarshal(payload, new(any)); err != nil {
			return res, api.Errorf(api.InvalidJSON, "plugin run --payload is invalid JSON: %w", err)
		}
	}
	host := e.Plugins()
	capability := plugin.Capability(host.Plugins, c.Str("name"), verb.CommandRun, kind)
	p, err := host.Find(c.Str("name"), capability)
	if err != nil {
		return res, err
	}
	res.Data = &Ran{}
	raw, err := host.Call(ctx, p, plugin.Request{Type: kind, Capability: capability, Request: payload}, res.Data)
	if err != nil {
		return res, err
	}
	res.Data.raw, res.Text, res.Bare = raw, string(raw), true
	return res, nil
}
