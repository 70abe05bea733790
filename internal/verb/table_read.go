package verb

func findVerbs() []Verb {
	const marks = onTab | ChangesPage | InvalidatesRefs | TakesFrame | TellsChanges
	action := Arg{Name: "action", Choices: FindActions(), Doc: "what to do with it; click when left out"}
	text := Arg{Name: "text", Rest: true, Raw: true, Doc: "the text for fill and type"}
	exact := Flag{Name: "exact", Kind: Bool, Doc: "the whole text, in the same case"}
	make1 := func(name, summary, doc string, flags []Flag, examples ...string) Verb {
		return Verb{Name: "find " + name, Summary: summary,
			Args:     []Arg{{Name: "value", Required: true, Raw: true, Doc: doc}, action, text},
			Flags:    flags,
			Examples: examples, Next: []string{"snapshot -i"}, Group: GroupFind, Category: CatInteract, Marks: marks}
	}
	name := Flag{Name: "name", Kind: String, Value: "text", Raw: true, Doc: "only an element whose accessible name contains this"}
	verbs := []Verb{
		make1("role", "by role, and with --name by name", "an ARIA role such as button or link", []Flag{name, exact},
			"find role button click --name Submit", "find role textbox fill \"Ada\" --name \"First name\" --exact"),
		make1("text", "by visible text", "text that the element shows", []Flag{exact}, "find text \"Sign in\" click"),
		make1("label", "a field by its label", "text of the label", []Flag{exact}, "find label Email fill ada@example.com"),
		make1("placeholder", "a field by its placeholder", "text of the placeholder", []Flag{exact}, "find placeholder Search type weather"),
		make1("alt", "a picture by its alternative text", "the alternative text", []Flag{exact}, "find alt Logo click"),
		make1("title", "by title", "the title", []Flag{exact}, "find title Close click"),
		make1("testid", "by data-testid", "the value of data-testid", nil, "find testid submit-order click"),
	}
	for _, which := range [...]string{"first", "last"} {
		v := make1(which, "the "+which+" match of a selector", "CSS, xpath=... or text=...", nil, "find "+which+" '.card a' click")
		v.Args[0].Kind = Selector
		v.Args[0].Name = "selector"
		v.Marks |= TakesRefs
		verbs = append(verbs, v)
	}
	nth := make1("nth", "one of the matches of a selector, counted from 0", "", nil, "find nth 2 '.card a' click", "find nth -1 li text")
	nth.Args = []Arg{{Name: "index", Kind: Int, Required: true, Doc: "0 is the first, -1 the last"},
		{Name: "selector", Kind: Selector, Required: true, Doc: "CSS, xpath=... or text=..."}, action, text}
	nth.Marks |= TakesRefs
	return append(verbs, nth)
}

// FindActions lists what find can do with the element it found. Each is the verb of the same name, except text, which is
// "get text".
func FindActions() []string {
	return []string{"click", "dblclick", "fill", "type", "check", "uncheck", "hover", "focus", "text"}
}

func readVerbs() []Verb {
	const looks = onTab | TakesRefs | TakesFrame
	sel := []Arg{selectorArg()}
	get := func(what, summary string, args []Arg, examples ...string) Verb {
		return Verb{Name: "get " + what, Summary: summary, Args: args, Examples: examples, Group: GroupRead, Category: CatGet, Marks: looks}
	}
	is := func(what, summary string) Verb {
		return Verb{Name: "is " + what, Summary: summary, Args: sel, Examples: []string{"is " + what + " @e4"},
			Group: GroupRead, Category: CatGet, Marks: looks}
	}
	title := get("title", "title of the page", nil, "get title")
	title.Marks = onTab | TakesFrame
	url := get("url", "address of the page", nil, "get url")
	url.Marks = onTab | TakesFrame
	cdp := get("cdp-url", "address at which other tools can reach this browser", nil, "get cdp-url", "get cdp-url --json")
	cdp.Help = "Browsers that usher launches have a debugging port only with --cdp-port, as in `open example.com --cdp-port 0`. Any user and\n" +
		"program of this machine can read all cookies and pages of the browser, and your files, through that port; such a session\n" +
		"has a browser process of its own. Under the site guard, so for agents, both are refused."
	cdp.Marks = NeedsBrowser | Control
	return []Verb{
		get("text", "visible text of an element", sel, "get text @e4", "get text body"),
		get("html", "HTML inside an element", sel, "get html @e4"),
		get("value", "content of a field", sel, "get value @e5"),
		get("attr", "one attribute of an element", append(sel[:1:1], Arg{Name: "name", Required: true, Doc: "the attribute"}), "get attr @e4 href"),
		get("count", "number of elements that match", sel, "get count li"),
		get("box", "place and size of an element in CSS pixels", sel, "get box @e4"),
		get("styles", "computed styles of an element", sel, "get styles @e4"),
		title, url, cdp,
		is("visible", "is the element visible"),
		is("enabled", "is the element enabled"),
		is("checked", "is the element checked"),
		{Name: "eval", Summary: "run JavaScript in the page and print its value",
			Help: "The script is given as words, as base64 with -b, or on standard input with --stdin. A promise is waited for. Text that\n" +
				"begins with a dash is script; write -- before script that reads like a flag of usher.",
			Args: []Arg{{Name: "script", Rest: true, Raw: true, Doc: "the script"}},
			Flags: []Flag{{Name: "base64", Short: "b", Kind: String, Value: "b64", Doc: "the script in base64, safe from every shell"},
				{Name: "stdin", Kind: Bool, Doc: "read the script from standard input"}},
			Examples: []string{"eval document.title", "eval \"[...document.links].map(a => a.href)\"", "eval --stdin", "eval --frame checkout document.title", "eval -b ZG9jdW1lbnQudGl0bGU="},
			Group:    GroupRead, Category: CatEval, Marks: onTab | ChangesPage | InvalidatesRefs | ReadsStdin | TakesFrame},
	}
}

func waitVerbs() []Verb {
	return []Verb{
		{Name: "wait", Summary: "wait for an element, a time, text, an address, a load state, a script or a download",
			Help: "Give exactly one condition. A bare number is milliseconds. In --url, * matches anything; text without * matches as a substring.\n" +
				"--download returns each download once, oldest first: running ones, those that ended since the last command that may change\n" +
				"the page, or the next one.",
			Args: []Arg{{Name: "target", Doc: "an element, or a time such as 500 or 2s"}},
			Flags: []Flag{
				{Name: "state", Kind: String, Value: "state", Default: "visible", Choices: []string{"visible", "hidden", "attached", "detached"}, Doc: "the state in which the element is awaited"},
				{Name: "text", Short: "t", Kind: String, Value: "text", Raw: true, Doc: "wait until the page shows this text"},
				{Name: "url", Short: "u", Kind: String, Value: "glob", Doc: "wait until the address matches"},
				{Name: "load", Short: "l", Kind: String, Value: "state", Choices: []string{"load", "domcontentloaded", "networkidle"}, Doc: "wait until the page has come this far"},
				{Name: "fn", Short: "f", Kind: String, Value: "js", Raw: true, Doc: "wait until this expression is true"},
				{Name: "download", Short: "d", Kind: Path, Value: "path", Optional: true, Doc: "wait for a download, and move it here when a path is given"},
			},
			Examples: []string{"wait @e4", "wait '#paid' --frame checkout", "wait '#spinner' --state hidden", "wait 500", "wait --text \"Order placed\"", "wait --url '**/thanks'",
				"wait --load networkidle", "wait --fn \"window.ready === true\"", "wait --download report.csv --timeout 60s"},
			Next:  []string{"snapshot -i"},
			Group: GroupWait, Category: CatWait, Marks: onTab | TakesRefs | SavesFiles | TakesFrame | TellsChanges},
	}
}
