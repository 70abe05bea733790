package cli

import (
	"strings"

	"github.com/usher-browser/usher/internal/verb"
	"github.com/usher-browser/usher/internal/verb/help"
)

// Grammar returns the grammar of the commands about the command line itself.
func Grammar() verb.Set {
	return verb.Set{Families: []verb.Family{
		{Name: "config", Summary: "the configuration files (their keys: help config)"},
	}, Verbs: []verb.Verb{
		{Name: "config schema", Summary: "print the JSON schema of configuration files",
			Help:     "For editors: name it in the file as $schema. Called as agent-browser, it is that of agent-browser.json.",
			Examples: []string{"config schema"}, Group: verb.GroupTool, Category: verb.CatTool, Marks: verb.Local | verb.AnyProcess},
		{Name: "completion", Summary: "print a completion script for a shell",
			Args:     []verb.Arg{{Name: "shell", Required: true, Choices: []string{"bash", "zsh", "fish", "powershell"}, Doc: "which shell"}},
			Examples: []string{"completion bash"}, Group: verb.GroupTool, Category: verb.CatTool, Marks: verb.Local | verb.AnyProcess},
		{Name: "help", Check: helpRules, Summary: "show help, in general or for one command", Args: []verb.Arg{{Name: "topic", Variadic: true, Doc: "a command such as get text; flags; or config, with or without a key"}},
			Examples: []string{"help", "help get text", "click --help", "help config viewport"}, Group: verb.GroupTool, Category: verb.CatTool, Marks: verb.Local | verb.AnyProcess},
		{Name: "version", Summary: "print the version", Examples: []string{"version", "--version"},
			Group: verb.GroupTool, Category: verb.CatTool, Marks: verb.Local | verb.AnyProcess},
	}}
}

func helpRules(c *verb.Call) *verb.Error {
	return help.Check(c.Table(), c.Mode, strings.Join(c.List("topic"), " "))
}
