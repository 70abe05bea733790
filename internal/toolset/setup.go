package toolset

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/config"
	"github.com/usher-browser/usher/internal/tool"
)

// Source is a program that brings tools: an MCP server, or a plugin. What it says may
// change at any time; it is asked anew whenever that matters, and answers at once.
type Source interface {
	// Set is its toolset, without the tools.
	Set() Set
	// Tools are those it is known to have.
	Tools() []tool.Tool
	// Problem says why it cannot be used now, "" when it can, as far as is known.
	Problem() string
}

// Options say for whom tools are chosen.
type Options struct {
	// Config is what the configuration says.
	Config *config.Tools
	// Platform is the way in; [DefaultPlatform] when empty.
	Platform string
	// Names, if any, take the place of what is configured: --toolsets.
	Names []string
	// Sources bring the tools of other programs.
	Sources []Source
}

// Setup is which tools one platform has, and which there are.
type Setup struct {
	// Platform is its full name.
	Platform string
	// From says where the selection comes from, Enabled what it names.
	From    string
	Enabled []string
	// Warnings are what the configuration says in vain.
	Warnings []string

	config  *config.Tools
	sources []Source
	native  map[string]*tool.Tool

	mu       sync.Mutex
	registry *Registry // guarded by mu: the tools of sources come and go
}

// New makes the setup of a platform. The error is for a name that means nothing.
func New(o Options) (*Setup, error) {
	s := &Setup{config: o.Config, sources: o.Sources, registry: NewRegistry(), native: map[string]*tool.Tool{}}
	if s.config == nil {
		s.config = &config.Tools{}
	}
	own := tool.Native()
	for i := range own {
		s.native[own[i].Name] = &own[i]
	}
	for _, source := range s.sources {
		if err := s.registry.Add(source.Set()); err != nil {
			return nil, s.blame(err)
		}
		if source.Set().Kind == Plugin && source.Problem() != "" {
			s.registry.lenient = true // any name may be one of its tools, and it must not take the others down
			s.Warnings = append(s.Warnings, source.Problem())
		}
	}
	for _, c := range s.config.Custom {
		err := s.registry.Add(Set{Name: c.Name, Kind: Custom, Doc: "of the configuration file", Includes: c.Parts})
		if err != nil {
			return nil, s.blame(err)
		}
	}
	platform := o.Platform
	if platform == "" {
		platform = DefaultPlatform
	}
	base, err := s.registry.OfPlatform(platform)
	if err != nil {
		return nil, err
	}
	s.Platform = base.Name
	s.Warnings = slices.Concat(s.Warnings, s.config.Warnings, s.vain())
	s.choose(o.Names)
	if _, err := s.Select(); err != nil {
		if o.Names != nil && s.checkAll(o.Names) != nil {
			return nil, err // the command line's mistake
		}
		return nil, s.blame(err)
	}
	return s, nil
}

// choose finds the selection in force.
func (s *Setup) choose(names []string) {
	switch key := s.key(); {
	case names != nil:
		s.Enabled, s.From = names, "--toolsets"
	case s.config.Platforms[key] != nil:
		s.Enabled, s.From = s.config.Platforms[key], "platform_toolsets."+key+" of "+s.config.Path
	case s.config.Toolsets != nil:
		s.Enabled, s.From = s.config.Toolsets, "toolsets of "+s.config.Path
	default:
		s.Enabled, s.From = []string{s.Platform}, "the default of the platform"
	}
}

// key is how the configuration spells the platform: with or without hermes-.
func (s *Setup) key() string {
	short, isHermes := strings.CutPrefix(s.Platform, hermes)
	_, plain := s.config.Platforms[short]
	_, switched := s.config.PlatformSwitches[short]
	if own := s.registry.sets[short]; isHermes && (own == nil || own.Kind != Platform) && (plain || switched) {
		return short
	}
	return s.Platform
}

// Choice is what is chosen for the platform.
func (s *Setup) Choice() Choice {
	return Choice{Enabled: s.Enabled, Disabled: s.config.Disabled, Switches: s.config.SwitchesOf(s.key())}
}

// Select works out which tools are on.
func (s *Setup) Select() (*Selection, error) { return s.SelectWith(s.Choice()) }

// SelectWith is Select for another choice.
func (s *Setup) SelectWith(c Choice) (*Selection, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.selected(c)
}

// selected is SelectWith; s.mu is held.
func (s *Setup) selected(c Choice) (*Selection, error) {
	s.refresh()
	return s.registry.Select(c)
}

// refresh asks the sources which tools they have. s.mu is held.
func (s *Setup) refresh() {
	for _, source := range s.sources {
		s.registry.SetTools(source.Set().Name, toolNames(source))
	}
}

func (s *Setup) checkAll(names []string) error {
	for _, name := range names {
		if _, err := s.registry.Resolve(name); err != nil {
			return err
		}
	}
	return nil
}

// vain are the names in the configuration that mean nothing and are not in force here:
// where they are, they are an error.
func (s *Setup) vain() (warnings []string) {
	check := func(where, name string) {
		if err := s.registry.Check(name); err != nil {
			warnings = append(warnings, where+": "+api.AsError(err).Sentence())
		}
	}
	for platform, names := range s.config.Platforms {
		if _, err := s.registry.OfPlatform(platform); err != nil {
			warnings = append(warnings, "platform_toolsets: "+api.AsError(err).Sentence())
		}
		for _, name := range names {
			check("platform_toolsets."+platform, name)
		}
	}
	for _, c := range s.config.Custom {
		for _, name := range c.Parts {
			check("custom_toolsets."+c.Name, name)
		}
	}
	slices.Sort(warnings)
	return warnings
}

// blame says that a mistake stands in the configuration file.
func (s *Setup) blame(err error) error {
	return fmt.Errorf("%s: %w", s.config.Path, err)
}

// Tools are the tools that are on and exist, in the order of the table: what a server
// serves. Of them, those count that can work: see [tool.Tool.Missing].
func (s *Setup) Tools() []tool.Tool {
	s.mu.Lock()
	defer s.mu.Unlock()
	sel, err := s.selected(s.Choice())
	if err != nil { // New saw the names; a tool's name of a server is one whether it has it or not
		return nil
	}
	var out []tool.Tool
	for _, name := range s.ordered(sel.Tools) {
		if t, _ := s.find(name); t != nil {
			out = append(out, *t)
		}
	}
	return out
}

// ordered puts tools of usher first, as package tool lists them, then the rest by name:
// models read a list from its beginning.
func (s *Setup) ordered(names []string) []string {
	var out []string
	for _, t := range tool.Native() {
		if slices.Contains(names, t.Name) {
			out = append(out, t.Name)
		}
	}
	for _, name := range names {
		if s.native[name] == nil {
			out = append(out, name)
		}
	}
	return out
}

// find finds the tool behind a name: usher's own, that of another program, or one that
// stands in. Where there is none it says why.
func (s *Setup) find(name string) (t *tool.Tool, why string) {
	t, why, provided := s.standIn(name)
	if provided { // somebody wrote it down, so it is meant
		return t, why
	}
	if t = s.native[name]; t != nil {
		return t, ""
	}
	for _, source := range s.sources {
		for _, t := range source.Tools() {
			if t.Name == name {
				return &t, source.Problem()
			}
		}
	}
	if mounted(name) {
		return nil, s.absent(name)
	}
	return nil, why
}

// absent says why a tool that names its server is not there.
func (s *Setup) absent(name string) string {
	for _, source := range s.sources {
		server := strings.TrimPrefix(source.Set().Name, ServerPrefix)
		if strings.HasPrefix(name, ToolPrefix+server+"__") {
			if problem := source.Problem(); problem != "" {
				return problem
			}
			return "the server " + server + " has no such tool"
		}
	}
	return "no such server is configured"
}

// standIn finds the tool of an MCP server that provides a name. provided says that one is
// configured to.
func (s *Setup) standIn(name string) (t *tool.Tool, why string, provided bool) {
	why = "usher has no built-in tool for this; an MCP server can provide it: mcp_servers.NAME.provides"
	if len(s.registry.Owners(name)) == 0 {
		why = "no running server or plugin has a tool of this name"
	}
	for i := range s.config.Servers {
		server := &s.config.Servers[i]
		own := s.provided(server, name)
		if own == "" || server.Off {
			continue
		}
		source := s.source(ServerPrefix + server.Name)
		if source == nil {
			continue
		}
		provided = true
		full := ToolPrefix + server.Name + "__" + own
		for _, t := range source.Tools() {
			if t.Name == full {
				t.Name, t.Behind = name, full
				return &t, source.Problem(), true
			}
		}
		if why = source.Problem(); why == "" {
			why = "mcp_servers." + server.Name + " provides it as " + own + ", which that server does not have"
		}
	}
	return nil, why, provided
}

// provided is the server's own name for a tool that it provides, "" when it does not.
func (s *Setup) provided(server *config.Server, name string) string {
	if own := server.Provides[name]; own != "" {
		return own
	}
	for _, owner := range s.registry.Owners(name) {
		if server.Provides[owner] == owner {
			return name
		}
	}
	return ""
}

func (s *Setup) source(set string) Source {
	for _, source := range s.sources {
		if source.Set().Name == set {
			return source
		}
	}
	return nil
}

// Wanted says whether a source has, or may have, tools that are on: whether it is worth
// starting.
func (s *Setup) Wanted(source Source) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	sel, err := s.selected(s.Choice())
	if err != nil {
		return false
	}
	set := source.Set()
	if sel.Sets[set.Name] {
		return true
	}
	server, isServer := strings.CutPrefix(set.Name, ServerPrefix)
	has := toolNames(source)
	for _, name := range sel.Tools {
		switch {
		case slices.Contains(has, name), isServer && strings.HasPrefix(name, ToolPrefix+server+"__"):
			return true
		case !isServer:
			continue
		}
		for i := range s.config.Servers {
			if c := &s.config.Servers[i]; c.Name == server && s.provided(c, name) != "" {
				return true
			}
		}
	}
	return false
}
