package local

import (
	"github.com/usher-browser/usher/internal/verb"
)

// Grammar returns the grammar of the commands that run in the client.
func Grammar() verb.Set {
	return verb.Set{Verbs: []verb.Verb{
		{Name: "session", Summary: "print the name of the session in use", Examples: []string{"session"},
			Group: verb.GroupSession, Category: verb.CatSession, Marks: verb.Control | verb.Local},
		{Name: "session id", Summary: "print a session name derived from this directory",
			Flags: []verb.Flag{{Name: "scope", Kind: verb.String, Value: "scope", Default: "worktree", Choices: []string{"worktree", "cwd", "git-root"}, Doc: "the directory to derive the name from"},
				{Name: "prefix", Value: "text", Doc: "prefix of the name; what a name cannot have becomes -"}},
			Examples: []string{"session id", "session id --scope git-root --prefix shop"},
			Group:    verb.GroupSession, Category: verb.CatSession, Marks: verb.Control | verb.Local},
		{Name: "doctor", Summary: "check the installation",
			Help: "--stealth tests instead what a page can detect of the browser, with and without --stealth: it launches both and opens a local\n" +
				"page that looks for automation. Each line was measured in that run; a warning is something a page could detect.",
			Flags: []verb.Flag{{Name: "offline", Kind: verb.Bool, Doc: "skip checks that need the network"},
				{Name: "quick", Kind: verb.Bool, Doc: "do not start a browser"},
				{Name: "fix", Kind: verb.Bool, Doc: "fix what can be fixed"}},
			Examples: []string{"doctor", "doctor --quick", "doctor --stealth"}, Group: verb.GroupSession, Category: verb.CatTool, Marks: verb.Local},
		{Name: "install", Summary: "install a browser",
			Flags:    []verb.Flag{{Name: "with-deps", Short: "d", Kind: verb.Bool, Doc: "also install fonts for pages"}},
			Examples: []string{"install", "install --with-deps"}, Group: verb.GroupSession, Category: verb.CatTool, Marks: verb.Local},
		{Name: "replay", Summary: "show a recording made with --record",
			Help: "Prints the state of the browser at the end of the recording or at --at: a time since its start (1500, 2.5s, 3m) or a step\n" +
				"(#NUMBER, counting events and replies). --events also lists the changes with time and step. A damaged or truncated recording\n" +
				"is read up to the damage, which is reported. gzip files are read directly.",
			Args: []verb.Arg{{Name: "file", Kind: verb.Path, Required: true, Doc: "the recording"}},
			Flags: []verb.Flag{{Name: "at", Kind: verb.String, Value: "time|#step", Doc: "stop at this time since the beginning, or after this step"},
				{Name: "events", Kind: verb.Bool, Doc: "also list the changes"}},
			Examples: []string{"replay run.jsonl", "replay run.jsonl --at 2.5s --json", "replay run.jsonl --at '#340' --events"},
			Group:    verb.GroupDebug, Category: verb.CatTool, Marks: verb.Local},
	}}
}
