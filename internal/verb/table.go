package verb

import (
	"slices"
	"sync"
)

// All lists every verb, grouped as help shows them. Callers must not change the slice.
func All() []Verb { return all() }

var all = sync.OnceValue(func() []Verb {
	var out []Verb
	for _, part := range [...][]Verb{navigateVerbs(), lookVerbs(), actVerbs(), findVerbs(), readVerbs(), waitVerbs(), keyVerbs(),
		tabVerbs(), watchVerbs(), webVerbs(), runVerbs(), sessionVerbs(), mcpVerbs(), toolsVerbs()} {
		out = append(out, part...)
	}
	for i := range out {
		if out[i].Is(TakesFrame) {
			out[i].Flags = append(slices.Clip(out[i].Flags), frameFlag())
		}
		if out[i].Is(TellsChanges) {
			out[i].Flags = append(slices.Clip(out[i].Flags), changesFlags()...)
		}
	}
	return out
})

// frameFlag is the frame a verb is to work in, for this one command.
func frameFlag() Flag {
	return Flag{Name: "frame", Kind: String, Value: "frame",
		Doc: "work in this frame: its id, its element's ref, its name, or its address or the beginning of it; main is the whole page"}
}

// changesFlags ask for what became of the page.
func changesFlags() []Flag {
	return []Flag{
		{Name: "changes", Kind: String, Value: "which", Default: "none", Choices: []string{"none", "delta", "full"},
			Doc: "behind the result, once the page has settled: what changed in it (delta), or all of it (full)"},
		{Name: "reader", Value: "name", Hidden: true, Doc: "who reads it: a delta is to what the same reader was told"},
	}
}

// byWord maps every name and synonym to its verb.
var byWord = sync.OnceValue(func() map[string]*Verb {
	m := make(map[string]*Verb, 2*len(All()))
	for i := range All() {
		v := &All()[i]
		m[v.Name] = v
		for _, s := range v.Synonyms {
			m[s] = v
		}
	}
	return m
})

// Find returns the verb with this name or synonym ("click", "goto", "get text"), or nil.
func Find(name string) *Verb { return byWord()[name] }

// Families lists the first words that several verbs share.
func Families() []Family { return families() }

var families = sync.OnceValue(func() []Family {
	return []Family{
		{Name: "get", Summary: "read one thing from the page"},
		{Name: "is", Summary: "ask whether an element is in a state"},
		{Name: "find", Summary: "find by meaning, then act"},
		{Name: "keyboard", Summary: "type where the focus is"},
		{Name: "mouse", Summary: "use the mouse"},
		{Name: "tab", Summary: "list, open, switch and close tabs", Bare: "tab list", Fallback: "tab switch"},
		{Name: "window", Summary: "open windows"},
		{Name: "frame", Summary: "list frames, choose one", Bare: "frame list", Fallback: "frame switch"},
		{Name: "dialog", Summary: "answer alert, confirm and prompt"},
		{Name: "mcp", Summary: "serve agents over the Model Context Protocol", Bare: "mcp serve"},
		{Name: "tools", Summary: "the tools of agents", Bare: "tools list"},
		{Name: "interrupt", Summary: "what the browser waits for, and answers to it", Bare: "interrupt list"},
		{Name: "network", Summary: "list network requests"},
		{Name: "web", Summary: "search the web and read pages without a browser"},
		{Name: "session", Summary: "the sessions", Bare: "session"},
	}
})

func family(name string) *Family {
	for i := range Families() {
		if Families()[i].Name == name {
			return &Families()[i]
		}
	}
	return nil
}

// selectorArg is the element an action is about.
func selectorArg() Arg {
	return Arg{Name: "selector", Kind: Selector, Required: true,
		Doc: "a ref from the last snapshot (@e4), CSS, xpath=... or text=..."}
}

func optional(a Arg) Arg {
	a.Required = false
	return a
}

// onTab is what every verb needs that works on the active tab.
const onTab = NeedsBrowser | NeedsTab
