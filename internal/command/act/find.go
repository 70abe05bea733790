package act

import (
	"context"
	"fmt"
	"strings"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/command/run"
	"github.com/usher-browser/usher/internal/element"
	"github.com/usher-browser/usher/internal/element/locate"
	"github.com/usher-browser/usher/internal/verb"
)

// finders returns the commands that find by meaning, then act.
func finders() map[string]run.Handler {
	all := map[string]run.Handler{}
	for _, by := range []locate.By{
		locate.ByRole, locate.ByText, locate.ByLabel, locate.ByPlaceholder, locate.ByAlt, locate.ByTitle, locate.ByTestID,
	} {
		all["find "+string(by)] = run.Handle(func(ctx context.Context, e *run.Env, c *verb.Call) (run.Reply[*Found], error) {
			t := locate.Target{By: by, Value: c.Str("value"), Frame: e.Scope(e.Tab), Strict: e.Settings.Strict, Timeout: e.Limit, Command: "find"}
			if by != locate.ByTestID {
				t.Exact = c.Bool("exact")
			}
			if by == locate.ByRole {
				t.Name = c.Str("name")
			}
			return find(ctx, e, c, t)
		})
	}
	nth := func(which func(*verb.Call) int) run.Handler {
		return run.Handle(func(ctx context.Context, e *run.Env, c *verb.Call) (run.Reply[*Found], error) {
			return findNth(ctx, e, c, which(c))
		})
	}
	all["find first"] = nth(func(*verb.Call) int { return 0 })
	all["find last"] = nth(func(*verb.Call) int { return -1 })
	all["find nth"] = nth(func(c *verb.Call) int { return c.Int("index") })
	return all
}

func findNth(ctx context.Context, e *run.Env, c *verb.Call, nth int) (run.Reply[*Found], error) {
	t, err := e.Target(c, "selector")
	if err != nil {
		return run.Reply[*Found]{}, err
	}
	t.Nth = &nth
	return find(ctx, e, c, t)
}

// find does with the element that was found what the verb of that name does.
func find(ctx context.Context, e *run.Env, c *verb.Call, t locate.Target) (run.Reply[*Found], error) {
	action, text := c.Str("action"), c.Rest("text")
	if action == "" {
		action = "click"
	}
	if (action == "fill" || action == "type") && !c.Has("text") {
		return run.Reply[*Found]{}, api.Errorf(api.MissingArgument, "%s %s: %s needs text", c.Verb.Name, strings.Join(c.Argv(), " "), action)
	}
	doing := c.Verb.Name + ": " + action
	if action == "text" {
		var got string
		err := e.Act(ctx, doing, func(ctx context.Context, a *element.Actor) (err error) { got, err = a.Text(ctx, t); return err })
		return run.Reply[*Found]{Data: &Found{Text: &got, Origin: e.Origin()}, Text: got}, err
	}
	data := &Found{}
	return run.ActOn(ctx, e, doing, data, func(ctx context.Context, a *element.Actor) (element.Outcome, error) {
		out, err := act(ctx, a, t, action, text)
		if err == nil {
			data.set(action, fmt.Sprintf("@e%d", e.RefOf(out.Element)), text)
		}
		return out, err
	})
}

// set notes what the action was done to, in the member that the command of that name has for it.
func (f *Found) set(action, ref, text string) {
	switch action {
	case "click", "dblclick":
		f.Clicked = ref
	case "fill":
		f.Filled = ref
	case "type":
		f.Typed = text
	case "check":
		f.Checked = ref
	case "uncheck":
		f.Unchecked = ref
	case "hover":
		f.Hovered = ref
	case "focus":
		f.Focused = ref
	}
}

func act(ctx context.Context, a *element.Actor, t locate.Target, action, text string) (element.Outcome, error) {
	switch action {
	case "click":
		return a.Click(ctx, t, element.ClickOptions{})
	case "dblclick":
		return a.Click(ctx, t, element.ClickOptions{Count: 2})
	case "fill":
		out, err := a.Fill(ctx, t, text)
		return out.Outcome, err
	case "type":
		out, err := a.Type(ctx, t, text, element.TypeOptions{})
		return out.Outcome, err
	case "check", "uncheck":
		out, err := a.Check(ctx, t, action == "check")
		return out.Outcome, err
	case "hover":
		return a.Hover(ctx, t)
	case "focus":
		el, err := a.Focus(ctx, t)
		return element.Outcome{Element: el}, err
	}
	return element.Outcome{}, api.Errorf(api.InvalidArgument, "find cannot %s", action)
}
