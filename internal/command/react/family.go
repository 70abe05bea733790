// Package react has the commands that read the components of pages made with React 16.9 to 19. They find React's roots by
// what React stores in the elements of the page, in development and in production builds, so that no extension, hook or
// reload is needed; the hook of --enable react-devtools adds what only React itself can tell.
package react

import (
	"github.com/usher-browser/usher/internal/command/run"
	"github.com/usher-browser/usher/internal/plain"
	"github.com/usher-browser/usher/internal/verb"
)

// Family returns the commands.
func Family() run.Family {
	return run.Family{Grammar: grammar(), Handlers: map[string]run.Handler{
		"react tree":     run.Handle(tree),
		"react inspect":  run.Handle(inspect),
		"react renders":  run.Handle(renders),
		"react suspense": run.Handle(suspense),
	}}
}

const reads = verb.OnTab | verb.TakesFrame

func grammar() verb.Set {
	return verb.Set{Families: []verb.Family{
		{Name: "react", Summary: "components of pages made with React"},
	}, Verbs: []verb.Verb{
		{Name: "react tree", Check: idRules, Summary: "components and elements that React has rendered, as a tree",
			Help: "Each row has depth, id, the parent's id, name and key. Ids are for react inspect; each names one component until its document\n" +
				"is replaced. Production builds have the short names that their bundler gave. Of more rows than --limit the deepest are left\n" +
				"out: more=12 counts those below a row, and `react tree <id>` shows them.",
			Args: []verb.Arg{{Name: "id", Doc: "only this component and what is below it"}},
			Flags: []verb.Flag{{Name: "components", Kind: verb.Bool, Doc: "only components, no elements"},
				{Name: "depth", Kind: verb.Int, Value: "n", Min: 0, Max: 10_000, Doc: "only so many levels"},
				{Name: "limit", Kind: verb.Int, Value: "n", Min: 1, Max: 100_000, Default: "1000", Doc: "how many rows"}},
			Examples: []string{"react tree", "react tree --components", "react tree 12 --depth 3", "react tree --frame checkout"}, Next: []string{"react inspect 2"},
			Group: verb.GroupDebug, Category: verb.CatEval, Marks: reads},
		{Name: "react inspect", Check: idRules, Summary: "props, state, hooks, context and source of a component",
			Help: "ref is the first element that the component has rendered. Owners (rendered by) and source are known in development builds\n" +
				"only. Which hook made a value is inferred in production builds.",
			Args:     []verb.Arg{{Name: "id", Required: true, Doc: "an id of react tree"}},
			Examples: []string{"react inspect 12"},
			Group:    verb.GroupDebug, Category: verb.CatEval, Marks: reads},
		{Name: "react renders", Summary: "record which components render, how often and why",
			Help: "start begins to record in the page, without a reload, and in documents that load until stop, from their first render. stop\n" +
				"prints what was recorded in the present document. Times need a development or profiling build of React that was loaded\n" +
				"after start or with --enable react-devtools.",
			Args:     []verb.Arg{{Name: "action", Required: true, Choices: []string{"start", "stop"}, Doc: "start or stop"}},
			Examples: []string{"react renders start", "react renders stop"},
			Group:    verb.GroupDebug, Category: verb.CatEval, Marks: reads | verb.ChangesPage},
		{Name: "react suspense", Summary: "suspense boundaries: suspended or not, and what they wait for",
			Flags:    []verb.Flag{{Name: "only-dynamic", Kind: verb.Bool, Doc: "only boundaries that are suspended, or were"}},
			Examples: []string{"react suspense", "react suspense --only-dynamic"},
			Group:    verb.GroupDebug, Category: verb.CatEval, Marks: reads},
	}}
}

// idRules checks the id of a component.
func idRules(c *verb.Call) *verb.Error {
	if c.Has("id") && idOf(c) <= 0 {
		return verb.Invalid(c.Verb.Name+": the id must be a number, and "+plain.Quote(c.Str("id"))+" is none", "`react tree` lists ids.").About("<id>", c.Str("id"))
	}
	return nil
}
