// Package toolset names bundles of tools and works out which tools an agent is
// offered. A toolset lists tools of its own, includes other toolsets, or both; see
// docs/toolsets.md for the rules as a user reads them.
//
// [Registry] knows the names and what they mean, and is pure. What a person chose, in
// the configuration file and on the command line, is a [Choice]; [Registry.Select]
// makes of it the names of the tools that are on. [Catalog] knows the tools behind the
// names: those of package tool, and those of other programs, which come and go.
package toolset

import (
	"slices"
	"strings"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/verb"
)

// Kind says where a toolset comes from.
type Kind string

// The kinds, in the order in which lists show them.
const (
	// Core toolsets are groups of related tools.
	Core Kind = "core"
	// Composite toolsets join core toolsets for a purpose.
	Composite Kind = "composite"
	// Platform toolsets are everything for one way in.
	Platform Kind = "platform"
	// Custom toolsets stand in the configuration file.
	Custom Kind = "custom"
	// Server toolsets are the tools of one MCP server.
	Server Kind = "mcp"
	// Plugin toolsets are the tools of one plugin.
	Plugin Kind = "plugin"
)

// Set is a toolset.
type Set struct {
	Name string
	Kind Kind
	// Doc says in one line what it is for.
	Doc string
	// Tools are those it owns; Includes are toolsets, or single tools, that come with it.
	Tools, Includes []string
}

// all are the names that mean every toolset.
var all = [...]string{"all", "*"}

func isAll(name string) bool { return slices.Contains(all[:], name) }

// Registry knows the toolsets by name.
type Registry struct {
	sets  map[string]*Set
	order []string
	// owners are the toolsets that list a tool themselves.
	owners map[string][]string
	// lenient takes any name for that of a tool: somebody who has not said yet which
	// tools he has may have it.
	lenient bool
}

// NewRegistry has the built-in toolsets.
func NewRegistry() *Registry {
	r := &Registry{sets: map[string]*Set{}, owners: map[string][]string{}}
	for _, s := range builtin() {
		r.put(s)
	}
	return r
}

// Add takes in a toolset of another kind. A name that is taken is refused: nothing
// replaces what a name meant before.
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
	r.put(s)
	return nil
}

func (r *Registry) put(s Set) {
	r.sets[s.Name] = &s
	r.order = append(r.order, s.Name)
	for _, t := range s.Tools {
		if !slices.Contains(r.owners[t], s.Name) {
			r.owners[t] = append(r.owners[t], s.Name)
		}
	}
}

// SetTools replaces the tools of a toolset whose program said that they changed.
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

// Sets lists the toolsets, built-in ones first.
func (r *Registry) Sets() []*Set {
	out := make([]*Set, len(r.order))
	for i, name := range r.order {
		out[i] = r.sets[name]
	}
	return out
}

// Lookup finds a toolset; "github" also finds mcp-github where nothing else has that
// name.
func (r *Registry) Lookup(name string) (*Set, bool) {
	if s := r.sets[name]; s != nil {
		return s, true
	}
	s := r.sets[ServerPrefix+name]
	return s, s != nil
}

// ServerPrefix begins the names of the toolsets of MCP servers.
const ServerPrefix = "mcp-"

// Owners are the toolsets that list a tool themselves, in the order of the table.
func (r *Registry) Owners(tool string) []string { return r.owners[tool] }

// Check refuses a name that is neither a toolset nor a tool, and names the nearest.
func (r *Registry) Check(name string) error {
	if _, ok := r.Lookup(name); ok || isAll(name) || len(r.owners[name]) > 0 || mounted(name) && r.mayBe(name) || r.lenient {
		return nil
	}
	known := append(slices.Clone(r.order), all[0])
	for tool, owners := range r.owners {
		if len(owners) > 0 {
			known = append(known, tool)
		}
	}
	slices.Sort(known)
	err := api.Errorf(api.UnknownToolset, "there is no toolset or tool %q", name).With("name", name)
	if near := verb.Nearest(name, known); len(near) > 0 {
		err.With("suggestions", near)
		err.WithHint("Did you mean %s?", strings.Join(near, " or "))
	}
	return err
}

// mayBe says whether a tool's name is one that a mounted server may have: which tools
// a server has is known only when it has been asked.
func (r *Registry) mayBe(tool string) bool {
	server, _, _ := strings.Cut(strings.TrimPrefix(tool, ToolPrefix), "__")
	return r.sets[ServerPrefix+server] != nil
}

// ToolPrefix begins the names of the tools of MCP servers: mcp__SERVER__TOOL.
const ToolPrefix = "mcp__"

func mounted(tool string) bool { return strings.HasPrefix(tool, ToolPrefix) }

func (r *Registry) unknownPlatform(name string) error {
	var known []string
	for _, s := range r.Sets() {
		if s.Kind == Platform {
			known = append(known, s.Name)
			if short, ok := strings.CutPrefix(s.Name, hermes); ok {
				known = append(known, short)
			}
		}
	}
	err := api.Errorf(api.UnknownToolset, "there is no platform %q", name).With("name", name)
	if near := verb.Nearest(name, known); len(near) > 0 {
		return err.With("suggestions", near).WithHint("Did you mean %s?", strings.Join(near, " or "))
	}
	return err.WithHint("mcp, cli, acp and api-server are platforms, and so is every hermes-... of `usher tools list --all`.")
}
