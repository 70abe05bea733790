package session

import (
	"github.com/usher-browser/usher/internal/verb"
)

// Grammar returns the grammar of the commands about sessions.
func Grammar() verb.Set {
	return verb.Set{Families: []verb.Family{
		{Name: "session", Summary: "the sessions", Bare: "session"},
		{Name: "relay", Summary: "the way to your own Chrome"},
		{Name: "extension", Summary: "usher's extension in your own Chrome"},
	}, Verbs: []verb.Verb{
		{Name: "close", Synonyms: []string{"quit", "exit"}, Summary: "end the session and its browser",
			Help: "Ends this session; a browser that usher attached to is left running. With --all, every session ends. With --kill the app that\n" +
				"connect --app started is ended, too, if no other session uses it.",
			Flags: []verb.Flag{{Name: "all", Kind: verb.Bool, Doc: "end every session"}, {Name: "kill", Kind: verb.Bool, Doc: "also end the app that connect --app started"}},
			Group: verb.GroupNavigate, Category: verb.CatSession, Marks: verb.Control | verb.InvalidatesRefs, Examples: []string{"close", "close --all"}},
		{Name: "connect", Summary: "use a running browser",
			Help: "Connects the session to the browser at a debugging port or address, until the session is closed: the commands that follow need\n" +
				"no --cdp, and if the browser is started again, the next command connects again. --cdp-headers gives the headers for services\n" +
				"that require them. The browser keeps running when the session is closed. If it has no tab, the first command that needs one\n" +
				"opens it. If all pages are in one browser context that another program made, the session uses that. See docs/browsers.md.\n\n" +
				"With --app, the browser is an app built on Chromium, such as an Electron app: one that runs from this executable with a\n" +
				"debugging port is used, else it is started with a free port. It is never ended, unless this started it and close --kill says so.",
			Args: []verb.Arg{{Name: "endpoint", Kind: verb.Endpoint, Doc: "a port of this machine, or a ws, wss, http or https address"}},
			Flags: []verb.Flag{{Name: "app", Kind: verb.String, Value: "path", Raw: true, Doc: "the executable of an app, in place of an address"},
				{Name: "app-arg", Kind: verb.String, Value: "argument", Multi: verb.Repeat, Raw: true, Doc: "an argument for the app, if it is started; can be repeated"}},
			Check: connectRules, Also: connected, Group: verb.GroupDebug, Category: verb.CatSession, Marks: verb.Starts | verb.InvalidatesRefs,
			Examples: []string{"connect 9222", "connect wss://browsers.example/cdp?token=xyz", "connect https://browsers.example --cdp-headers '{\"Authorization\":\"Bearer xyz\"}'", "connect --app /opt/notes/notes"},
			Next:     []string{"snapshot -i", "tab list"}},
		{Name: "batch", Summary: "run several commands in one call",
			Help: "Each argument is one command, quoted as a whole. Without arguments the commands are read from standard input: one per\n" +
				"line, with words quoted as in a shell (blank lines and lines that begin with # are skipped), or a JSON array of arrays of\n" +
				"words: [[\"fill\",\"@e5\",\"Ada Lovelace\"],[\"press\",\"Enter\"]]. A failed command does not stop the rest unless --bail is given.\n\n" +
				"Every command has its own deadline: that of its --timeout, else that of batch's, else its usual one. In JSON it may be a member\n" +
				"beside the command: {\"command\":[\"click\",\"@e3\"],\"timeout\":\"2s\"}.",
			Args: []verb.Arg{{Name: "commands", Variadic: true, Raw: true, Doc: "the commands, each as one word"}},
			Flags: []verb.Flag{{Name: "bail", Kind: verb.Bool, Doc: "stop at the first failure"},
				{Name: "omit-command", Kind: verb.Bool, Doc: "number the results instead of repeating the commands"}},
			Examples: []string{"batch \"open example.com\" \"snapshot -i\"", "batch --bail \"fill @e5 Ada\" \"press Enter\" \"wait --load load\"", "batch"},
			Group:    verb.GroupRun, Category: verb.CatSession, Marks: verb.ReadsStdin | verb.TellsPages},
		{Name: "confirm", Summary: "run a held command",
			Help: "Runs exactly the command that was refused with this id (--confirm-actions, or confirm in the file of --action-policy), and\n" +
				"prints its result. An id is valid once, for a minute, in its session, and while the page is the same document. Do not give it\n" +
				"to an agent whose commands you confirm: whoever has a shell can run confirm. See --confirm-interactive.",
			Args:  []verb.Arg{{Name: "id", Required: true, Doc: "the id from the refusal"}},
			Group: verb.GroupSession, Category: verb.CatSession, Marks: verb.Control | verb.TellsPages,
			Examples: []string{"confirm rK7Q2M5XJ3ZB4TNA6WYDLCE2HFU"}},
		{Name: "deny", Summary: "drop a held command",
			Args:  []verb.Arg{{Name: "id", Required: true, Doc: "the id from the refusal"}},
			Group: verb.GroupSession, Category: verb.CatSession, Marks: verb.Control,
			Examples: []string{"deny rK7Q2M5XJ3ZB4TNA6WYDLCE2HFU"}},
		{Name: "relay start", Summary: "serve your own Chrome to CDP clients",
			Help: "Starts the relay, to which usher's extension in your Chrome connects; --browser mine does so by itself. `relay status` shows\n" +
				"what is connected, `get cdp-url` the address for other CDP clients. See docs/relay.md.",
			Flags: []verb.Flag{{Name: "single-active", Kind: verb.Bool, Doc: "one CDP client at a time; GET /client-slot tells whether one is connected"}},
			Group: verb.GroupDebug, Category: verb.CatSession, Marks: verb.Control, Examples: []string{"relay start", "relay start --relay-port 19300"}},
		{Name: "relay stop", Summary: "end the relay", Help: "Ends the relay: the extension detaches from the tabs, and CDP clients are disconnected.",
			Group: verb.GroupDebug, Category: verb.CatSession, Marks: verb.Control | verb.DaemonOptional, Examples: []string{"relay stop"}},
		{Name: "relay status", Summary: "show the relay, the extension and the tabs",
			Group: verb.GroupDebug, Category: verb.CatSession, Marks: verb.Control | verb.DaemonOptional, Examples: []string{"relay status"}},
		{Name: "extension doctor", Summary: "say what is missing before agents can use your own Chrome",
			Help: "Checks whether the extension is written, and is that of this program; whether the relay runs; whether the extension has paired, is\n" +
				"connected, and which version the browser runs; and says what to do. Nothing is changed.",
			Group: verb.GroupDebug, Category: verb.CatSession, Marks: verb.Control | verb.DaemonOptional, Examples: []string{"extension doctor", "extension doctor --json"}},
		{Name: "extension try", Summary: "open a throw-away Chromium that is reached through usher's extension",
			Help: "Starts a Chromium with a fresh profile, in which the extension is loaded and paired, and opens the address. The session then works\n" +
				"in it as it would in your own Chrome, which is not touched. cdpUrl is for Playwright and other CDP clients. `close` ends the\n" +
				"browser, and leaves nothing behind.",
			Args:     []verb.Arg{{Name: "url", Kind: verb.URL, Doc: "the address; a blank page without"}},
			Flags:    []verb.Flag{{Name: "headless", Kind: verb.Bool, Doc: "without a window"}},
			Examples: []string{"extension try https://example.com", "extension try --headless --json"}, Next: []string{"snapshot -i", "close"},
			Group: verb.GroupDebug, Category: verb.CatSession, Marks: verb.Starts | verb.InvalidatesRefs},
		{Name: "extension pair", Summary: "show a code that pairs the extension",
			Help: "Prints a code of eight digits, to be typed into the extension's popup within five minutes. The extension that knows it is the only\n" +
				"one that may connect, until another pairs.",
			Group: verb.GroupDebug, Category: verb.CatSession, Marks: verb.Control, Examples: []string{"extension pair"}},
		{Name: "session list", Summary: "list the open sessions", Examples: []string{"session list"},
			Group: verb.GroupSession, Category: verb.CatSession, Marks: verb.Control | verb.DaemonOptional},
		{Name: "session info", Summary: "show the session and its browser", Examples: []string{"session info"},
			Group: verb.GroupSession, Category: verb.CatSession, Marks: verb.Control | verb.DaemonOptional | verb.TellsPages},
	}}
}

// connectRules checks that one browser is named.
// connected returns what connect does besides: the browser may hold logins, and an app is any program.
func connected(c *verb.Call) []string {
	if c.Has("app") {
		return []string{"state load", "eval"}
	}
	return []string{"state load"}
}

func connectRules(c *verb.Call) *verb.Error {
	switch {
	case c.Has("endpoint") == c.Has("app"):
		return verb.Fail(verb.MissingArgument, "connect needs one of <endpoint> and --app: the browser to use")
	case c.Has("app-arg") && !c.Has("app"):
		return verb.Fail(verb.MissingArgument, "--app-arg needs --app")
	}
	return nil
}
