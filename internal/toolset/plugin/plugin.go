// Package plugin offers the tools of programs that speak the plugin protocol, which is lines of JSON; see
// docs/plugins.md. Each program is a toolset of its name. Package keep keeps it running.
package plugin

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/config"
	"github.com/usher-browser/usher/internal/tool"
	"github.com/usher-browser/usher/internal/toolset"
	"github.com/usher-browser/usher/internal/toolset/keep"
)

// Plugin is one plugin. It implements [toolset.Helper]. It is safe for concurrent use.
type Plugin struct {
	conf    *config.Server
	version string
	// nameTaken reports whether a tool's name is in use already.
	nameTaken func(tool string) bool
	keeper    *keep.Keeper[*conn]
	changed   func()

	mu    sync.Mutex
	known bool        // guarded by mu
	doc   string      // guarded by mu
	tools []tool.Tool // guarded by mu
	notes []string    // guarded by mu: which tools cannot be offered, and why
}

// New returns a plugin without starting it. A tool whose name is taken is refused, unless the configuration says that
// the plugin provides it. changed is called after each change of its tools or its state.
func New(conf *config.Server, version string, taken func(string) bool, changed func()) *Plugin {
	p := &Plugin{conf: conf, version: version, nameTaken: taken, changed: changed}
	p.keeper = keep.New(p.open, changed)
	return p
}

// Set implements [toolset.Source].
func (p *Plugin) Set() toolset.Set {
	p.mu.Lock()
	defer p.mu.Unlock()
	doc := p.doc
	if doc == "" {
		doc = "the tools of the plugin " + p.conf.Name
	}
	if n := len(p.notes); n > 0 {
		doc += fmt.Sprintf("; not offered: %d, as %s", n, p.notes[0])
	}
	return toolset.Set{Name: p.conf.Name, Kind: toolset.Plugin, Doc: doc}
}

// Tools implements [toolset.Source].
func (p *Plugin) Tools() []tool.Tool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.tools
}

// Problem implements [toolset.Source].
func (p *Plugin) Problem() string {
	if err := p.keeper.Problem(); err != nil {
		return fmt.Sprintf("the plugin %s cannot be used: %v", p.conf.Name, err)
	}
	if !p.Known() {
		return fmt.Sprintf("the plugin %s was not started yet: usher tools show %s", p.conf.Name, p.conf.Name)
	}
	return ""
}

// Known implements [toolset.Helper].
func (p *Plugin) Known() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.known
}

// Ready implements [toolset.Helper].
func (p *Plugin) Ready(ctx context.Context) error {
	_, err := p.keeper.Use(ctx)
	return err
}

// Close implements [toolset.Helper].
func (p *Plugin) Close() { p.keeper.Close() }

// setManifest converts the tools of a manifest.
func (p *Plugin) setManifest(m *manifest) {
	tools, notes := toolset.ConvertTools(m.Tools, func(d manifestTool) string { return d.Name }, func(d manifestTool) (*tool.Tool, error) { return p.tool(&d) })
	p.mu.Lock()
	p.known, p.doc, p.tools, p.notes = true, toolset.Truncate(m.Description, 200), tools, notes
	p.mu.Unlock()
}

func (p *Plugin) tool(d *manifestTool) (*tool.Tool, error) {
	if p.conf.Provides[d.Name] == "" && p.nameTaken(d.Name) {
		return nil, fmt.Errorf("the name is taken; plugins.%s.provides lets it replace the built-in tool", p.conf.Name)
	}
	made, err := toolset.ExternalTool(d.Name, d.Title, d.Description, d.InputSchema)
	if err != nil {
		return nil, err
	}
	made.Traits = d.traits()
	name := d.Name
	made.Run = func(ctx context.Context, h *tool.Host, a tool.Args) (*tool.Result, error) {
		return p.call(ctx, h, name, a)
	}
	return made, nil
}

// call sends a call to the plugin and waits for the result.
func (p *Plugin) call(ctx context.Context, h *tool.Host, name string, a tool.Args) (*tool.Result, error) {
	c, err := p.keeper.Use(ctx)
	if err != nil {
		if ctx.Err() != nil {
			return nil, fmt.Errorf("the call of the plugin %s: %w", p.conf.Name, err)
		}
		return nil, api.Errorf(api.ToolUnavailable, "the plugin %s cannot be used: %w", p.conf.Name, err)
	}
	limited, cancel := context.WithTimeout(ctx, p.conf.Timeout)
	defer cancel()
	answer, err := c.call(limited, h, name, a.Raw)
	switch {
	case err == nil:
		return p.result(h, answer)
	case errors.Is(err, errDisconnected):
		return nil, api.Errorf(api.ToolUnavailable, "the plugin %s disconnected during %s: %w", p.conf.Name, name, c.Err()).
			WithHint("Whether it took effect is not known. The plugin is being restarted: check the result before you repeat the call.")
	case ctx.Err() != nil:
		return nil, fmt.Errorf("the call of the plugin %s: %w", p.conf.Name, ctx.Err())
	}
	c.endUnlessResponsive(p.conf.Timeout)
	return nil, api.Errorf(api.Timeout, "%s of the plugin %s took longer than %s and was cancelled", name, p.conf.Name, p.conf.Timeout).
		WithHint("Whether it took effect is not known. plugins.%s.timeout sets another limit.", p.conf.Name)
}

// result converts the plugin's answer.
func (p *Plugin) result(h *tool.Host, m *message) (*tool.Result, error) {
	if m.Type == "error" {
		return nil, api.Errorf(api.ToolFailed, "the plugin %s: %s", p.conf.Name, toolset.Truncate(m.Message, 2000))
	}
	text := m.Text
	if text == "" {
		text = string(m.Data)
	}
	text, err := h.Bounded("plugin-"+p.conf.Name, text)
	return &tool.Result{Text: text}, err
}
