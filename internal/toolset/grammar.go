package toolset

import (
	"github.com/usher-browser/usher/internal/verb"
)

// SelectionFlags returns the flags that select tools.
func SelectionFlags() []verb.Flag {
	return []verb.Flag{platformFlag(),
		{Name: "toolsets", Kind: verb.String, Value: "names", Multi: verb.CSV, Doc: "these toolsets or tools instead of the configured ones: browser,web"}}
}

func platformFlag() verb.Flag {
	return verb.Flag{Name: "platform", Kind: verb.String, Value: "name", Doc: "the platform: mcp (default), cli, acp, api-server, telegram, ..."}
}

// Grammar returns the commands about the tools that agents are offered.
func Grammar() verb.Set {
	names := []verb.Arg{{Name: "names", Required: true, Variadic: true, Doc: "toolsets, tools, or server:tool"}}
	of := func(v verb.Verb) verb.Verb {
		v.Group, v.Category, v.Marks = verb.GroupSession, verb.CatTool, verb.Local
		return v
	}
	return verb.Set{Families: []verb.Family{
		{Name: "tools", Summary: "the tools of agents", Bare: "tools list"},
	}, Verbs: []verb.Verb{
		of(verb.Verb{Name: "tools list", Summary: "list tools of agents, and their cost in tokens",
			Help: "Lists toolsets: tools enabled and available, the tokens their descriptions cost per request, and what unavailable ones need.\n" +
				"docs/toolsets.md has the rules and the configuration keys. The word tools alone does the same; on a terminal it is a screen\n" +
				"to enable and disable tools.",
			Flags:    append(SelectionFlags(), verb.Flag{Name: "all", Kind: verb.Bool, Doc: "also the toolsets that are off"}),
			Examples: []string{"tools", "tools list --all --json", "tools list --platform acp", "tools list --toolsets debugging,vision"},
			Next:     []string{"tools show <name>", "tools enable <name>"}}),
		of(verb.Verb{Name: "tools show", Summary: "show a toolset or a tool",
			Args: []verb.Arg{{Name: "name", Required: true, Doc: "a toolset or a tool"}}, Flags: SelectionFlags(),
			Examples: []string{"tools show browser", "tools show browser_click --json"}}),
		of(verb.Verb{Name: "tools trust", Summary: "agree to servers and plugins added while agents are served",
			Help: "An MCP server or plugin is a program. One that is added to the configuration, or changed, while agents are served starts only\n" +
				"after you agree here; those configured at the start are used. Without a name it lists what needs agreement, with command\n" +
				"lines. An agreement holds for one definition; a changed argument needs a new one.",
			Args:     []verb.Arg{{Name: "names", Variadic: true, Doc: "servers (mcp-NAME) or plugins; NAME@DIGEST means that exact definition"}},
			Examples: []string{"tools trust", "tools trust mcp-github"}, Next: []string{"tools list"}}),
		of(verb.Verb{Name: "tools enable", Summary: "enable tools for agents",
			Help: "Writes the choice into your configuration file and keeps everything else in it. Connected agents get the tools at once.",
			Args: names, Flags: []verb.Flag{platformFlag()}, Examples: []string{"tools enable web", "tools enable --platform acp file github:get_issue"}, Next: []string{"tools list"}}),
		of(verb.Verb{Name: "tools disable", Summary: "disable tools for agents",
			Help: "A tool that another enabled toolset owns stays enabled, and is reported; a tool given by name is disabled in any case.",
			Args: names, Flags: []verb.Flag{platformFlag()}, Examples: []string{"tools disable browser_cdp", "tools disable web --platform telegram"}, Next: []string{"tools list"}}),
	}}
}
