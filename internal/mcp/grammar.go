package mcp

import (
	"github.com/usher-browser/usher/internal/tool/commands"
	"github.com/usher-browser/usher/internal/toolset"
	"github.com/usher-browser/usher/internal/verb"
)

// Grammar returns the commands for MCP clients: mcp and tools.
func Grammar() verb.Set {
	profiles := verb.Flag{Name: "tools", Value: "profiles", Multi: verb.CSV, Choices: commands.Profiles(),
		Doc: "serve agent-browser's tools of these profiles, one for each command, and no toolset that is not named"}
	serving := append(append(toolset.SelectionFlags(), profiles), []verb.Flag{
		{Name: "results", Value: "form", Choices: []string{"both", "text", "structured"},
			Doc: "form of results: for clients that show their model only one of the two"},
		{Name: "images", Value: "way", Choices: []string{"show", "ask"},
			Doc: "show images in results, or, for models that cannot see those, ask the client's model about them (sampling)"},
	}...)
	return verb.Set{Families: []verb.Family{
		{Name: "mcp", Summary: "serve agents over MCP", Bare: "mcp serve"},
	}, Verbs: []verb.Verb{
		{Name: "mcp serve", Summary: "serve an agent on standard input and output, in the Model Context Protocol",
			Help: "The MCP server that a client starts. Its tools use the session named by --session, which commands in a shell can share and\n" +
				"follow (usher --session NAME events --follow). --toolsets and the configuration choose the tools: see tools list. With\n" +
				"--tools they are those of agent-browser, which under that name is the default. The word mcp alone does the same.",
			Flags: serving, Examples: []string{"mcp", "--session shop mcp", "mcp --toolsets web,browser", "mcp --tools core,network"}, Group: verb.GroupSession, Category: verb.CatTool, Marks: verb.Local},
		{Name: "mcp call", Summary: "call one of agent-browser's tools and print the result as one line of JSON",
			Help: "Runs a tool as mcp --tools all does, without an MCP client. The line has the content, isError and structuredContent of the\n" +
				"result. The exit status is 0; 1 if the tool reports an error; 2 for an unknown tool or invalid arguments, with error in the\n" +
				"line. --tools refuses the tools of other profiles.",
			Args: []verb.Arg{{Name: "tool", Required: true, Doc: "its name, such as agent_browser_open"},
				{Name: "arguments", Raw: true, Doc: "a JSON object, or - to read it from standard input"}},
			Flags:    []verb.Flag{profiles},
			Examples: []string{`mcp call agent_browser_open '{"url":"https://example.com"}'`, "mcp call agent_browser_snapshot", "mcp call agent_browser_fill -"},
			Group:    verb.GroupSession, Category: verb.CatTool, Marks: verb.Local},
		{Name: "mcp http", Summary: "serve agents over HTTP on this machine, from the daemon",
			Help: "Listens on 127.0.0.1 and prints the address and the token. Clients send the token as Authorization: Bearer, or as ?token=. The\n" +
				"query also takes session=NAME, toolsets=NAMES and platform=NAME. Runs until --stop or the end of the daemon.",
			Flags: append([]verb.Flag{{Name: "port", Kind: verb.Int, Value: "n", Min: 1, Max: 65535, Doc: "the port; default: a free one"},
				{Name: "stop", Kind: verb.Bool, Doc: "stop listening"}}, serving...),
			Examples: []string{"mcp http", "mcp http --port 9330", "mcp http --stop"}, Group: verb.GroupSession, Category: verb.CatTool, Marks: verb.Control},
		{Name: "mcp install", Summary: "add usher to the configuration of an MCP client",
			Help: "Adds the server usher to the client's configuration and keeps everything else; --print only shows the change. A file that\n" +
				"cannot be parsed is not changed.",
			Flags: append([]verb.Flag{
				{Name: "client", Value: "name", Choices: []string{"claude", "claude-desktop", "codex", "cursor", "vscode", "windsurf", "gemini", "zed"},
					Doc: "which client"},
				{Name: "project", Kind: verb.Bool, Doc: "for this directory only, if the client supports that"},
				{Name: "print", Kind: verb.Bool, Doc: "print the change, write nothing"}}, serving...),
			Examples: []string{"mcp install --client claude", "mcp install --client vscode --project", "--session shop mcp install --client cursor --print"},
			Group:    verb.GroupSession, Category: verb.CatTool, Marks: verb.Local},
	}}
}
