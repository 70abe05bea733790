package local

import (
	"github.com/usher-browser/usher/internal/local/doctor"
	"github.com/usher-browser/usher/internal/verb"
)

// Grammar returns the grammar of the commands that run in the client.
func Grammar() verb.Set {
	return verb.Set{Families: []verb.Family{
		{Name: "skills", Summary: "texts from which agents learn to use this program", Bare: "skills list"},
	}, Verbs: append(append(skillVerbs(), extensionVerbs()...), []verb.Verb{
		{Name: "session", Summary: "print the name of the session in use", Examples: []string{"session"},
			Group: verb.GroupSession, Category: verb.CatSession, Marks: verb.Control | verb.Local | verb.AnyProcess},
		{Name: "session id", Summary: "print a session name derived from this directory",
			Flags: []verb.Flag{{Name: "scope", Kind: verb.String, Value: "scope", Default: "worktree", Choices: []string{"worktree", "cwd", "git-root"}, Doc: "the directory to derive the name from"},
				{Name: "prefix", Value: "text", Doc: "prefix of the name; what a name cannot have becomes -"}},
			Examples: []string{"session id", "session id --scope git-root --prefix shop"},
			Group:    verb.GroupSession, Category: verb.CatSession, Marks: verb.Control | verb.Local | verb.AnyProcess},
		doctor.Verb(),
		{Name: "install", Summary: "install a browser",
			Flags:    []verb.Flag{{Name: "with-deps", Short: "d", Kind: verb.Bool, Doc: "also install fonts for pages; fails if deps fail"}},
			Examples: []string{"install", "install --with-deps"}, Group: verb.GroupTool, Category: verb.CatTool, Marks: verb.Local},
		{Name: "upgrade", Summary: "how to upgrade this program",
			Help: "Finds out how the program was installed (npm, .deb, Homebrew, go install, source, container, archive) and prints the command\n" +
				"that upgrades it. It runs nothing and replaces nothing. --check asks the address in USHER_RELEASES_URL, which answers with a JSON\n" +
				"object that has version or tag_name, for the latest release; without the variable nothing is asked.",
			Flags:    []verb.Flag{{Name: "check", Kind: verb.Bool, Doc: "ask whether there is a newer release"}},
			Examples: []string{"upgrade", "upgrade --check --json"}, Group: verb.GroupTool, Category: verb.CatTool, Marks: verb.Local},
		{Name: "profiles", Summary: "list the profiles of your own browsers",
			Help: "Names and directories of the profiles of Chrome, Chromium, Edge and Brave. `--profile NAME` begins a session with a copy of one:\n" +
				"cookies, local storage and settings, no caches, no extensions. The copy is in a directory that only you can read, and is\n" +
				"deleted when the browser ends; the profile itself is not changed. Cookies can be read only by the browser that wrote them:\n" +
				"give it with --executable-path. Chrome on Windows encrypts them for itself alone.",
			Examples: []string{"profiles", "profiles --json"}, Next: []string{"open --profile Default example.com"}, Group: verb.GroupDebug, Category: verb.CatTool, Marks: verb.Local | verb.AnyProcess},
		{Name: "replay", Summary: "show a recording made with --record",
			Help: "Prints the state of the browser at the end of the recording or at --at: a time since its start (1500, 2.5s, 3m) or a step\n" +
				"(#NUMBER, counting events and replies). --events also lists the changes with time and step. A damaged or truncated recording\n" +
				"is read up to the damage, which is reported. gzip files are read directly.",
			Args: []verb.Arg{{Name: "file", Kind: verb.Path, Required: true, Doc: "the recording"}},
			Flags: []verb.Flag{{Name: "at", Kind: verb.String, Value: "time|#step", Doc: "stop at this time since the beginning, or after this step"},
				{Name: "events", Kind: verb.Bool, Doc: "also list the changes"}},
			Examples: []string{"replay run.jsonl", "replay run.jsonl --at 2.5s --json", "replay run.jsonl --at '#340' --events"},
			Group:    verb.GroupDebug, Category: verb.CatTool, Marks: verb.Local},
	}...)}
}

// skillVerbs are the commands about skills.
func skillVerbs() []verb.Verb {
	return []verb.Verb{
		{Name: "skills list", Summary: "list the skills: texts from which agents learn to use this program",
			Help:     "They are part of the program. USHER_SKILLS_DIR, or AGENT_BROWSER_SKILLS_DIR by that name, is a directory of others in their place.",
			Examples: []string{"skills", "skills list --json"}, Group: verb.GroupSession, Category: verb.CatTool, Marks: verb.Local | verb.AnyProcess},
		{Name: "skills get", Summary: "print skills", Check: skillRules,
			Args: []verb.Arg{{Name: "names", Variadic: true, Doc: "which; see skills list"}},
			Flags: []verb.Flag{{Name: "full", Kind: verb.Bool, Doc: "with the references, such as the list of all commands"},
				{Name: "ref", Kind: verb.String, Value: "name", Multi: verb.Repeat, Doc: "only this reference; may be repeated"},
				{Name: "all", Kind: verb.Bool, Doc: "every skill"}},
			Examples: []string{"skills get core", "skills get core --full", "skills get network debug", "skills get core --ref commands", "skills get --all"},
			Group:    verb.GroupSession, Category: verb.CatTool, Marks: verb.Local | verb.AnyProcess},
		{Name: "skills path", Summary: "the directory of the skills, or of one",
			Help:     "The built-in skills are written to usher's directory when this is asked.",
			Args:     []verb.Arg{{Name: "name", Doc: "which; default: the directory of all"}},
			Examples: []string{"skills path", "skills path core"}, Group: verb.GroupSession, Category: verb.CatTool, Marks: verb.Local},
	}
}

// skillRules wants names or --all.
func skillRules(c *verb.Call) *verb.Error {
	if c.Has("names") == c.Bool("all") {
		return &verb.Error{Code: verb.MissingArgument, Message: "skills get needs <names> or --all", Hint: "`skills list` lists them."}
	}
	return nil
}
