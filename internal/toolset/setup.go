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

// Source is a program that has tools: an MCP server or a plugin. Its answers may change at any time. Its methods do not
// block.
type Source interface {
	// Set returns its toolset, without the tools.
	Set() Set
	// Tools returns its known tools.
	Tools() []tool.Tool
	// Problem returns why it cannot be used now, "" if no reason is known.
	Problem() string
}

// Options are the arguments of [New].
type Options struct {
	// Config is the tools section of the configuration.
	Config *config.Tools
	// Platform is the frontend that tools are selected for; "" means [DefaultPlatform].
	Platform string
	// Names, if any, replace the configured selection: --toolsets.
	Names []string
	// Sources are the other programs that have tools.
	Sources []Source
}

// Setup is the selection of tools for one platform.
type Setup struct {
	// Platform is its full name, such as hermes-telegram.
	Platform string
	// From is where the selection comes from, for people. Enabled are its names.
	From    string
	Enabled []string
	// Warnings list names in the configuration that are unknown and not used here.
	Warnings []string

	config  *config.Tools
	sources []Source
	native  map[string]*tool.Tool

	mu       sync.Mutex
	registry *Registry // guarded by mu, because the tools of sources change
}

// New returns the setup of a platform. It returns an error if a name of the selection is unknown.
func New(o Options) (*Setup, error) {
	s := &Setup{config: o.Config, sources: o.Sources, registry: NewRegistry(), native: map[string]*tool.Tool{}}
	if s.config == nil {
		s.config = &config.Tools{}
	}
	tools := Native()
	for i := range tools {
		s.native[tools[i].Name] = &tools[i]
	}
	for _, source := range s.sources {
		if err := s.registry.Add(source.Set()); err != nil {
			return nil, s.configError(err)
		}
		if source.Set().Kind == Plugin && source.Problem() != "" {
			s.registry.acceptUnknown = true // any name may be one of its tools, and must not be an error
			s.Warnings = append(s.Warnings, source.Problem())
		}
	}
	for _, c := range s.config.Custom {
		err := s.registry.Add(Set{Name: c.Name, Kind: Custom, Doc: "of the configuration file", Includes: c.Parts})
		if err != nil {
			return nil, s.configError(err)
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
	s.Warnings = slices.Concat(s.Warnings, s.config.Warnings, s.unknownNames())
	s.choose(o.Names)
	if _, err := s.Select(); err != nil {
		if o.Names != nil && s.checkAll(o.Names) != nil {
			return nil, err // an error of the command line, not of the configuration
		}
		return nil, s.configError(err)
	}
	return s, nil
}

// choose sets From and Enabled: from names, the configuration, or the platform's default.
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

// key returns the platform's key in the configuration, which may omit hermes-.
func (s *Setup) key() string {
	short, isHermes := strings.CutPrefix(s.Platform, hermesPrefix)
	_, plain := s.config.Platforms[short]
	_, switched := s.config.PlatformSwitches[short]
	if own := s.registry.sets[short]; isHermes && (own == nil || own.Kind != Platform) && (plain || switched) {
		return short
	}
	return s.Platform
}

// Choice returns the selection for the platform.
func (s *Setup) Choice() Choice {
	return Choice{Enabled: s.Enabled, Disabled: s.config.Disabled, Switches: s.config.SwitchesOf(s.key())}
}

// Select computes which tools are on; see [Registry.Select].
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

// refresh updates the registry with the tools of the sources. The caller holds s.mu.
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

// unknownNames returns a warning for each unknown name in parts of the configuration that this setup does not use. In
// the parts it uses, an unknown name is an error.
func (s *Setup) unknownNames() (warnings []string) {
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

// configError adds the configuration file to an error.
func (s *Setup) configError(err error) error {
	return fmt.Errorf("%s: %w", s.config.Path, err)
}

// Tools returns the tools that are on and exist, usher's own first. A server lists those of them that can work; see
// [tool.Tool.Unavailable].
func (s *Setup) Tools() []tool.Tool {
	s.mu.Lock()
	defer s.mu.Unlock()
	sel, err := s.selected(s.Choice())
	if err != nil { // New has checked all names
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

// ordered sorts names: usher's tools in the order of package tool, then others by name. Models read a list from its
// beginning.
func (s *Setup) ordered(names []string) []string {
	var out []string
	for _, t := range Native() {
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

// find returns the tool of a name: of usher, of another program, or of the server configured to provide it. If there is
// none, why says so.
func (s *Setup) find(name string) (t *tool.Tool, why string) {
	t, why, provided := s.providedTool(name)
	if provided { // the configuration names a provider, so it has precedence
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
	if isServerTool(name) {
		return nil, s.absenceReason(name)
	}
	return nil, why
}

// absenceReason returns why a tool of a server, whose name includes the server's, does not exist.
func (s *Setup) absenceReason(name string) string {
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

// providedTool returns the tool of the MCP server that is configured to provide a name. provided reports whether there
// is such a server.
func (s *Setup) providedTool(name string) (t *tool.Tool, why string, provided bool) {
	why = "usher has no built-in tool for this; an MCP server can provide it: mcp_servers.NAME.provides"
	if len(s.registry.Owners(name)) == 0 {
		why = "no running server or plugin has a tool of this name"
	}
	for i := range s.config.Servers {
		server := &s.config.Servers[i]
		remoteName := s.providedName(server, name)
		if remoteName == "" || server.Off {
			continue
		}
		source := s.source(ServerPrefix + server.Name)
		if source == nil {
			continue
		}
		provided = true
		full := ToolPrefix + server.Name + "__" + remoteName
		for _, t := range source.Tools() {
			if t.Name == full {
				t.Name, t.ProvidedBy = name, full
				return &t, source.Problem(), true
			}
		}
		if why = source.Problem(); why == "" {
			why = "mcp_servers." + server.Name + " provides it as " + remoteName + ", which that server does not have"
		}
	}
	return nil, why, provided
}

// providedName returns the server's own name for a tool that it is configured to provide, "" if it is not.
func (s *Setup) providedName(server *config.Server, name string) string {
	if remoteName := server.Provides[name]; remoteName != "" {
		return remoteName
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

// Wanted reports whether a source has, or may have, tools that are on, so that it should be started.
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
			if c := &s.config.Servers[i]; c.Name == server && s.providedName(c, name) != "" {
				return true
			}
		}
	}
	return false
}
