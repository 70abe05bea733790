// Package mount offers the tools of other MCP servers. Each configured server is a toolset mcp-NAME with tools
// mcp__NAME__TOOL. A server is started when one of its tools is first called, or when its tools are not cached; package
// keep keeps it running. What a server reports is untrusted: it is bounded, and refused if it is invalid.
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

// Mount is one MCP server. It implements [toolset.Source]. It is safe for concurrent use.
type Mount struct {
	server  *config.Server
	version string
	cache   string // file that caches its tools; "" for none
	keeper  *keep.Keeper[*session]
	changed func()

	mu    sync.Mutex
	known bool        // guarded by mu: tools are those of the server, or the cached ones
	tools []tool.Tool // guarded by mu
	notes []string    // guarded by mu: which tools cannot be offered, and why
}

// New returns a server without starting it. Its tools are cached in cacheDir, unless that is "". changed is called
// after each change of its tools or its state.
func New(s *config.Server, version, cacheDir string, changed func()) *Mount {
	m := &Mount{server: s, version: version, changed: changed}
	m.keeper = keep.New(m.open, changed)
	if cacheDir != "" {
		m.cache = cacheFile(cacheDir, s)
		m.loadCache()
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

// Ready starts the server and waits until its tools are known. It returns the error of starting it, or of ctx.
func (m *Mount) Ready(ctx context.Context) error {
	_, err := m.keeper.Use(ctx)
	return err
}

// Known reports whether the tools are known, from this run or from the cache.
func (m *Mount) Known() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.known
}

// setTools converts the server's tools.
func (m *Mount) setTools(list []*mcp.Tool) {
	wanted := slices.DeleteFunc(slices.Clone(list), func(t *mcp.Tool) bool { return !m.wanted(t.Name) })
	tools, notes := toolset.ConvertTools(wanted, func(t *mcp.Tool) string { return t.Name }, m.tool)
	m.mu.Lock()
	m.known, m.tools, m.notes = true, tools, notes
	m.mu.Unlock()
}

// wanted reports whether the patterns include and exclude admit a tool. An invalid pattern matches only a name equal to
// it.
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

// tool converts one tool. It returns an error if the tool cannot be offered.
func (m *Mount) tool(t *mcp.Tool) (*tool.Tool, error) {
	schema, err := json.Marshal(t.InputSchema, json.Deterministic(true))
	if err != nil {
		return nil, fmt.Errorf("its schema cannot be read: %w", err)
	}
	made, err := toolset.ExternalTool(toolset.ToolPrefix+m.server.Name+"__"+t.Name, t.Title, t.Description, schema)
	if err != nil {
		return nil, err
	}
	made.Traits = traits(t.Annotations)
	remoteName := t.Name
	made.Run = func(ctx context.Context, h *tool.Host, a tool.Args) (*tool.Result, error) {
		return m.call(ctx, h, remoteName, a)
	}
	return made, nil
}

// traits converts the server's annotations. A missing annotation counts as the worst case.
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

// call sends a call to the server and waits for the result.
func (m *Mount) call(ctx context.Context, h *tool.Host, name string, a tool.Args) (*tool.Result, error) {
	s, err := m.keeper.Use(ctx)
	if err != nil {
		return nil, m.unavailable(ctx, err)
	}
	limited, cancel := context.WithTimeout(ctx, m.server.Timeout)
	defer cancel()
	params := &mcp.CallToolParams{Name: name, Arguments: a.Raw}
	if h.Progress != nil {
		defer s.watchProgress(params, h.Progress)()
	}
	res, err := s.client.CallTool(limited, params)
	switch {
	case err == nil:
		return m.result(h, res)
	case ctx.Err() != nil:
		return nil, m.unavailable(ctx, ctx.Err())
	case limited.Err() != nil:
		s.requestPing() // restart the server if it does not answer a ping either
		return nil, api.Errorf(api.Timeout, "%s of the server %s took longer than %s and was cancelled", name, m.server.Name, m.server.Timeout).
			WithHint("Whether it took effect is not known. mcp_servers.%s.timeout sets another limit.", m.server.Name)
	}
	if s.disconnected(err) {
		return nil, api.Errorf(api.ToolUnavailable, "the server %s disconnected during %s: %w", m.server.Name, name, s.Err()).
			WithHint("Whether it took effect is not known. The server is being restarted: check the result before you repeat the call.")
	}
	// The server refused the call; the model gets its message.
	return nil, api.Errorf(api.ToolFailed, "%s of the server %s: %s", name, m.server.Name, toolset.Truncate(err.Error(), 1000))
}

// unavailable returns the error for a server that could not be used.
func (m *Mount) unavailable(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return fmt.Errorf("the call of the server %s: %w", m.server.Name, err)
	}
	return api.Errorf(api.ToolUnavailable, "the server %s cannot be used: %w", m.server.Name, err)
}

// Close ends the server, and waits.
func (m *Mount) Close() { m.keeper.Close() }
