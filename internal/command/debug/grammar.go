package debug

import (
	"github.com/usher-browser/usher/internal/verb"
)

// grammar returns the grammar of the commands that measure and examine pages.
func grammar() verb.Set {
	path := []verb.Arg{{Name: "path", Kind: verb.Path, Doc: "where to save; default: a new file of usher's own"}}
	return verb.Set{Families: []verb.Family{
		{Name: "trace", Summary: "record what the browser does"},
		{Name: "profiler", Summary: "record a performance profile"},
	}, Verbs: []verb.Verb{
		{Name: "vitals", Synonyms: []string{"web-vitals"}, Summary: "web vitals of the page: LCP, CLS, INP, FCP, TTFB",
			Help: "Reads what the browser has recorded since the document began to load, without reloading it. A warning says what is not known.\n" +
				"With an address, or with --reload, the page is loaded first.",
			Args:     []verb.Arg{{Name: "url", Kind: verb.URL, Doc: "open this address first"}},
			Flags:    []verb.Flag{{Name: "reload", Kind: verb.Bool, Doc: "reload the page first"}},
			Examples: []string{"vitals", "vitals --reload", "vitals example.com --json"},
			Group:    verb.GroupDebug, Category: verb.CatNavigate, Marks: verb.Starts | verb.ChangesPage | verb.InvalidatesRefs},
		{Name: "a11y", Check: a11yRules, Also: func(*verb.Call) []string { return []string{"get html"} }, Summary: "accessibility audit with axe-core",
			Help: "Examines the page and its frames, cross-site ones included, and lists the rules that elements break, with what would repair\n" +
				"them. axe-core is built in; it runs in a script context of its own and makes no requests. With an address, that is opened first.",
			Args: []verb.Arg{{Name: "url", Kind: verb.URL, Doc: "open this address first"}},
			Flags: []verb.Flag{
				{Name: "tags", Value: "names", Multi: verb.CSV, Doc: "only rules with one of these tags, such as wcag2a or best-practice"},
				{Name: "selector", Short: "s", Kind: verb.Selector, Value: "css", Doc: "only these elements and what is in them"},
			},
			Examples: []string{"a11y", "a11y example.com --tags wcag2a,wcag2aa", "a11y -s '#main' --json"},
			Group:    verb.GroupDebug, Category: verb.CatNavigate, Marks: verb.Starts | verb.ChangesPage | verb.InvalidatesRefs},
		{Name: "inspect", Summary: "open DevTools for the tab",
			Help: "In a headed browser DevTools opens in a window. Otherwise it is served on 127.0.0.1, and the address printed: open it in\n" +
				"Chromium or Chrome on this machine. Whoever knows the address controls the session's tabs; it is valid until inspect --stop,\n" +
				"or the end of the session. Commands go on working meanwhile, but not in a page that DevTools has paused. Other CDP clients\n" +
				"can use webSocketDebuggerUrl, too, which --json prints. The site guard, always on for agents, refuses it.",
			Flags: []verb.Flag{{Name: "serve", Kind: verb.Bool, Doc: "serve it, also if the browser has windows"},
				{Name: "stop", Kind: verb.Bool, Doc: "end serving it, and disconnect who uses it"}},
			Examples: []string{"inspect", "inspect --serve --json", "inspect --stop"},
			Group:    verb.GroupDebug, Category: verb.CatEval, Marks: verb.OnTab | verb.Control},
		{Name: "trace start", Prepares: verb.Always, Summary: "begin to record trace events of the page and the browser",
			Help: "Records events of all categories that are on by default, and those of the Performance panel of DevTools. The processes are\n" +
				"those of the page, the browser and the GPU. A browser records one trace or profile at a time. A session without a browser\n" +
				"gets one, so that the first page is recorded from its beginning.",
			Examples: []string{"trace start"}, Next: []string{"trace stop"},
			Group: verb.GroupDebug, Category: verb.CatLogs, Marks: verb.OnTab},
		{Name: "trace stop", Summary: "end the trace and save it as JSON",
			Help: "The file can be loaded into the Performance panel of DevTools and into https://ui.perfetto.dev. It contains addresses and\n" +
				"other data of the page; only its owner can read it.",
			Args: path, Examples: []string{"trace stop", "trace stop trace.json"},
			Group: verb.GroupDebug, Category: verb.CatLogs, Marks: verb.OnTab | verb.SavesFiles},
		{Name: "profiler start", Prepares: verb.Always, Summary: "begin to record a performance profile of the page",
			Help: "Records what the Performance panel of DevTools records: scripts with a CPU profile, rendering, painting, garbage collection,\n" +
				"user timing. Like trace start, it starts a browser in a session that has none.",
			Flags:    []verb.Flag{{Name: "categories", Value: "names", Multi: verb.CSV, Doc: "these categories of trace events instead"}},
			Examples: []string{"profiler start", "profiler start --categories devtools.timeline,v8.execute,blink.user_timing"}, Next: []string{"profiler stop"},
			Group: verb.GroupDebug, Category: verb.CatLogs, Marks: verb.OnTab},
		{Name: "profiler stop", Summary: "end the profile and save it as JSON",
			Help: "The file has the format of trace stop.",
			Args: path, Examples: []string{"profiler stop", "profiler stop profile.json"},
			Group: verb.GroupDebug, Category: verb.CatLogs, Marks: verb.OnTab | verb.SavesFiles},
	}}
}
