package verb

func tabVerbs() []Verb {
	label := Flag{Name: "label", Kind: String, Value: "name", Doc: "a name for the tab, to switch to it by"}
	return []Verb{
		{Name: "tab list", Summary: "list the tabs", Help: "The word tab alone does the same.", Examples: []string{"tab", "tab list"},
			Group: GroupTabs, Category: CatTab, Marks: NeedsBrowser | Control},
		{Name: "tab new", Summary: "open a tab", Args: []Arg{{Name: "url", Kind: URL, Doc: "the address; blank when left out"}}, Flags: []Flag{label},
			Examples: []string{"tab new", "tab new example.com --label docs"}, Next: []string{"snapshot -i"},
			Group: GroupTabs, Category: CatTab, Marks: Starts | ChangesPage | TellsChanges},
		{Name: "tab switch", Summary: "make another tab the active one", Help: "The word switch may be left out: tab t2.",
			Args:     []Arg{{Name: "tab", Required: true, Doc: "id (t2), label or target id of the tab"}},
			Examples: []string{"tab t2", "tab docs", "tab switch t2"}, Next: []string{"snapshot -i"},
			Group: GroupTabs, Category: CatTab, Marks: NeedsBrowser | Control | TellsChanges},
		{Name: "tab interrupt", Summary: "terminate the script that blocks a tab",
			Help: "Terminates scripts that block the page or its frames, and names them. A responsive tab is left unchanged. Does not wait for\n" +
				"other commands.",
			Args:     []Arg{{Name: "tab", Doc: "id, label or target id; the active tab when left out"}},
			Examples: []string{"tab interrupt", "tab interrupt t2"}, Next: []string{"snapshot -i"},
			Group: GroupTabs, Category: CatTab, Marks: NeedsBrowser | Control | ChangesPage},
		{Name: "tab close", Summary: "close a tab", Args: []Arg{{Name: "tab", Doc: "id, label or target id; the active tab when left out"}},
			Examples: []string{"tab close", "tab close t2"}, Group: GroupTabs, Category: CatTab, Marks: NeedsBrowser | Control | ChangesPage | InvalidatesRefs | TellsChanges},
		{Name: "window new", Summary: "open a new window of the same session", Examples: []string{"window new"},
			Group: GroupTabs, Category: CatTab, Marks: Starts | ChangesPage},
		{Name: "frame switch", Summary: "let selectors mean one frame, or the whole page again",
			Help: "The word switch may be left out: frame @e7. The choice holds until the page navigates. If the frame is removed before that,\n" +
				"commands fail rather than use the page around it. For a single command use --frame.",
			Args:     []Arg{{Name: "frame", Kind: Selector, Required: true, Doc: "the iframe element, the id from frame list, or main for the whole page"}},
			Examples: []string{"frame @e7", "frame 'iframe[name=pay]'", "frame main"}, Next: []string{"snapshot -i"},
			Group: GroupTabs, Category: CatTab, Marks: onTab | TakesRefs},
		{Name: "frame list", Synonyms: []string{"frame tree"}, Summary: "list the frames of the page as a tree, with ids, names and addresses",
			Help:     "Marks frames in separate processes, and the frame that selectors refer to. The word frame alone does the same.",
			Examples: []string{"frame list", "frame"}, Next: []string{"frame <id>", "eval --frame <id> document.title"},
			Group: GroupTabs, Category: CatTab, Marks: NeedsBrowser | Control},
	}
}

func watchVerbs() []Verb {
	const reads = NeedsBrowser | Control
	clearFlag := []Flag{{Name: "clear", Kind: Bool, Doc: "clear the record"}}
	return []Verb{
		{Name: "dialog accept", Summary: "answer the open dialog with OK", Args: []Arg{{Name: "text", Rest: true, Raw: true, Doc: "what to enter into a prompt"}},
			Examples: []string{"dialog accept", "dialog accept \"my answer\""}, Next: []string{"snapshot -i"},
			Group: GroupWatch, Category: CatDialog, Marks: reads | Remembers | ChangesPage | InvalidatesRefs | TellsChanges},
		{Name: "dialog dismiss", Summary: "answer the open dialog with Cancel", Examples: []string{"dialog dismiss"}, Next: []string{"snapshot -i"},
			Group: GroupWatch, Category: CatDialog, Marks: reads | Remembers | ChangesPage | InvalidatesRefs | TellsChanges},
		{Name: "dialog status", Summary: "whether a dialog is open, with its text", Examples: []string{"dialog status"},
			Next: []string{"dialog accept", "dialog dismiss"}, Group: GroupWatch, Category: CatDialog, Marks: reads | Remembers},
		{Name: "interrupt list", Summary: "list interruptions: dialogs, file choosers, HTTP authentication, permission requests, notices",
			Help:  "Prints id, origin and the commands that answer each. The word interrupt alone does the same.",
			Flags: []Flag{{Name: "all", Kind: Bool, Doc: "also closed ones, with their outcome"}}, Examples: []string{"interrupt", "interrupt list --all"},
			Next: []string{"interrupt answer <id> ..."}, Group: GroupWatch, Category: CatDialog, Marks: reads | Remembers},
		{Name: "interrupt answer", Summary: "answer an interruption",
			Help: "Dialog: accept [text] or dismiss. File chooser: files or dismiss. HTTP authentication: --username and a password, or dismiss.\n" +
				"Permission request: allow or deny. Others: ok. Give passwords with --password-stdin or USHER_PASSWORD, since other users of the\n" +
				"machine can see a command line. --upload-root lists the directories files may come from, --credentials answers HTTP\n" +
				"authentication by itself; without them subresources that request it are canceled and listed here. Only geolocation and\n" +
				"notifications can be asked for (--permissions geolocation=ask); --permissions allows or denies every permission beforehand.",
			Args: []Arg{{Name: "id", Required: true, Doc: "the id from interrupt list: i-3, d-1"},
				{Name: "answer", Variadic: true, Raw: true, Doc: "accept, dismiss, allow, deny, ok, or files"}},
			Flags: []Flag{{Name: "username", Kind: String, Value: "name", Raw: true, Doc: "for a login; USHER_USERNAME when left out"},
				{Name: "password", Kind: String, Value: "word", Raw: true, Doc: "for a login; USHER_PASSWORD when left out"},
				{Name: "password-stdin", Kind: Bool, Doc: "read the password from standard input"}},
			Examples: []string{"interrupt answer i-3 report.pdf", "interrupt answer i-4 --username ada --password-stdin < secret", "interrupt answer i-5 allow", "interrupt answer d-1 dismiss"},
			Next:     []string{"snapshot -i"}, Group: GroupWatch, Category: CatDialog, Marks: reads | ChangesPage | InvalidatesRefs | ReadsFiles | ReadsStdin | TellsChanges},
		{Name: "dialog policy", Summary: "show or set the policy for dialogs without a matching rule",
			Help: "must_respond leaves dialogs open for you and dismisses them after --timeout (default 5 minutes); auto_dismiss and auto_accept\n" +
				"answer at once. The new policy also applies to an open dialog.",
			Args:     []Arg{{Name: "policy", Choices: []string{"must_respond", "auto_dismiss", "auto_accept"}, Doc: "the policy from now on"}},
			Examples: []string{"dialog policy", "dialog policy auto_accept", "dialog policy must_respond --timeout 60s"},
			Group:    GroupWatch, Category: CatDialog, Marks: reads},
		{Name: "dialog rule", Summary: "list, add or remove rules that answer dialogs by themselves",
			Help: "A rule is accept, dismiss or ask with conditions: kind=alert|confirm|prompt|beforeunload, frame= (id, name or URL), origin=,\n" +
				"message=. * matches anything, /.../ and /.../i are regular expressions; a message without * matches as a substring. text= is\n" +
				"the answer to a prompt, name= the name of the rule. The first match of --on-dialog, the rules added here, --dialog-rules and\n" +
				"the configuration (dialog_rules) decides, then the policy; ask leaves the dialog open. `status` shows which rule closed what.",
			Args: []Arg{{Name: "action", Choices: []string{"list", "add", "remove"}, Doc: "list when left out"},
				{Name: "words", Variadic: true, Raw: true, Doc: "the rule to add, or the names of those to remove"}},
			Examples: []string{"dialog rule", "dialog rule add accept kind=beforeunload",
				"dialog rule add dismiss origin=https://*.example.com 'message=/cookie/i' name=cookies", "dialog rule remove cookies"},
			Next: []string{"status"}, Group: GroupWatch, Category: CatDialog, Marks: reads},
		{Name: "status", Summary: "open dialogs, frames, console errors",
			Help: "Answers at once, even while the page is blocked. JSON: pending_dialogs, recent_dialogs (last 20), frame_tree of the active tab\n" +
				"(30 frames), console_errors (last 50).",
			Flags:    []Flag{{Name: "all-frames", Kind: Bool, Doc: "the whole frame tree"}},
			Examples: []string{"status", "status --json", "status --all-frames"}, Next: []string{"dialog accept", "dialog dismiss"},
			Group: GroupWatch, Category: CatLogs, Marks: reads},
		{Name: "console", Summary: "what the page wrote to its console", Flags: clearFlag, Examples: []string{"console", "console --clear"},
			Group: GroupWatch, Category: CatLogs, Marks: reads | Remembers},
		{Name: "errors", Summary: "uncaught errors of the page", Flags: clearFlag, Examples: []string{"errors", "errors --clear"},
			Group: GroupWatch, Category: CatLogs, Marks: reads | Remembers},
		eventsVerb(),
		{Name: "network requests", Summary: "list network requests",
			Flags: []Flag{{Name: "clear", Kind: Bool, Doc: "clear the record"},
				{Name: "filter", Kind: String, Value: "text", Raw: true, Doc: "only addresses that contain this"},
				{Name: "type", Kind: String, Value: "types", Multi: CSV, Doc: "only these kinds: document, stylesheet, image, script, xhr, fetch, ..."},
				{Name: "method", Kind: String, Value: "verb", Doc: "only this HTTP method"},
				{Name: "status", Kind: String, Value: "codes", Doc: "only this status: 200, 4xx or 400-499"}},
			Examples: []string{"network requests", "network requests --type xhr,fetch --status 4xx", "network requests --filter /api/ --method POST"},
			Next:     []string{"network request <id>"}, Group: GroupWatch, Category: CatNetwork, Marks: reads | Remembers},
		{Name: "network request", Summary: "one request with headers and bodies", Args: []Arg{{Name: "id", Required: true, Doc: "the id from network requests"}},
			Examples: []string{"network request 1234.56"}, Group: GroupWatch, Category: CatNetwork, Marks: reads},
	}
}

func eventsVerb() Verb {
	return Verb{Name: "events", Summary: "all that happened, in order; -f: as it happens",
		Help: "Numbered events: tabs, frames, navigations, load states, dialogs, downloads, crashes, console messages, uncaught errors,\n" +
			"requests. The newest 10,000 per session are kept (at most 4 MB). --since NUMBER continues after an event; STREAM:NUMBER, as\n" +
			"printed, also detects a restarted browser or daemon. --follow prints one line per event (with --json one object) from now on\n" +
			"or from --since, until the session ends or --timeout; it waits for a session without a browser, does not keep an idle\n" +
			"session open, and is dropped with its position when it reads too slowly.",
		Flags: []Flag{{Name: "follow", Short: "f", Kind: Bool, Doc: "print events as they happen, until interrupted"},
			{Name: "wait", Kind: Bool, Hidden: true, Doc: "with --follow: attach to no browser, but wait until another command does"},
			{Name: "since", Kind: String, Value: "number", Doc: "only events after this number, or STREAM:NUMBER"},
			{Name: "types", Kind: String, Value: "types", Multi: CSV, Doc: "only these kinds or families: tab, frame, load, dialog, dialog_opened, download, console, error, request, ..."},
			{Name: "tab", Kind: String, Value: "tab", Doc: "only events of this tab: id (t2), label or target id"}},
		Examples: []string{"events", "events --follow --json", "events --types dialog,download,tab_crashed --since 3f9a21bc:120", "events -f --tab t2"},
		Group:    GroupWatch, Category: CatLogs, Marks: NeedsBrowser | Control | Watches | Remembers}
}

func runVerbs() []Verb {
	return []Verb{
		{Name: "batch", Summary: "run several commands in one go",
			Help: "Each argument is one command, quoted as a whole. Without arguments the commands are read from standard input: one per\n" +
				"line, with words quoted as in a shell (blank lines and lines that begin with # are skipped), or a JSON array of arrays of\n" +
				"words: [[\"fill\",\"@e5\",\"Ada Lovelace\"],[\"press\",\"Enter\"]]. A failed command does not stop the rest unless --bail is given.",
			Args: []Arg{{Name: "commands", Variadic: true, Raw: true, Doc: "the commands, each as one word"}},
			Flags: []Flag{{Name: "bail", Kind: Bool, Doc: "stop at the first failure"},
				{Name: "omit-command", Kind: Bool, Doc: "number the results in place of repeating the commands"}},
			Examples: []string{"batch \"open example.com\" \"snapshot -i\"", "batch --bail \"fill @e5 Ada\" \"press Enter\" \"wait --load load\"", "batch"},
			Group:    GroupRun, Category: CatSession, Marks: ReadsStdin},
		{Name: "cdp", Summary: "one raw call of the DevTools Protocol",
			Help: "Sends one CDP command to the active tab in a CDP session of its own; what it enables or overrides lasts as long as the tab.\n" +
				"--frame sends it to the frame's process, with the frame's id or script context where the method takes one; --browser to the\n" +
				"browser. Parameters are a JSON object, or - for standard input. Secrets in the result are replaced by [redacted]; output over\n" +
				"50 kB goes to a file. The default timeout is 30 s, the range 1s to 300s. It does not wait for other commands. Under the site\n" +
				"guard, so for agents, only methods that stay within the session are sent; others are refused with an alternative.",
			Args: []Arg{{Name: "method", Required: true, Doc: "Domain.method, such as Page.getLayoutMetrics"},
				{Name: "params", Rest: true, Raw: true, Doc: "a JSON object, or - for standard input"}},
			Flags: []Flag{frameFlag(),
				{Name: "tab", Kind: String, Value: "tab", Doc: "id (t2), label or target id of another tab"},
				{Name: "browser", Kind: Bool, Doc: "call the browser in place of a tab"}},
			Examples: []string{"cdp Page.getLayoutMetrics", "cdp Runtime.evaluate '{\"expression\":\"location.href\"}' --frame checkout",
				"cdp Target.getTargets --browser", "cdp Page.bringToFront --tab t2", "cdp Network.setCookies - --timeout 5s"},
			Group: GroupRun, Category: CatEval, Marks: NeedsBrowser | Control | ChangesPage | InvalidatesRefs | ReadsStdin},
	}
}

func sessionVerbs() []Verb {
	return []Verb{
		{Name: "session", Summary: "print the name of the session in use", Examples: []string{"session"},
			Group: GroupSession, Category: CatSession, Marks: Control | Local},
		{Name: "session list", Summary: "list the sessions that run", Examples: []string{"session list"},
			Group: GroupSession, Category: CatSession, Marks: Control},
		{Name: "session info", Summary: "what is known about the session and its browser", Examples: []string{"session info"},
			Group: GroupSession, Category: CatSession, Marks: Control},
		{Name: "session id", Summary: "a session name that belongs to this directory",
			Flags: []Flag{{Name: "scope", Kind: String, Value: "scope", Default: "worktree", Choices: []string{"worktree", "cwd", "git-root"}, Doc: "the directory the name stands for"},
				{Name: "prefix", Kind: Name, Value: "text", Doc: "put this before the name"}},
			Examples: []string{"session id", "session id --scope git-root --prefix shop"},
			Group:    GroupSession, Category: CatSession, Marks: Control | Local},
		{Name: "doctor", Summary: "check that everything usher needs is here",
			Help: "--stealth tests instead what a page can detect of the browser, with and without --stealth: it launches both and opens a local\n" +
				"page that looks for automation. Each line was measured in that run; a warning is something a page could detect.",
			Flags: []Flag{{Name: "offline", Kind: Bool, Doc: "leave out what needs the network"},
				{Name: "quick", Kind: Bool, Doc: "do not start a browser"},
				{Name: "fix", Kind: Bool, Doc: "fix what can be fixed"}},
			Examples: []string{"doctor", "doctor --quick", "doctor --stealth"}, Group: GroupSession, Category: CatTool, Marks: Local},
		{Name: "install", Summary: "install a browser",
			Flags:    []Flag{{Name: "with-deps", Short: "d", Kind: Bool, Doc: "and fonts for the text on pages"}},
			Examples: []string{"install", "install --with-deps"}, Group: GroupSession, Category: CatTool, Marks: Local},
		{Name: "replay", Summary: "show a recording made with --record",
			Help: "Prints the state of the browser at the end of the recording or at --at: a time since its start (1500, 2.5s, 3m) or a step\n" +
				"(#NUMBER, counting events and replies). --events also lists the changes with time and step. A damaged or truncated recording\n" +
				"is read up to the damage, which is reported. gzip files are read directly.",
			Args: []Arg{{Name: "file", Kind: Path, Required: true, Doc: "the recording"}},
			Flags: []Flag{{Name: "at", Kind: String, Value: "time|#step", Doc: "stop at this time since the beginning, or after this step"},
				{Name: "events", Kind: Bool, Doc: "list what changed, too"}},
			Examples: []string{"replay run.jsonl", "replay run.jsonl --at 2.5s --json", "replay run.jsonl --at '#340' --events"},
			Group:    GroupSession, Category: CatTool, Marks: Local},
		{Name: "completion", Summary: "print a completion script for a shell",
			Args:     []Arg{{Name: "shell", Required: true, Choices: []string{"bash", "zsh", "fish", "powershell"}, Doc: "which shell"}},
			Examples: []string{"completion bash"}, Group: GroupSession, Category: CatTool, Marks: Local},
		{Name: "help", Summary: "help, in general or for one command", Args: []Arg{{Name: "topic", Variadic: true, Doc: "a command such as get text; flags; or config, with or without a key"}},
			Examples: []string{"help", "help get text", "click --help", "help config viewport"}, Group: GroupSession, Category: CatTool, Marks: Local},
		{Name: "version", Summary: "print the version", Examples: []string{"version", "--version"},
			Group: GroupSession, Category: CatTool, Marks: Local},
	}
}
