package toolset

import (
	"context"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"github.com/usher-browser/usher/internal/config"
	"github.com/usher-browser/usher/internal/tool"
)

// server is a source like a mounted MCP server.
type server struct {
	name    string
	tools   []string
	problem string
}

func (s *server) Set() Set {
	return Set{Name: ServerPrefix + s.name, Kind: Server, Doc: "the tools of " + s.name}
}
func (s *server) Problem() string { return s.problem }

func (s *server) Tools() (out []tool.Tool) {
	for _, name := range s.tools {
		out = append(out, tool.Tool{Name: ToolPrefix + s.name + "__" + name, Doc: "does " + name, Schema: jsontext.Value(`{"type":"object"}`),
			Run: func(context.Context, *tool.Host, tool.Args) (*tool.Result, error) {
				return &tool.Result{Text: name}, nil
			}})
	}
	return out
}

func names(tools []tool.Tool) string {
	var out []string
	for _, t := range tools {
		out = append(out, t.Name)
	}
	return strings.Join(out, " ")
}

// TestPrecedence: which of the places with a selection takes precedence.
func TestPrecedence(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		o    Options
		want []string
		from string
	}{
		{"the default", Options{}, []string{"mcp"}, "the default"},
		{"of another platform", Options{Platform: "telegram"}, []string{"hermes-telegram"}, "the default"},
		{"toolsets", Options{Config: &config.Tools{Toolsets: []string{"hermes-cli"}}}, []string{"hermes-cli"}, "toolsets of"},
		{"the platform's list before toolsets", Options{Platform: "acp", Config: &config.Tools{Toolsets: []string{"web"},
			Platforms: map[string][]string{"acp": {"file"}}}}, []string{"file"}, "platform_toolsets.acp"},
		{"an empty list is nothing", Options{Config: &config.Tools{Platforms: map[string][]string{"mcp": {}}}}, []string{}, "platform_toolsets.mcp"},
		{"the list of another platform is no matter", Options{Config: &config.Tools{Platforms: map[string][]string{"acp": {"file"}}}}, []string{"mcp"}, "the default"},
		{"with hermes- or without", Options{Platform: "hermes-telegram", Config: &config.Tools{Platforms: map[string][]string{"telegram": {"web"}}}},
			[]string{"web"}, "platform_toolsets.telegram"},
		{"cli and hermes-cli are two", Options{Platform: "hermes-cli", Config: &config.Tools{Platforms: map[string][]string{"cli": {"web"}}}},
			[]string{"hermes-cli"}, "the default"},
		{"the command line before all", Options{Names: []string{"todo"}, Config: &config.Tools{Platforms: map[string][]string{"mcp": {"web"}}}}, []string{"todo"}, "--toolsets"},
	} {
		s, err := New(c.o)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if cmp.Diff(c.want, s.Enabled) != "" || !strings.HasPrefix(s.From, c.from) {
			t.Errorf("%s: %v from %s", c.name, s.Enabled, s.From)
		}
	}
}

// TestDisabledEverywhere: what the configuration disables is off on every platform, even if the command line names it.
func TestDisabledEverywhere(t *testing.T) {
	t.Parallel()
	conf := &config.Tools{Disabled: []string{"browser"}}
	for _, o := range []Options{{}, {Platform: "telegram"}, {Platform: "hermes-gateway"}, {Names: []string{"browser"}}, {Names: []string{"all"}}} {
		o.Config = conf
		s, err := New(o)
		if err != nil {
			t.Fatal(err)
		}
		if tools := names(s.Tools()); strings.Contains(tools, "browser_") {
			t.Errorf("%+v: %s", o, tools)
		}
	}
}

// TestSources: the tools of servers, those that provide built-in names, and the error if there is none.
func TestSources(t *testing.T) {
	t.Parallel()
	fs := &server{name: "fs", tools: []string{"read_text_file", "write_file"}}
	down := &server{name: "down", problem: "it crashed"}
	conf := &config.Tools{Servers: []config.Server{
		{Name: "fs", Provides: map[string]string{"read_file": "read_text_file", "write_file": "write_file", "patch": "edit_file"}},
		{Name: "down", Provides: map[string]string{"todo": "todo"}},
	}}
	s, err := New(Options{Config: conf, Names: []string{"file", "todo", "mcp-fs"}, Sources: []Source{fs, down}})
	if err != nil {
		t.Fatal(err)
	}
	tools := s.Tools()
	if want := "read_file write_file search_files mcp__fs__read_text_file mcp__fs__write_file"; names(tools) != want {
		t.Error(names(tools))
	}
	does := map[string]string{"mcp__fs__read_text_file": "read_text_file", "read_file": "read_text_file", "mcp__fs__write_file": "write_file", "write_file": "write_file"}
	for i := range tools {
		if does[tools[i].Name] == "" { // usher's own
			continue
		}
		if res, err := tools[i].Run(t.Context(), nil, tool.Args{}); err != nil || res.Text != does[tools[i].Name] {
			t.Errorf("%s does %q, %v", tools[i].Name, res.Text, err)
		}
	}
	r, err := s.Report(s.Choice(), &tool.Host{})
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"patch": "edit_file, which that server does not have", "todo": "it crashed", "terminal": "mcp_servers.NAME.provides",
		"read_file": "", "search_files": "no directory is allowed",
	} {
		if e := r.Tool(name); e.Available != (want == "") || !strings.Contains(e.Missing, want) {
			t.Errorf("%s is missing because %q, want %q", name, e.Missing, want)
		}
	}
	if !s.Wanted(fs) || !s.Wanted(down) {
		t.Error("a server whose tools are on is not wanted")
	}
	fs.tools = append(fs.tools, "move") // the server announced a change of its tools
	if tools := names(s.Tools()); !strings.Contains(tools, "mcp__fs__move") {
		t.Errorf("the new tool is not in %s", tools)
	}
	none, err := New(Options{Config: conf, Sources: []Source{fs}})
	if err != nil || none.Wanted(fs) {
		t.Errorf("a server is wanted of which nothing is on, %v", err)
	}
}

// TestChange: the edits for each request.
func TestChange(t *testing.T) {
	t.Parallel()
	edit := func(value any, path ...string) config.Edit { return config.Edit{Path: path, Value: value} }
	for _, c := range []struct {
		name  string
		conf  config.Tools
		off   string
		on    string
		edits []config.Edit
		notes string
	}{
		{name: "on that is on", on: "browser"},
		{name: "off that is off", off: "todo"},
		{name: "a toolset on", on: "todo", edits: []config.Edit{edit([]string{"mcp", "todo"}, "platform_toolsets", "mcp")}},
		{name: "out of a platform's set", off: "web", edits: []config.Edit{edit([]string{"browser"}, "platform_toolsets", "mcp")},
			notes: "web_search stays on: browser has it, too"},
		{name: "off and on again", off: "browser", on: "browser", edits: []config.Edit{edit([]string{"web", "browser"}, "platform_toolsets", "mcp")},
			notes: "web_search stays on: web has it, too"},
		{name: "out of a nest", conf: config.Tools{Toolsets: []string{"a", "search"}, Custom: []config.CustomToolset{
			{Name: "a", Parts: []string{"b", "todo"}}, {Name: "b", Parts: []string{"a", "memory", "web"}}}}, off: "web",
			edits: []config.Edit{edit([]string{"memory", "todo", "search"}, "platform_toolsets", "mcp")}, notes: "web_search stays on: search has it, too"},
		{name: "a tool off", off: "browser_cdp", edits: []config.Edit{edit(false, "platform_tools", "mcp", "browser_cdp")}},
		{name: "a tool on", on: "todo patch", edits: []config.Edit{edit([]string{"mcp", "todo"}, "platform_toolsets", "mcp"), edit(true, "platform_tools", "mcp", "patch")}},
		{name: "a switch that is not needed any more", conf: config.Tools{PlatformSwitches: map[string]map[string]bool{"mcp": {"browser_cdp": false}}},
			on: "browser_cdp", edits: []config.Edit{edit(nil, "platform_tools", "mcp", "browser_cdp")}},
		{name: "against a switch for all platforms", conf: config.Tools{Switches: map[string]bool{"browser_cdp": false}},
			on: "browser_cdp", edits: []config.Edit{edit(true, "platform_tools", "mcp", "browser_cdp")}},
		{name: "back to the switch for all platforms", conf: config.Tools{Switches: map[string]bool{"browser_cdp": false},
			PlatformSwitches: map[string]map[string]bool{"mcp": {"browser_cdp": true}}},
			off: "browser_cdp", edits: []config.Edit{edit(nil, "platform_tools", "mcp", "browser_cdp")}},
		{name: "no longer disabled", conf: config.Tools{Disabled: []string{"browser", "rl"}}, on: "browser",
			edits: []config.Edit{edit([]string{"rl"}, "disabled_toolsets")}, notes: "browser was removed from disabled_toolsets"},
		{name: "everything off", off: "all", edits: []config.Edit{edit([]string{}, "platform_toolsets", "mcp")}},
		{name: "on, but for a tool with a switch", conf: config.Tools{Switches: map[string]bool{"vision_analyze": false}}, on: "vision",
			edits: []config.Edit{edit([]string{"mcp", "vision"}, "platform_toolsets", "mcp")}, notes: "vision_analyze stays off: it is disabled by name"},
	} {
		s, err := New(Options{Config: &c.conf})
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		change := s.Change()
		if err := change.Turn(false, strings.Fields(c.off)...); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		if err := change.Turn(true, strings.Fields(c.on)...); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		if d := cmp.Diff(c.edits, change.Edits()); d != "" {
			t.Errorf("%s: %s", c.name, d)
		}
		if got := strings.Join(change.Notes, "\n"); !strings.Contains(got, c.notes) || c.notes == "" && got != "" {
			t.Errorf("%s: the notes are %q", c.name, got)
		}
	}
}
