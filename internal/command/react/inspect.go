package react

import (
	"context"
	"fmt"
	"strings"

	"github.com/usher-browser/usher/internal/command/run"
	"github.com/usher-browser/usher/internal/verb"
)

// Component is the result of `react inspect`. Values are JavaScript as text, shortened.
type Component struct {
	ID    int     `json:"id"`
	Name  string  `json:"name"`
	Kind  string  `json:"kind"` // function, class, memo, forwardRef, element, context, suspense, portal, ...
	Key   *string `json:"key"`
	Props []Value `json:"props"`
	State []Value `json:"state"` // of a class
	Hooks []Value `json:"hooks"` // in their order; the name is that of the hook, without use
	// Inferred reports that React does not say which hooks these are, as in production builds: the names follow from what
	// they hold.
	Inferred  bool    `json:"inferred"`
	Context   []Value `json:"context"`      // that the component has read
	Ref       string  `json:"ref,omitzero"` // of the first element that it has rendered
	Element   *string `json:"element"`      // that element: tag, id, classes
	Elements  int     `json:"elements"`     // how many such elements there are, side by side
	Owners    []Named `json:"owners"`       // rendered by; nearest first; development builds only
	Parents   []Named `json:"parents"`      // the components around it, nearest first
	Suspended bool    `json:"suspended"`    // a suspense boundary that shows its fallback
	Source    *Source `json:"source"`       // where it was rendered; development builds only
	Version   string  `json:"version"`
	Build     string  `json:"build"`
	Text      string  `json:"text"` // the report
	// MoreProps and MoreState count what is left out.
	MoreProps int `json:"moreProps,omitzero"`
	MoreState int `json:"moreState,omitzero"`
}

// Value is a named value.
type Value struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Named is a component; the ID is 0 for one that is not in the tree, as a component of the server.
type Named struct {
	ID   int    `json:"id"`
	Name string `json:"name"`
}

// Source is a place in a script: in the original file until React 18, in the loaded script with 19.
type Source struct {
	URL    string `json:"url"`
	Line   int    `json:"line"`
	Column int    `json:"column"`
}

func inspect(ctx context.Context, e *run.Env, c *verb.Call) (run.Reply[*Component], error) {
	ctx, in, done, err := enter(ctx, e, "react inspect")
	if err != nil {
		return run.Reply[*Component]{}, err
	}
	defer done()
	var got *Component
	if err := in.call(ctx, &got, "inspect", idOf(c)); err != nil {
		return run.Reply[*Component]{}, err
	}
	if got == nil {
		return run.Reply[*Component]{}, in.unmounted(idOf(c))
	}
	if err := in.numbered(ctx); err != nil {
		return run.Reply[*Component]{}, err
	}
	if got.Element != nil {
		if got.Ref, err = in.ref(ctx, got.ID); err != nil {
			return run.Reply[*Component]{}, e.Explain(err, in.doing)
		}
	}
	got.Text = got.report()
	return run.Reply[*Component]{Data: got, Text: got.Text}, nil
}

// report is the text for people.
func (d *Component) report() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s #%d", run.OneLine(d.Name), d.ID)
	if d.Kind != "function" {
		fmt.Fprintf(&b, " (%s)", d.Kind)
	}
	if d.Key != nil {
		fmt.Fprintf(&b, " key=%q", run.OneLine(*d.Key))
	}
	section := func(title string, list []Value, more int, numbered bool) {
		if len(list) == 0 {
			return
		}
		b.WriteString("\n" + title + ":")
		for i, v := range list {
			name := run.OneLine(v.Name)
			if numbered {
				name = fmt.Sprintf("[%d] %s", i, name)
			}
			b.WriteString("\n  " + name + ": " + run.OneLine(v.Value))
		}
		if more > 0 {
			fmt.Fprintf(&b, "\n  … %d more", more)
		}
	}
	section("props", d.Props, d.MoreProps, false)
	section("state", d.State, d.MoreState, false)
	title := "hooks"
	if d.Inferred {
		title = "hooks (names inferred)"
	}
	section(title, d.Hooks, 0, true)
	section("context", d.Context, 0, false)
	if d.Element != nil {
		fmt.Fprintf(&b, "\nelement: %s %s", d.Ref, run.OneLine(*d.Element))
		if d.Elements > 1 {
			fmt.Fprintf(&b, " and %d more", d.Elements-1)
		}
	}
	if d.Source != nil {
		fmt.Fprintf(&b, "\nsource: %s:%d:%d", run.OneLine(d.Source.URL), d.Source.Line, d.Source.Column)
	}
	if len(d.Owners) > 0 {
		b.WriteString("\nrendered by: " + chain(d.Owners))
	}
	if len(d.Parents) > 0 {
		b.WriteString("\ninside: " + chain(d.Parents))
	}
	fmt.Fprintf(&b, "\nReact %s, %s build", run.OneLine(d.Version), d.Build)
	return b.String()
}

// chain lists components, nearest first.
func chain(list []Named) string {
	var out []string
	for _, n := range list {
		text := run.OneLine(n.Name)
		if n.ID != 0 {
			text += fmt.Sprintf(" #%d", n.ID)
		}
		out = append(out, text)
	}
	return strings.Join(out, " < ")
}
