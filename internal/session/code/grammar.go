package code

import (
	"github.com/usher-browser/usher/internal/session/code/permit"
	"github.com/usher-browser/usher/internal/verb"
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
				{Name: "tab", Kind: verb.String, Value: "tab", Doc: "id (t2), label or target id of another tab"},
				{Name: "playwright", Kind: verb.Bool, Doc: "with the scope of the tool execute: page, context, state, snapshot(), ...; code that is one expression returns its value"},
				{Name: "keep", Kind: verb.String, Value: "name", Doc: "with --playwright: keep state and what it holds under this name, for the next run"},
				{Name: "reset", Kind: verb.Bool, Doc: "end what is kept under the name of --keep, and code that runs with it"},
				{Name: "intent", Kind: verb.String, Value: "what", Choices: []string{string(permit.Inspect), string(permit.Open), string(permit.Auto)}, Hidden: true, Doc: "what code is about to do in a person's own browser"}},
			Examples: []string{"run steps.js", "run - --tab t2 --timeout 60s", "run -c \"await page.goto('https://example.com'); return await page.title()\"",
				"run --playwright --keep work -c \"state.title = await page.title()\"", "run --reset --keep work"},
			Group: verb.GroupRun, Category: verb.CatEval, Marks: verb.Starts | verb.NeedsBrowser | verb.NeedsTab | verb.ChangesPage | verb.InvalidatesRefs | verb.ReadsStdin | verb.TellsPages},
	}}
}

// rules checks that there is one source of code.
func rules(c *verb.Call) *verb.Error {
	switch {
	case c.Bool("reset") && (c.Has("file") || c.Has("code") || !c.Has("keep")):
		return verb.Fail(verb.MissingArgument, "run --reset needs --keep <name>, and takes no code")
	case c.Bool("reset"):
		return nil
	case c.Has("keep") && !c.Bool("playwright"):
		return verb.Fail(verb.MissingArgument, "run --keep is for code with --playwright")
	case c.Has("file") == c.Has("code"):
		return verb.Fail(verb.MissingArgument, "run needs one of <file> and --code: the JavaScript to run")
	}
	return nil
}
