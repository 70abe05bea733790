package agenttool

import (
	"github.com/usher-browser/usher/internal/verb"
)

// Grammar returns the command `agent-tool`.
func Grammar() verb.Set {
	return verb.Set{Verbs: []verb.Verb{
		{Name: "agent-tool", Summary: "a call of the tool agent_browser, for scripts",
			Help: "Runs a call of the tool agent_browser (usher mcp --toolsets agent_browser) with a JSON object from the argument or from standard\n" +
				"input. It has one of args, semanticAction, job, qa, sourceLookup, networkSourceLookup, electron and script. Without --session the\n" +
				"tool uses a session that is named after --client and the working directory, and ends it when it was idle for 15 minutes. --json\n" +
				"prints content and details. The exit status is 1 if the call failed.",
			Args: []verb.Arg{{Name: "input", Raw: true, Doc: "the JSON object, or - for standard input"}},
			Flags: []verb.Flag{{Name: "client", Kind: verb.String, Value: "id", Doc: "identifies the client, for the names of its sessions"},
				{Name: "user-prompt", Kind: verb.String, Value: "text", Raw: true, Doc: "what the user asked for; refuses final orders that it forbids, and closing before files that it names are saved"},
				{Name: "release", Kind: verb.Bool, Doc: "end the sessions of the client in 30 seconds, unless it calls again"}},
			Examples: []string{`agent-tool '{"args":["open","example.com"]}'`, `agent-tool --json '{"args":["snapshot","-i"]}'`, "agent-tool - --client build-7"},
			Group:    verb.GroupTool, Category: verb.CatSession, Marks: verb.Control | verb.ReadsStdin | verb.TellsPages},
	}}
}
