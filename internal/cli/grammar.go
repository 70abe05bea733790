package cli

import (
	"strings"

	"github.com/usher-browser/usher/internal/verb"
	"github.com/usher-browser/usher/internal/verb/help"
)

// Grammar returns the grammar of the commands about the command line itself.
func Grammar() verb.Set {
	return verb.Set{Verbs: []verb.Verb{
		{Name: "completion", Summary: "shell completion",
			Args:     []verb.Arg{{Name: "shell", Required: true, Choices: []string{"bash", "zsh", "fish", "powershell"}, Doc: "which shell"}},
			Examples: []string{"completion bash"}, Group: verb.GroupSession, Category: verb.CatTool, Marks: verb.Local},
		{Name: "help", Check: helpRules, Summary: "help, in general or for a command", Args: []verb.Arg{{Name: "topic", Variadic: true, Doc: "a command such as get text; flags; or config, with or without a key"}},
			Examples: []string{"help", "help get text", "click --help", "help config viewport"}, Group: verb.GroupSession, Category: verb.CatTool, Marks: verb.Local},
		{Name: "version", Summary: "print the version", Examples: []string{"version", "--version"},
			Group: verb.GroupSession, Category: verb.CatTool, Marks: verb.Local},
	}}
}

func helpRules(c *verb.Call) *verb.Error {
	return help.Check(c.Table(), c.Mode, strings.Join(c.List("topic"), " "))
}
