// Package mount makes the tools of other MCP servers ours: each server that the
// configuration names is a toolset mcp-NAME with tools mcp__NAME__TOOL. A server is
// started when one of its tools is first called, or when nothing is known of its tools
// yet, and kept by package keep. What a server says of itself is data of a stranger:
// bounded, and refused where it does not fit.
package mount

import (
	"context"
	"fmt"
	"path"
	"slices"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/config"
	"github.com/usher-browser/usher/internal/tool"
	"github.com/usher-browser/usher/internal/toolset"
	"github.com/usher-browser/usher/internal/toolset/keep"
)

// Mount is one server.
type Mount struct {
	server  *config.Server
	version string
	cache   string // the file of what is known of its tools; "" for none
	keeper  *keep.Keeper[*session]
	changed func()

	mu    sync.Mutex
	known bool        // guarded by mu: tools is what the server has, or had when it last ran
	tools []tool.Tool // guarded by mu
	notes []string    // guarded by mu: tools that cannot be offered, and why
}

// New prepares a server and does not start it. What is known of its tools is kept in
// cacheDir; changed is called after every change of what it has, or of how it is.
func New(s *config.Server, version, cacheDir string, changed func()) *Mount {
	m := &Mount{server: s, version: version, changed: changed}
	m.keeper = keep.New(m.open, changed)
	if cacheDir != "" {
		m.cache = cacheFile(cacheDir, s)
		m.remember()
	}
	return m
}

// Set implements [toolset.Source].
func (m *Mount) Set() toolset.Set {
	doc := "the tools of the MCP server " + m.server.Name
	m.mu.Lock()
	defer m.mu.Unlock()
	if n := len(m.notes); n > 0 {
		doc += fmt.Sprintf("; not offered: %d, as %s", n, m.notes[0])
	}
	return toolset.Set{Name: toolset.ServerPrefix + m.server.Name, Kind: toolset.Server, Doc: doc}
}

// Tools implements [toolset.Source].
func (m *Mount) Tools() []tool.Tool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.tools
}

// Problem implements [toolset.Source].
func (m *Mount) Problem() string {
	if err := m.keeper.Problem(); err != nil {
		return fmt.Sprintf("the server %s cannot be used: %v", m.server.Name, err)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.known {
		return fmt.Sprintf("the server %s was not started yet: usher tools show %s%s", m.server.Name, toolset.ServerPrefix, m.server.Name)
	}
	return ""
}

// Ready starts the server and waits until its tools are known.
func (m *Mount) Ready(ctx context.Context) error {
	_, err := m.keeper.Use(ctx)
	return err
}

// Known says whether its tools are, from this run or an earlier one.
func (m *Mount) Known() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.known
}

// take makes the server's tools ours.
func (m *Mount) take(list []*mcp.Tool) {
	wanted := slices.DeleteFunc(slices.Clone(list), func(t *mcp.Tool) bool { return !m.wanted(t.Name) })
	tools, notes := toolset.Collect(wanted, func(t *mcp.Tool) string { return t.Name }, m.tool)
	m.mu.Lock()
	m.known, m.tools, m.notes = true, tools, notes
	m.mu.Unlock()
}

// wanted says whether include and exclude let a tool through. A pattern that is none
// matches nothing but itself.
func (m *Mount) wanted(name string) bool {
	matches := func(pattern string) bool {
		ok, err := path.Match(pattern, name)
		return ok && err == nil || pattern == name
	}
	if slices.ContainsFunc(m.server.Exclude, matches) {
		return false
	}
	return len(m.server.Include) == 0 || slices.ContainsFunc(m.server.Include, matches)
}

// tool makes one tool ours.
func (m *Mount) tool(t *mcp.Tool) (*tool.Tool, error) {
	schema, err := json.Marshal(t.InputSchema, json.Deterministic(true))
	if err != nil {
		return nil, fmt.Errorf("its schema cannot be read: %w", err)
	}
	made, err := toolset.Foreign(toolset.ToolPrefix+m.server.Name+"__"+t.Name, t.Title, t.Description, schema)
	if err != nil {
		return nil, err
	}
	made.Traits = traits(t.Annotations)
	own := t.Name
	made.Run = func(ctx context.Context, h *tool.Host, a tool.Args) (*tool.Result, error) {
		return m.call(ctx, h, own, a)
	}
	return made, nil
}

// traits are what the server says of a tool, the worst where it says nothing.
func traits(a *mcp.ToolAnnotations) (out tool.Traits) {
	if a == nil {
		return tool.Destructive | tool.OpenWorld
	}
	if a.ReadOnlyHint {
		out |= tool.ReadOnly
	} else if a.DestructiveHint == nil || *a.DestructiveHint {
		out |= tool.Destructive
	}
	if a.IdempotentHint {
		out |= tool.Idempotent
	}
	if a.OpenWorldHint == nil || *a.OpenWorldHint {
		out |= tool.OpenWorld
	}
	return out
}

// call carries a call out in the server.
func (m *Mount) call(ctx context.Context, h *tool.Host, name string, a tool.Args) (*tool.Result, error) {
	s, err := m.keeper.Use(ctx)
	if err != nil {
		return nil, m.failed(ctx, err)
	}
	limited, cancel := context.WithTimeout(ctx, m.server.Timeout)
	defer cancel()
	params := &mcp.CallToolParams{Name: name, Arguments: a.Raw}
	if h.Progress != nil {
		defer s.follow(params, h.Progress)()
	}
	res, err := s.client.CallTool(limited, params)
	switch {
	case err == nil:
		return m.result(h, res)
	case ctx.Err() != nil:
		return nil, m.failed(ctx, ctx.Err())
	case limited.Err() != nil:
		s.suspect() // one that does not answer this either is started anew
		return nil, api.Errorf(api.Timeout, "%s of the server %s took longer than %s and was cancelled", name, m.server.Name, m.server.Timeout).
			WithHint("Whether it took effect is not known. mcp_servers.%s.timeout sets another limit.", m.server.Name)
	}
	if s.lostBy(err) {
		return nil, api.Errorf(api.ToolUnavailable, "the server %s disconnected during %s: %w", m.server.Name, name, s.Err()).
			WithHint("Whether it took effect is not known. The server is being restarted: check the result before you repeat the call.")
	}
	// The server refused the call: its words are for the model.
	return nil, api.Errorf(api.ToolFailed, "%s of the server %s: %s", name, m.server.Name, toolset.Short(err.Error(), 1000))
}

// failed is the error for a server that could not be used.
func (m *Mount) failed(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return fmt.Errorf("the call of the server %s: %w", m.server.Name, err)
	}
	return api.Errorf(api.ToolUnavailable, "the server %s cannot be used: %w", m.server.Name, err)
}

// Close ends the server, and waits.
func (m *Mount) Close() { m.keeper.Close() }
