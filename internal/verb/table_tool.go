package verb

func tabVerbs() []Verb {
	label := Flag{Name: "label", Kind: String, Value: "name", Doc: "a name for the tab, to switch to it by"}
	return []Verb{
		{Name: "tab list", Summary: "list the tabs", Help: "The word tab alone does the same.", Examples: []string{"tab", "tab list"},
			Group: GroupTabs, Category: CatTab, Marks: NeedsBrowser | Control},
		{Name: "tab new", Summary: "open a tab", Args: []Arg{{Name: "url", Kind: URL, Doc: "the address; blank when left out"}}, Flags: []Flag{label},
			Examples: []string{"tab new", "tab new example.com --label docs"}, Next: []string{"snapshot -i"},
			Group: GroupTabs, Category: CatTab, Marks: Starts | ChangesPage},
		{Name: "tab switch", Summary: "make another tab the active one", Help: "The word switch may be left out: tab t2.",
			Args:     []Arg{{Name: "tab", Required: true, Doc: "id (t2), label or target id of the tab"}},
			Examples: []string{"tab t2", "tab docs", "tab switch t2"}, Next: []string{"snapshot -i"},
			Group: GroupTabs, Category: CatTab, Marks: NeedsBrowser | Control},
		{Name: "tab interrupt", Summary: "stop the script that keeps a tab from answering",
			Help:     "Stops scripts that run without end, in the page and in its frames, and says which. A tab that answers is left as it is. It waits for no other command.",
			Args:     []Arg{{Name: "tab", Doc: "id, label or target id; the active tab when left out"}},
			Examples: []string{"tab interrupt", "tab interrupt t2"}, Next: []string{"snapshot -i"},
			Group: GroupTabs, Category: CatTab, Marks: NeedsBrowser | Control | ChangesPage},
		{Name: "tab close", Summary: "close a tab", Args: []Arg{{Name: "tab", Doc: "id, label or target id; the active tab when left out"}},
			Examples: []string{"tab close", "tab close t2"}, Group: GroupTabs, Category: CatTab, Marks: NeedsBrowser | Control | ChangesPage | InvalidatesRefs},
		{Name: "window new", Summary: "open a new window of the same session", Examples: []string{"window new"},
			Group: GroupTabs, Category: CatTab, Marks: Starts | ChangesPage},
		{Name: "frame switch", Summary: "let selectors mean one frame, or the whole page again",
			Help: "The word switch may be left out: frame @e7. The choice holds until the page is left. A frame that vanishes before that is told, never replaced by the page around it.\n" +
				"For a single command, most take --frame.",
			Args:     []Arg{{Name: "frame", Kind: Selector, Required: true, Doc: "the iframe element, the id from frame list, or main for the whole page"}},
			Examples: []string{"frame @e7", "frame 'iframe[name=pay]'", "frame main"}, Next: []string{"snapshot -i"},
			Group: GroupTabs, Category: CatTab, Marks: onTab | TakesRefs},
		{Name: "frame list", Synonyms: []string{"frame tree"}, Summary: "list the frames of the page as a tree, with ids, names and addresses",
			Help:     "Frames in a process of their own are marked, and so is the one that selectors mean. The word frame alone does the same.",
			Examples: []string{"frame list", "frame"}, Next: []string{"frame <id>", "eval --frame <id> document.title"},
			Group: GroupTabs, Category: CatTab, Marks: NeedsBrowser | Control},
	}
}

func watchVerbs() []Verb {
	const reads = NeedsBrowser | Control
	clearFlag := []Flag{{Name: "clear", Kind: Bool, Doc: "forget what was recorded"}}
	return []Verb{
		{Name: "dialog accept", Summary: "answer the open dialog with OK", Args: []Arg{{Name: "text", Rest: true, Raw: true, Doc: "what to enter into a prompt"}},
			Examples: []string{"dialog accept", "dialog accept \"my answer\""}, Next: []string{"snapshot -i"},
			Group: GroupWatch, Category: CatDialog, Marks: reads | Remembers | ChangesPage | InvalidatesRefs},
		{Name: "dialog dismiss", Summary: "answer the open dialog with Cancel", Examples: []string{"dialog dismiss"}, Next: []string{"snapshot -i"},
			Group: GroupWatch, Category: CatDialog, Marks: reads | Remembers | ChangesPage | InvalidatesRefs},
		{Name: "dialog status", Summary: "is a dialog open, and what does it say", Examples: []string{"dialog status"},
			Next: []string{"dialog accept", "dialog dismiss"}, Group: GroupWatch, Category: CatDialog, Marks: reads | Remembers},
		{Name: "interrupt list", Summary: "what the browser waits for: dialogs, file choosers, logins, permissions; and what else came up",
			Help:  "Each has an id, where it came from and the commands that answer it. The word interrupt alone does the same.",
			Flags: []Flag{{Name: "all", Kind: Bool, Doc: "also what is over, and how it ended"}}, Examples: []string{"interrupt", "interrupt list --all"},
			Next: []string{"interrupt answer <id> ..."}, Group: GroupWatch, Category: CatDialog, Marks: reads | Remembers},
		{Name: "interrupt answer", Summary: "answer one of them",
			Help: "A dialog takes accept [text] or dismiss; a file chooser the files, or dismiss; a login --username and a password, or dismiss;\n" +
				"a permission request allow or deny; anything else ok. A password is better given with --password-stdin or in USHER_PASSWORD\n" +
				"than on the command line, which other users of the machine can see. See --upload-root for the files that may be given.\n" +
				"Logins that --credentials fits are answered without you. What only a part of a page asks for (a frame, an image, a script's\n" +
				"request) and has no credentials is refused at once, as a browser without a person does, and told of here.\n" +
				"Of permissions geolocation and notifications can be asked for (--permissions ask, or geolocation=ask); these, camera, microphone,\n" +
				"clipboard-read, clipboard-write, midi and the rarer ones can be allowed or denied beforehand (--permissions camera=allow,midi=deny).",
			Args: []Arg{{Name: "id", Required: true, Doc: "the id from interrupt list: i-3, d-1"},
				{Name: "answer", Variadic: true, Raw: true, Doc: "accept, dismiss, allow, deny, ok, or files"}},
			Flags: []Flag{{Name: "username", Kind: String, Value: "name", Raw: true, Doc: "for a login; USHER_USERNAME when left out"},
				{Name: "password", Kind: String, Value: "word", Raw: true, Doc: "for a login; USHER_PASSWORD when left out"},
				{Name: "password-stdin", Kind: Bool, Doc: "read the password from standard input"}},
			Examples: []string{"interrupt answer i-3 report.pdf", "interrupt answer i-4 --username ada --password-stdin < secret", "interrupt answer i-5 allow", "interrupt answer d-1 dismiss"},
			Next:     []string{"snapshot -i"}, Group: GroupWatch, Category: CatDialog, Marks: reads | ChangesPage | InvalidatesRefs | ReadsFiles | ReadsStdin},
		{Name: "dialog policy", Summary: "show or set what happens to dialogs that no rule is for",
			Help: "must_respond leaves dialogs to you, and dismisses them after --timeout (5 minutes if never set); auto_dismiss and auto_accept\n" +
				"answer at once. A dialog that is open already is treated by the new policy.",
			Args:     []Arg{{Name: "policy", Choices: []string{"must_respond", "auto_dismiss", "auto_accept"}, Doc: "the policy from now on"}},
			Examples: []string{"dialog policy", "dialog policy auto_accept", "dialog policy must_respond --timeout 60s"},
			Group:    GroupWatch, Category: CatDialog, Marks: reads},
		{Name: "dialog rule", Summary: "list, add or remove rules that answer dialogs by themselves",
			Help: "A rule is accept, dismiss or ask, and conditions: kind=alert|confirm|prompt|beforeunload, frame= (its id, name or URL),\n" +
				"origin=, message=. In a pattern * stands for anything, /.../ and /.../i are regular expressions; a message without *\n" +
				"need only contain the words. text= is what a prompt is answered with, name= what the rule is called. The first rule\n" +
				"that matches counts: --on-dialog, then those added here, then those of --dialog-rules and the configuration file\n" +
				"(dialog_rules), then the policy. `ask` leaves a dialog to you. `dialog status` and `status` tell which rule closed what.",
			Args: []Arg{{Name: "action", Choices: []string{"list", "add", "remove"}, Doc: "list when left out"},
				{Name: "words", Variadic: true, Raw: true, Doc: "the rule to add, or the names of those to remove"}},
			Examples: []string{"dialog rule", "dialog rule add accept kind=beforeunload",
				"dialog rule add dismiss origin=https://*.example.com 'message=/cookie/i' name=cookies", "dialog rule remove cookies"},
			Next: []string{"status"}, Group: GroupWatch, Category: CatDialog, Marks: reads},
		{Name: "status", Summary: "what the browser waits for: dialogs, frames, console errors",
			Help: "Answers at once, whatever the page does. As JSON: pending_dialogs, recent_dialogs (the last 20, who closed them and how),\n" +
				"frame_tree of the active tab (30 frames), console_errors (the last 50).",
			Flags:    []Flag{{Name: "all-frames", Kind: Bool, Doc: "the whole frame tree"}},
			Examples: []string{"status", "status --json", "status --all-frames"}, Next: []string{"dialog accept", "dialog dismiss"},
			Group: GroupWatch, Category: CatLogs, Marks: reads},
		{Name: "console", Summary: "what the page wrote to its console", Flags: clearFlag, Examples: []string{"console", "console --clear"},
			Group: GroupWatch, Category: CatLogs, Marks: reads | Remembers},
		{Name: "errors", Summary: "errors the page did not catch", Flags: clearFlag, Examples: []string{"errors", "errors --clear"},
			Group: GroupWatch, Category: CatLogs, Marks: reads | Remembers},
		eventsVerb(),
		{Name: "network requests", Summary: "what the page asked of servers",
			Flags: []Flag{{Name: "clear", Kind: Bool, Doc: "forget what was recorded"},
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
		Help: "Everything that changes is an event with a number: tabs, frames, navigations, load states, dialogs, downloads, crashes,\n" +
			"console lines, uncaught errors, requests. The newest 10,000 of a session are kept (4 MB at most). --since goes on after a\n" +
			"number; written STREAM:NUMBER, as the output gives it, it is safe against a browser or daemon started anew, whose numbers\n" +
			"mean other things. What is missing is told. With --follow each event is one line, with --json one JSON object; --follow\n" +
			"begins now unless --since is given, ends with the session or after --timeout, waits behind no command, and does not keep an\n" +
			"idle session open. A session that has no browser yet is waited for, and all that happens in it is told. A follower that\n" +
			"does not read fast enough is dropped and told where it was.",
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
			Help: "Each argument is one command, quoted as a whole. Without arguments the commands are read from standard input as a JSON\n" +
				"array of arrays of words. A failed command does not stop the rest unless --bail is given.",
			Args: []Arg{{Name: "commands", Variadic: true, Raw: true, Doc: "the commands, each as one word"}},
			Flags: []Flag{{Name: "bail", Kind: Bool, Doc: "stop at the first failure"},
				{Name: "omit-command", Kind: Bool, Doc: "number the results in place of repeating the commands"}},
			Examples: []string{"batch \"open example.com\" \"snapshot -i\"", "batch --bail \"fill @e5 Ada\" \"press Enter\" \"wait --load load\"", "batch"},
			Group:    GroupRun, Category: CatSession, Marks: ReadsStdin},
		{Name: "cdp", Summary: "one raw call of the DevTools Protocol",
			Help: "The way out when no other command does it. Parameters are a JSON object, or - to read it from standard input. The call goes\n" +
				"to the active tab, in a CDP session of its own: what is enabled or overridden there lasts as long as the tab, and takes nothing\n" +
				"from usher. With --frame it goes to the process of that frame; in a frame of the page's process, methods that can name\n" +
				"a frame or script context get that frame's, and others are refused. With --browser it goes to the browser itself.\n" +
				"Secrets in the result are replaced by [redacted] (keys by their well-known beginnings, tokens, cookies, Authorization headers,\n" +
				"passwords in addresses); text beyond 50 kB goes to a file. It never waits behind another command. 30 s unless --timeout says 1s to 300s.\n" +
				"Under the site guard, so for agents, only methods that read or emulate within the session are sent (Runtime.evaluate, DOM.getDocument,\n" +
				"Emulation.*, Network.getCookies, ...), and what their parameters name is judged; others are refused with what to use instead.",
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
			Help: "With --stealth it tells something else: what a page can see of the browser. It launches one as a session does and one as a\n" +
				"session with --stealth does, and has a page of its own on 127.0.0.1 look for what gives a driven browser away. A warning is\n" +
				"what a page could take for that; each line was measured in that run.",
			Flags: []Flag{{Name: "offline", Kind: Bool, Doc: "leave out what needs the network"},
				{Name: "quick", Kind: Bool, Doc: "do not start a browser"},
				{Name: "fix", Kind: Bool, Doc: "mend what can be mended"}},
			Examples: []string{"doctor", "doctor --quick", "doctor --stealth"}, Group: GroupSession, Category: CatTool, Marks: Local},
		{Name: "install", Summary: "install a browser",
			Flags:    []Flag{{Name: "with-deps", Short: "d", Kind: Bool, Doc: "and fonts for the text on pages"}},
			Examples: []string{"install", "install --with-deps"}, Group: GroupSession, Category: CatTool, Marks: Local},
		{Name: "replay", Summary: "what a recording made with --record tells",
			Help: "Prints what was known of the browser at the end of the recording, or at another moment: --at takes a time since the\n" +
				"beginning (1500, 2.5s, 3m) or, as #NUMBER, a step: how many events and answers were taken in. --events also lists what\n" +
				"changed, with the time and the step of each. A recording that is damaged or cut short is read up to there, and the line\n" +
				"is named. A compressed recording (gzip) is read as it is.",
			Args: []Arg{{Name: "file", Kind: Path, Required: true, Doc: "the recording"}},
			Flags: []Flag{{Name: "at", Kind: String, Value: "time|#step", Doc: "stop at this time since the beginning, or after this step"},
				{Name: "events", Kind: Bool, Doc: "list what changed, too"}},
			Examples: []string{"replay run.jsonl", "replay run.jsonl --at 2.5s --json", "replay run.jsonl --at '#340' --events"},
			Group:    GroupSession, Category: CatTool, Marks: Local},
		{Name: "completion", Summary: "print a completion script for a shell",
			Args:     []Arg{{Name: "shell", Required: true, Choices: []string{"bash", "zsh", "fish", "powershell"}, Doc: "which shell"}},
			Examples: []string{"completion bash"}, Group: GroupSession, Category: CatTool, Marks: Local},
		{Name: "help", Summary: "help, in general or for one command", Args: []Arg{{Name: "topic", Variadic: true, Doc: "a command such as get text"}},
			Examples: []string{"help", "help get text", "click --help"}, Group: GroupSession, Category: CatTool, Marks: Local},
		{Name: "version", Summary: "print the version", Examples: []string{"version", "--version"},
			Group: GroupSession, Category: CatTool, Marks: Local},
	}
}
