// Package source has the commands that say which source files a part of a page, or a request, comes from.
package source

import (
	"strconv"

	"github.com/usher-browser/usher/internal/command/run"
	"github.com/usher-browser/usher/internal/source"
	"github.com/usher-browser/usher/internal/verb"
)

// Family returns the commands.
func Family() run.Family {
	return run.Family{Grammar: grammar(), Handlers: map[string]run.Handler{
		"source lookup":  run.Handle(lookup),
		"network source": run.Handle(networkSource),
	}}
}

func maxFiles() verb.Flag {
	return verb.Flag{Name: "max-files", Kind: verb.Int, Value: "n", Min: 1, Max: source.MostFiles, Default: strconv.Itoa(source.DefaultFiles), Doc: "how many files of the workspace are searched"}
}

func grammar() verb.Set {
	return verb.Set{Families: []verb.Family{
		{Name: "source", Summary: "source files that parts of the page come from"},
	}, Verbs: []verb.Verb{
		{Name: "source lookup", Check: lookupRules, Summary: "the source files that an element or a component comes from",
			Help: "Candidates with a confidence and the evidence for it: from React's data, through source maps, in development and production builds;\n" +
				"from attributes such as data-source-file; from the rules of style sheets; from declarations in the workspace, which is the working\n" +
				"directory without .git, node_modules, dist, build, coverage, .next, out, tmp and temp. Symbolic links are not followed.",
			Flags: []verb.Flag{{Name: "selector", Kind: verb.Selector, Value: "sel", Doc: "an element"},
				{Name: "react-id", Kind: verb.Int, Value: "id", Min: 1, Max: 1 << 30, Doc: "a component, by its id of react tree"},
				{Name: "component", Kind: verb.String, Value: "name", Raw: true, Doc: "components of this name"},
				{Name: "no-dom-hints", Kind: verb.Bool, Doc: "do not read attributes and text of the element"}, maxFiles()},
			Examples: []string{"source lookup --selector #total", "source lookup --component OrderList --json"},
			Group:    verb.GroupDebug, Category: verb.CatEval, Marks: verb.OnTab | verb.TakesFrame | verb.TakesRefs},
		{Name: "network source", Check: networkRules, Summary: "the source files that failed requests come from",
			Help: "Looks at requests that failed or were answered with a status of 400 or more, follows the code that made them through source maps,\n" +
				"and searches the workspace for their paths. All values of queries are hidden.",
			Args: []verb.Arg{{Name: "id", Doc: "a request, by its id of network requests"}},
			Flags: []verb.Flag{{Name: "filter", Kind: verb.String, Value: "text", Raw: true, Doc: "requests whose address contains this"},
				{Name: "url", Kind: verb.String, Value: "address", Raw: true, Doc: "requests to this address"}, maxFiles()},
			Examples: []string{"network source --filter /api/", "network source 1234.56"},
			Group:    verb.GroupWatch, Category: verb.CatNetwork, Marks: verb.OnTab},
	}}
}

func lookupRules(c *verb.Call) *verb.Error {
	if !c.Has("selector") && !c.Has("react-id") && !c.Has("component") {
		return verb.Fail(verb.MissingArgument, "source lookup needs --selector, --react-id or --component: what to look up")
	}
	return nil
}

func networkRules(c *verb.Call) *verb.Error {
	if !c.Has("id") && !c.Has("filter") && !c.Has("url") {
		return verb.Fail(verb.MissingArgument, "network source needs <id>, --filter or --url: which requests")
	}
	return nil
}

// Candidate is a place that the subject may come from.
type Candidate struct {
	// Source is react-inspect, dom-attribute, css-rule, initiator or workspace-search.
	Source     string `json:"source"`
	Confidence string `json:"confidence"` // high, medium or low
	// Evidence says how it was found.
	Evidence []string `json:"evidence"`
	// File is relative to the workspace if it is there, else as a source map, an attribute or the browser names it.
	File          string `json:"file,omitzero"`
	Line          int    `json:"line,omitzero"`   // from 1
	Column        int    `json:"column,omitzero"` // from 1
	ComponentName string `json:"componentName,omitzero"`
	RequestURL    string `json:"requestUrl,omitzero"` // without values of its query
	// InWorkspace reports whether File was found in the workspace.
	InWorkspace bool `json:"inWorkspace,omitzero"`
}

const (
	high   = "high"
	medium = "medium"
	low    = "low"

	maxCandidates = 40
)

func (c *Candidate) String() string {
	text := c.Source + " (" + c.Confidence + ")"
	if c.ComponentName != "" {
		text += " " + c.ComponentName
	}
	if c.File != "" {
		text += "  " + c.File
		if c.Line > 0 {
			text += ":" + strconv.Itoa(c.Line)
			if c.Column > 0 {
				text += ":" + strconv.Itoa(c.Column)
			}
		}
	}
	for _, e := range c.Evidence {
		text += "\n    " + e
	}
	return text
}
