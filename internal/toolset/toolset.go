// Package toolset defines toolsets, which are named groups of tools, and computes which tools an agent is offered. A
// toolset owns tools, includes other toolsets, or both; docs/toolsets.md has the rules for users.
//
// [Registry] maps names to toolsets, without I/O. A [Choice] is the selection of the configuration file and the command
// line; [Registry.Select] computes the names of the tools that are on. [Setup] finds the tools of these names: those of
// package tool, and those of other programs, which may change at any time.
package toolset

import (
	"slices"
	"strings"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/verb/spelling"
)

// Kind is the origin of a toolset.
type Kind string

// The kinds, in the order of lists.
const (
	// Core toolsets are groups of related tools.
	Core Kind = "core"
	// Composite toolsets combine core toolsets for a purpose.
	Composite Kind = "composite"
	// Platform toolsets have all tools for one frontend.
	Platform Kind = "platform"
	// Custom toolsets are defined in the configuration file.
	Custom Kind = "custom"
	// Server toolsets have the tools of one MCP server.
	Server Kind = "mcp"
	// Plugin toolsets have the tools of one plugin.
	Plugin Kind = "plugin"
)

// Set is a toolset.
type Set struct {
	Name string
	Kind Kind
	// Doc is its purpose in one line.
	Doc string
	// Tools are the tools it owns. Includes are toolsets or single tools that it adds.
	Tools, Includes []string
}

// all are the names that mean every toolset.
var all = [...]string{"all", "*"}

func isAll(name string) bool { return slices.Contains(all[:], name) }

// Registry maps names to toolsets. It is not safe for concurrent use.
type Registry struct {
	sets  map[string]*Set
	order []string
	// owners maps a tool to the toolsets that list it in Tools.
	owners map[string][]string
	// acceptUnknown accepts any name as a tool's, because a source whose tools are not known may have it.
	acceptUnknown bool
}

// NewRegistry returns a registry with the built-in toolsets.
func NewRegistry() *Registry {
	r := &Registry{sets: map[string]*Set{}, owners: map[string][]string{}}
	for _, s := range builtin() {
		r.insert(s)
	}
	return r
}

// Add adds a toolset. A name that is in use is an error, so that no toolset replaces another.
func (r *Registry) Add(s Set) error {
	switch old := r.sets[s.Name]; {
	case s.Name == "" || isAll(s.Name) || strings.ContainsAny(s.Name, ", \t\n"):
		return api.Errorf(api.InvalidConfig, "%q cannot be the name of a toolset", s.Name)
	case old != nil:
		return api.Errorf(api.InvalidConfig, "there are two toolsets %s: one is %s, the other %s", s.Name, old.Kind, s.Kind).
			WithHint("Give yours another name.")
	case len(r.owners[s.Name]) > 0 && !slices.Contains(s.Tools, s.Name):
		return api.Errorf(api.InvalidConfig, "%s is the name of a tool and cannot be that of a toolset", s.Name).
			WithHint("Give it another name.")
	}
	r.insert(s)
	return nil
}

func (r *Registry) insert(s Set) {
	r.sets[s.Name] = &s
	r.order = append(r.order, s.Name)
	for _, t := range s.Tools {
		if !slices.Contains(r.owners[t], s.Name) {
			r.owners[t] = append(r.owners[t], s.Name)
		}
	}
}

// SetTools replaces the tools of a toolset after its program reported a change.
func (r *Registry) SetTools(name string, tools []string) {
	s := r.sets[name]
	for _, t := range s.Tools {
		r.owners[t] = slices.DeleteFunc(r.owners[t], func(owner string) bool { return owner == name })
	}
	s.Tools = nil
	for _, t := range tools {
		s.Tools = append(s.Tools, t)
		r.owners[t] = append(r.owners[t], name)
	}
}

// Sets returns all toolsets, built-in ones first.
func (r *Registry) Sets() []*Set {
	out := make([]*Set, len(r.order))
	for i, name := range r.order {
		out[i] = r.sets[name]
	}
	return out
}

// Lookup returns a toolset by name. "github" also means mcp-github if nothing else has that name.
func (r *Registry) Lookup(name string) (*Set, bool) {
	if s := r.sets[name]; s != nil {
		return s, true
	}
	s := r.sets[ServerPrefix+name]
	return s, s != nil
}

// ServerPrefix is the prefix of the toolsets of MCP servers.
const ServerPrefix = "mcp-"

// Owners returns the toolsets that list a tool in Tools, in the order of the table.
func (r *Registry) Owners(tool string) []string { return r.owners[tool] }

// Check returns an error if a name is neither a toolset nor a tool. The error suggests the nearest name.
func (r *Registry) Check(name string) error {
	if _, ok := r.Lookup(name); ok || isAll(name) || len(r.owners[name]) > 0 || isServerTool(name) && r.mayExist(name) || r.acceptUnknown {
		return nil
	}
	known := append(slices.Clone(r.order), all[0])
	for tool, owners := range r.owners {
		if len(owners) > 0 {
			known = append(known, tool)
		}
	}
	slices.Sort(known)
	known = slices.Compact(known) // browser is a toolset and a tool
	err := api.Errorf(api.UnknownToolset, "there is no toolset or tool %q", name).With("name", name)
	if near := spelling.Nearest(name, known); len(near) > 0 {
		err.With("suggestions", near)
		err.WithHint("Did you mean %s?", strings.Join(near, " or "))
	}
	return err
}

// mayExist reports whether an MCP server may have a tool of this name. A server's tools are known only after it was
// started.
func (r *Registry) mayExist(tool string) bool {
	server, _, _ := strings.Cut(strings.TrimPrefix(tool, ToolPrefix), "__")
	return r.sets[ServerPrefix+server] != nil
}

// ToolPrefix is the prefix of the tools of MCP servers: mcp__SERVER__TOOL.
const ToolPrefix = "mcp__"

func isServerTool(tool string) bool { return strings.HasPrefix(tool, ToolPrefix) }

func (r *Registry) unknownPlatform(name string) error {
	var known []string
	for _, s := range r.Sets() {
		if s.Kind == Platform {
			known = append(known, s.Name)
			if short, ok := strings.CutPrefix(s.Name, hermesPrefix); ok {
				known = append(known, short)
			}
		}
	}
	err := api.Errorf(api.UnknownToolset, "there is no platform %q", name).With("name", name)
	if near := spelling.Nearest(name, known); len(near) > 0 {
		return err.With("suggestions", near).WithHint("Did you mean %s?", strings.Join(near, " or "))
	}
	return err.WithHint("mcp, cli, acp and api-server are platforms, and so is every hermes-... of `usher tools list --all`.")
}
