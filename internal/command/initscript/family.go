// Package initscript has the commands for init scripts: scripts that run in every new document of a session, before the
// scripts of the page.
package initscript

import (
	"strings"

	"github.com/usher-browser/usher/internal/command/run"
	"github.com/usher-browser/usher/internal/verb"
)

// Family returns the commands.
func Family() run.Family {
	return run.Family{Grammar: grammar(), Handlers: map[string]run.Handler{
		"addinitscript":    run.Handle(add),
		"removeinitscript": run.Handle(remove),
		"initscripts":      run.Handle(list),
	}}
}

func grammar() verb.Set {
	return verb.Set{Verbs: []verb.Verb{
		{Name: "addinitscript", Check: addRules, Summary: "run JavaScript in every new document, before the page's own",
			Help: "The script is given as words, with --file, or on standard input with --stdin. It runs in the page's own context, in every\n" +
				"document that loads from now on in any tab, popup and frame of the session, cross-site ones included, until\n" +
				"`removeinitscript` or `close`. Pages that are open have to be reloaded. One with a syntax error is refused. The flag\n" +
				"--init-script adds files before the session's first page.",
			Args: []verb.Arg{{Name: "script", Rest: true, Raw: true, Doc: "the script"}},
			Flags: []verb.Flag{{Name: "file", Kind: verb.Path, Value: "path", Doc: "read the script from this file"},
				{Name: "stdin", Kind: verb.Bool, Doc: "read the script from standard input"}},
			Examples: []string{"addinitscript \"Math.random = () => 0.5\"", "addinitscript --file mock.js", "addinitscript --stdin"}, Next: []string{"reload"},
			Group: verb.GroupState, Category: verb.CatEval, Marks: verb.Starts | verb.ReadsStdin},
		{Name: "removeinitscript", Summary: "end an init script",
			Help:     "Documents that have run it keep what it did.",
			Args:     []verb.Arg{{Name: "id", Required: true, Doc: "what addinitscript printed, or initscripts lists"}},
			Examples: []string{"removeinitscript 1"},
			Group:    verb.GroupState, Category: verb.CatEval, Marks: verb.NeedsBrowser},
		{Name: "initscripts", Summary: "list the init scripts of the session",
			Help:     "In the order in which they run: those of addinitscript, --init-script and --enable.",
			Examples: []string{"initscripts"},
			Group:    verb.GroupState, Category: verb.CatLogs, Marks: verb.NeedsBrowser | verb.Control | verb.WorksOffline},
	}}
}

func addRules(c *verb.Call) *verb.Error {
	n := 0
	for _, given := range []bool{c.Has("script"), c.Has("file"), c.Bool("stdin")} {
		if given {
			n++
		}
	}
	switch {
	case n > 1:
		return verb.Invalid("addinitscript takes one script: as words, with --file, or with --stdin")
	case n == 0 || c.Has("script") && strings.TrimSpace(c.Str("script")) == "":
		return &verb.Error{Code: verb.MissingArgument, Message: "addinitscript needs a script: as words, with --file, or with --stdin"}
	}
	return nil
}
