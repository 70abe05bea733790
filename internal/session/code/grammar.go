package code

import "github.com/usher-browser/usher/internal/verb"

// The bounds of the time of a run (oh-my-pi's).
const (
	minTimeout     = 1 // seconds
	maxTimeout     = 300
	defaultTimeout = 30
)

// Grammar returns the grammar of the commands that run code.
func Grammar() verb.Set {
	return verb.Set{Verbs: []verb.Verb{
		{Name: "run", Check: rules, Summary: "run JavaScript that drives the tab",
			Help: "Runs the file, standard input (-) or the text of --code as the body of an async function with `tab`, `page`, `browser`,\n" +
				"`display(value)`, `assert(condition, text)`, `wait(ms)` and `console`. It runs in a process of its own, not in the page and\n" +
				"not in Node: there are no files, modules or network. `page` has the methods of Playwright and Puppeteer that scripts use;\n" +
				"their calls are the commands of usher, and wait for elements as those do. What is displayed or logged is printed, then the\n" +
				"returned value. The time is 30 s unless --timeout is given, 300 s at most. See docs/code.md.",
			Args: []verb.Arg{{Name: "file", Doc: "a file with the code, or - for standard input"}},
			Flags: []verb.Flag{{Name: "code", Short: "c", Kind: verb.String, Value: "code", Doc: "the code itself, in place of a file"},
				{Name: "tab", Kind: verb.String, Value: "tab", Doc: "id (t2), label or target id of another tab"}},
			Examples: []string{"run steps.js", "run - --tab t2 --timeout 60s", "run -c \"await page.goto('https://example.com'); return await page.title()\""},
			Group:    verb.GroupRun, Category: verb.CatEval, Marks: verb.Starts | verb.NeedsBrowser | verb.NeedsTab | verb.ChangesPage | verb.InvalidatesRefs | verb.ReadsStdin | verb.TellsPages},
	}}
}

// rules checks that there is one source of code.
func rules(c *verb.Call) *verb.Error {
	switch {
	case c.Has("file") == c.Has("code"):
		return verb.Fail(verb.MissingArgument, "run needs one of <file> and --code: the JavaScript to run")
	}
	return nil
}
