// Package mount makes the tools of other MCP servers ours: each server that the
// configuration names is a toolset mcp-NAME with tools mcp__NAME__TOOL. A server is
// started when one of its tools is first called, or when nothing is known of its tools
// yet, and kept by package keep. What a server says of itself is data of a stranger:
// bounded, and refused where it does not fit.
package mount

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"sync"
	"time"

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

func newMount(s *config.Server, version, cacheDir string, changed func()) *Mount {
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

// The bounds of what a server may say of its tools.
const (
	maxTools  = 256
	maxDoc    = 4 << 10
	maxSchema = 64 << 10
	maxName   = 64 // of a tool, as clients call it
)

// take makes the server's tools ours.
func (m *Mount) take(list []*mcp.Tool) {
	var tools []tool.Tool
	var notes []string
	seen := map[string]bool{}
	for _, t := range list {
		if !m.wanted(t.Name) {
			continue
		}
		made, err := m.tool(t)
		switch {
		case err != nil:
			notes = append(notes, fmt.Sprintf("%.80q: %v", t.Name, err))
		case seen[made.Name]:
			notes = append(notes, fmt.Sprintf("%.80q is there twice", t.Name))
		case len(tools) == maxTools:
			notes = append(notes, fmt.Sprintf("there are more than %d", maxTools))
		default:
			seen[made.Name] = true
			tools = append(tools, *made)
		}
	}
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
	made := &tool.Tool{Name: toolset.ToolPrefix + m.server.Name + "__" + t.Name, Title: short(t.Title, 200), Doc: short(t.Description, maxDoc)}
	for _, c := range t.Name {
		if c != '-' && c != '_' && (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') {
			return nil, errors.New("clients take letters, digits, - and _ in a name only")
		}
	}
	if t.Name == "" || len(made.Name) > maxName {
		return nil, fmt.Errorf("as %s its name has more than the %d characters that clients take", short(made.Name, 100), maxName)
	}
	var err error
	if made.Schema, err = schemaOf(t.InputSchema); err != nil {
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
		return nil, api.Errorf(api.ToolUnavailable, "the server %s was lost while it carried %s out: %w", m.server.Name, name, s.Err()).
			WithHint("Whether it took effect is not known. The server is being started again: look before you repeat the call.")
	}
	// The server refused the call: its words are for the model.
	return nil, api.Errorf(api.ToolFailed, "%s of the server %s: %s", name, m.server.Name, short(err.Error(), 1000))
}

// failed is the error for a server that could not be used.
func (m *Mount) failed(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return fmt.Errorf("the call of the server %s: %w", m.server.Name, err)
	}
	return api.Errorf(api.ToolUnavailable, "the server %s cannot be used: %w", m.server.Name, err)
}

// Group are the servers of one process of usher: whoever is served there shares them.
type Group struct {
	mounts []*Mount

	mu   sync.Mutex
	subs map[int]func() // guarded by mu
	last int            // guarded by mu
}

// NewGroup prepares the servers of a configuration and starts none. What is known of
// their tools is kept in cacheDir.
func NewGroup(conf *config.Tools, version, cacheDir string) *Group {
	g := &Group{subs: map[int]func(){}}
	for i := range conf.Servers {
		if s := &conf.Servers[i]; !s.Off {
			g.mounts = append(g.mounts, newMount(s, version, cacheDir, g.tell))
		}
	}
	return g
}

// Sources are the servers as toolsets.
func (g *Group) Sources() (out []toolset.Source) {
	for _, m := range g.mounts {
		out = append(out, m)
	}
	return out
}

// firstWait is how long the first list of tools waits for servers of which nothing is
// known. What comes later comes as a change.
const firstWait = 3 * time.Second

// Prepare starts the servers that are wanted and of which nothing is known yet, and
// gives them a moment.
func (g *Group) Prepare(ctx context.Context, setup *toolset.Setup) {
	ctx, cancel := context.WithTimeout(ctx, firstWait)
	defer cancel()
	var starting sync.WaitGroup
	for _, m := range g.mounts {
		if !m.Known() && setup.Wanted(m) {
			// What keeps it from starting is its Problem.
			starting.Go(func() { _ = m.Ready(ctx) })
		}
	}
	starting.Wait()
}

// Find is the server of a toolset, or of a tool's name.
func (g *Group) Find(name string) *Mount {
	for _, m := range g.mounts {
		set, prefix := m.Set().Name, toolset.ToolPrefix+m.server.Name+"__"
		if name == set || name == m.server.Name || len(name) > len(prefix) && name[:len(prefix)] == prefix {
			return m
		}
	}
	return nil
}

// Subscribe has changed called after every change of what servers have, or of how they
// are, until stop is called.
func (g *Group) Subscribe(changed func()) (stop func()) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.last++
	id := g.last
	g.subs[id] = changed
	return func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		delete(g.subs, id)
	}
}

func (g *Group) tell() {
	g.mu.Lock()
	var subs []func()
	for _, f := range g.subs {
		subs = append(subs, f)
	}
	g.mu.Unlock()
	for _, f := range subs {
		f()
	}
}

// Close ends every server, and waits.
func (g *Group) Close() {
	var ending sync.WaitGroup
	for _, m := range g.mounts {
		ending.Go(m.keeper.Close)
	}
	ending.Wait()
}
