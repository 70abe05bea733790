package read

import (
	"encoding/base64"
	"strings"

	"github.com/usher-browser/usher/internal/plain"
	"github.com/usher-browser/usher/internal/verb"
	"github.com/usher-browser/usher/internal/view/outline"
)

// grammarSnapshot x
func grammarSnapshot() verb.Set {
	return verb.Set{Verbs: []verb.Verb{
		{Name: "snapshot", Check: snapshotRules, Summary: "the page as an outline with refs to act on",
			Help: "Prints roles, names, states and refs (@e4) of the page and its frames in document order. A ref is valid until its element\n" +
				"is removed or the document is replaced.\n" +
				"--delta prints only changes since the last snapshot of this tab with the same options; unchanged rows are counted, removed\n" +
				"refs are listed. Without an earlier snapshot, or if it is shorter, the whole page is printed.\n" +
				"--budget limits the output to an estimated number of tokens: dialogs, focus, invalid fields, visible content, headings,\n" +
				"landmarks and controls come first. Omitted rows are counted, with the command that shows them. With --delta it limits the delta.",
			Args: []verb.Arg{{Name: "scope", Kind: verb.Selector, Doc: "only this element and its descendants; same as --selector"}},
			Flags: []verb.Flag{
				{Name: "interactive", Short: "i", Kind: verb.Bool, Doc: "only elements that can be acted on, headings and table cells"},
				{Name: "compact", Short: "c", Kind: verb.Bool, Doc: "omit containers that have neither text nor a ref"},
				{Name: "depth", Short: "d", Kind: verb.Int, Value: "n", Min: 1, Doc: "only this many levels; omitted parts are marked"},
				{Name: "selector", Short: "s", Kind: verb.Selector, Value: "sel", Doc: "only this element and its descendants"},
				{Name: "urls", Short: "u", Kind: verb.Bool, Doc: "add the address to every link"},
				{Name: "delta", Kind: verb.Bool, Doc: "only what changed since the last snapshot with the same options"},
				{Name: "full", Kind: verb.Bool, Doc: "with --delta: everything after all, to begin anew"},
				{Name: "find", Value: "words|/re/", Doc: "only lines that contain these words or match this expression, with the lines around them"},
				{Name: "budget", Kind: verb.Int, Value: "tokens", Min: 1, Doc: "at most this many tokens: the most important rows; the rest is counted"},
				verb.ReaderFlag(),
				{Name: "cursor", Short: "C", Kind: verb.Bool, Hidden: true, Doc: "accepted for old scripts; clickable elements are always listed"},
			},
			Examples: []string{"snapshot -i", "snapshot -i -c -d 5", "snapshot @e4", "snapshot -s '#main' --urls", "snapshot -i --delta", "snapshot --find \"invoice 1042\"", "snapshot --find '/total: [0-9]+/i'", "snapshot --budget 1000"},
			Next:     []string{"click @e4", "fill @e5 \"some text\""},
			Group:    verb.GroupLook, Category: verb.CatSnapshot, Marks: verb.OnTab | verb.TakesRefs | verb.TakesFrame},
	}}
}

// grammar returns the commands that read from pages.
func grammar() verb.Set {
	const looks = verb.OnTab | verb.TakesRefs | verb.TakesFrame
	sel := []verb.Arg{verb.SelectorArg()}
	get := func(what, summary string, args []verb.Arg, examples ...string) verb.Verb {
		return verb.Verb{Name: "get " + what, Summary: summary, Args: args, Examples: examples, Group: verb.GroupRead, Category: verb.CatGet, Marks: looks}
	}
	is := func(what, summary string) verb.Verb {
		return verb.Verb{Name: "is " + what, Summary: summary, Args: sel, Examples: []string{"is " + what + " @e4"},
			Group: verb.GroupRead, Category: verb.CatGet, Marks: looks}
	}
	title := get("title", "title of the page", nil, "get title")
	title.Marks = verb.OnTab | verb.TakesFrame
	url := get("url", "address of the page", nil, "get url")
	url.Marks = verb.OnTab | verb.TakesFrame
	cdp := get("cdp-url", "address at which CDP clients join the session", nil, "get cdp-url", "get cdp-url --json", "get cdp-url --cdp-clients single-active")
	cdp.Help = "The address of an endpoint on 127.0.0.1 at which CDP clients such as Playwright and Puppeteer join the session, while usher goes\n" +
		"on observing it: they see the session's tabs and no others. The first call starts it; it ends with the session. The address\n" +
		"has a token: whoever knows it controls the session, with cookies and files. A browser with --cdp-port answers the address of\n" +
		"its own port, which gives access to all of the browser. With --cdp-clients single-active a second client is refused while one\n" +
		"is connected (HTTP 409); GET /client-slot at the same port tells whether the place is free. Refused under the site guard, allowed domains and action policies."
	cdp.Marks = verb.NeedsBrowser | verb.Control
	return verb.Set{Families: []verb.Family{
		{Name: "get", Summary: "read one thing from the page"},
		{Name: "is", Summary: "test the state of an element"},
	}, Verbs: []verb.Verb{
		get("text", "visible text of an element", sel, "get text @e4", "get text body"),
		get("html", "HTML inside an element", sel, "get html @e4"),
		get("value", "content of a field", sel, "get value @e5"),
		get("attr", "one attribute of an element", append(sel[:1:1], verb.Arg{Name: "name", Required: true, Doc: "the attribute"}), "get attr @e4 href"),
		get("count", "number of elements that match", sel, "get count li"),
		get("box", "position and size of an element in CSS pixels", sel, "get box @e4"),
		get("styles", "computed styles of an element", sel, "get styles @e4"),
		title, url, cdp,
		{Name: "generate-locator", Summary: "a Playwright locator for an element", Args: sel,
			Help: "Prints what finds the element in a test, such as getByRole('button', { name: 'Save' }): by test id, role and name, label,\n" +
				"placeholder, alt, title or text, whichever is unique in the page now, else with an index, else CSS.",
			Examples: []string{"generate-locator @e4", "generate-locator '#total' --json"},
			Group:    verb.GroupDebug, Category: verb.CatGet, Marks: looks},
		is("visible", "is the element visible"),
		is("enabled", "is the element enabled"),
		is("checked", "is the element checked"),
		{Name: "eval", Check: evalRules, Summary: "run JavaScript in the page and print its value",
			Help: "The script is given as words, as base64 with -b, or on standard input with --stdin. A promise is awaited. Script may\n" +
				"begin with a dash; write -- before script that looks like a flag of usher.",
			Args: []verb.Arg{{Name: "script", Rest: true, Raw: true, Doc: "the script"}},
			Flags: []verb.Flag{{Name: "base64", Short: "b", Kind: verb.String, Value: "b64", Doc: "the script in base64, which needs no quoting in a shell"},
				{Name: "stdin", Kind: verb.Bool, Doc: "read the script from standard input"}},
			Examples: []string{"eval document.title", "eval \"[...document.links].map(a => a.href)\"", "eval --stdin", "eval --frame checkout document.title", "eval -b ZG9jdW1lbnQudGl0bGU="},
			Group:    verb.GroupRead, Category: verb.CatEval, Marks: verb.OnTab | verb.ChangesPage | verb.InvalidatesRefs | verb.ReadsStdin | verb.TakesFrame},
		{Name: "pushstate", Summary: "change the address within the page, as a single-page application does",
			Help: "Uses the router of Next.js if the page has one, else history.pushState and a popstate event. The address must have the\n" +
				"page's origin.",
			Args:     []verb.Arg{{Name: "url", Required: true, Doc: "the address; it may be relative to that of the page"}},
			Examples: []string{"pushstate /cart", "pushstate '?tab=2'"}, Next: []string{"snapshot -i"},
			Group: verb.GroupDebug, Category: verb.CatEval, Marks: verb.OnTab | verb.ChangesPage | verb.InvalidatesRefs},
	}}
}

func snapshotRules(c *verb.Call) *verb.Error {
	if _, err := outline.Pattern(c.Str("find")); err != nil {
		return verb.Invalid("--find: "+plain.Quote(c.Str("find"))+" is no regular expression: "+err.Error(), "The syntax is that of Go (RE2). Without slashes around it, it is plain text.")
	}
	if c.Has("scope") {
		if c.Has("selector") && c.Str("selector") != c.Str("scope") {
			return &verb.Error{Code: verb.InvalidArgument, Message: "The scope is given twice: " + plain.Quote(c.Str("scope")) + " and --selector " + plain.Quote(c.Str("selector"))}
		}
		c.Move("scope", "selector")
	}
	return nil
}

func evalRules(c *verb.Call) *verb.Error {
	n := 0
	for _, way := range [...]struct {
		name, form string
		given      bool
	}{{"script", verb.FormText, c.Has("script")}, {"base64", verb.FormBase64, c.Has("base64")}, {"stdin", verb.FormStdin, c.Bool("stdin")}} {
		if way.given {
			n++
			c.Form = way.form
		}
	}
	switch {
	case n == 0 || c.Form == verb.FormText && strings.TrimSpace(c.Str("script")) == "":
		return &verb.Error{Code: verb.MissingArgument, Message: "eval needs a script: as words, with -b, or with --stdin"}
	case n > 1:
		return &verb.Error{Code: verb.InvalidArgument, Message: "eval takes one script: as words, with -b, or with --stdin"}
	}
	if c.Form == verb.FormBase64 {
		if _, err := base64.StdEncoding.DecodeString(c.Str("base64")); err != nil {
			return verb.Invalid("--base64: "+plain.Quote(c.Str("base64"))+" is not base64: "+err.Error()).About("--base64", c.Str("base64"))
		}
	}
	return nil
}
