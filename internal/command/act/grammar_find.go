package act

import (
	"strings"

	"github.com/usher-browser/usher/internal/plain"
	"github.com/usher-browser/usher/internal/verb"
)

// grammarFind returns the commands that find by meaning, then act.
func grammarFind() verb.Set {
	const marks = verb.OnTab | verb.ChangesPage | verb.InvalidatesRefs | verb.TakesFrame | verb.ReportsChanges
	action := verb.Arg{Name: "action", Choices: FindActions(), Doc: "what to do with it; default: click"}
	text := verb.Arg{Name: "text", Rest: true, Raw: true, Doc: "the text for fill and type, the option for select"}
	exact := verb.Flag{Name: "exact", Kind: verb.Bool, Doc: "match the whole text and its case; otherwise a part is sufficient, case-insensitive"}
	make1 := func(name, summary, doc string, flags []verb.Flag, examples ...string) verb.Verb {
		return verb.Verb{Name: "find " + name, Check: findRules, Summary: summary,
			Args:     []verb.Arg{{Name: "value", Required: true, Raw: true, Doc: doc}, action, text},
			Flags:    flags,
			Examples: examples, Next: []string{"snapshot -i"}, Group: verb.GroupFind, Category: verb.CatInteract, Marks: marks}
	}
	name := verb.Flag{Name: "name", Kind: verb.String, Value: "text", Raw: true, Doc: "only an element whose accessible name contains this; without a name, what a snapshot shows in its place"}
	verbs := []verb.Verb{
		make1("role", "by role and, with --name, name", "an ARIA role such as button or link", []verb.Flag{name, exact},
			"find role button click --name Submit", "find role textbox fill \"Ada\" --name \"First name\" --exact"),
		make1("text", "by visible text", "visible text of the element", []verb.Flag{exact}, "find text \"Sign in\" click"),
		make1("label", "a field by its label", "text of the label", []verb.Flag{exact}, "find label Email fill ada@example.com", "find label Country select France"),
		make1("placeholder", "a field by its placeholder", "text of the placeholder", []verb.Flag{exact}, "find placeholder Search type weather"),
		make1("alt", "an image by its alternative text", "the alternative text", []verb.Flag{exact}, "find alt Logo click"),
		make1("title", "by title", "the title", []verb.Flag{exact}, "find title Close click"),
		make1("testid", "by data-testid", "the value of data-testid", nil, "find testid submit-order click"),
	}
	for _, which := range [...]string{"first", "last"} {
		v := make1(which, "the "+which+" match of a selector", "CSS, xpath=... or text=...", nil, "find "+which+" '.card a' click")
		v.Args[0].Kind = verb.Selector
		v.Args[0].Name = "selector"
		v.Marks |= verb.TakesRefs
		verbs = append(verbs, v)
	}
	nth := make1("nth", "a match of a selector by its index, from 0", "", nil, "find nth 2 '.card a' click", "find nth -1 li text")
	nth.Args = []verb.Arg{{Name: "index", Kind: verb.Int, Required: true, Doc: "0 is the first, -1 the last"},
		{Name: "selector", Kind: verb.Selector, Required: true, Doc: "CSS, xpath=... or text=..."}, action, text}
	nth.Marks |= verb.TakesRefs
	return verb.Set{Families: []verb.Family{{Name: "find", Summary: "find by meaning, then act"}}, Verbs: append(verbs, nth)}
}

// FindActions returns the actions of find for the element it found. Each is the verb of the same name, except text,
// which is "get text".
func FindActions() []string {
	return []string{"click", "fill", "check", "hover", "text", "dblclick", "type", "uncheck", "focus", "select"}
}

// takesText reports whether an action of find needs a text.
func takesText(action string) bool { return action == "fill" || action == "type" || action == "select" }

func findRules(c *verb.Call) *verb.Error {
	action := c.Str("action")
	if action == "" {
		action = "click"
	}
	wants := takesText(action)
	switch {
	case wants && !c.Has("text"):
		what := "what to enter"
		if action == "select" {
			what = "the value or label of the option"
		}
		return &verb.Error{Code: verb.MissingArgument, Message: action + " needs <text>: " + what}
	case !wants && c.Has("text"):
		if c.LeaveOut("text") {
			break
		}
		return &verb.Error{Code: verb.InvalidArgument, Message: plain.Quote(c.Str("text")) + " is one argument too many: " + action + " takes no text"}
	case c.Verb.Name != "find nth" && strings.TrimSpace(c.Str(c.Verb.Args[0].Name)) == "":
		return verb.Invalid("<" + c.Verb.Args[0].Name + ">: empty text matches nothing")
	}
	c.Set("action", action)
	return nil
}
