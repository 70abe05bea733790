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
			t := e.Wanted()
			t.By, t.Value, t.Command = by, c.Str("value"), "find"
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
	if takesText(action) && !c.Has("text") {
		return run.Reply[*Found]{}, api.Errorf(api.MissingArgument, "%s %s: %s needs text", c.Verb.Name, strings.Join(c.Argv(), " "), action)
	}
	doing := c.Verb.Name + ": " + action
	if action == "text" {
		var got string
		err := e.Act(ctx, doing, func(ctx context.Context, a *element.Actor) (err error) { got, err = a.Text(ctx, t); return err })
		return run.Reply[*Found]{Data: &Found{Text: &got, Origin: e.Origin()}, Text: got}, err
	}
	data := &Found{}
	var done element.Filled
	var chosen element.Selected
	res, err := run.ActOn(ctx, e, doing, data, func(ctx context.Context, a *element.Actor) (element.Outcome, error) {
		var err error
		if action == "select" {
			chosen, err = a.Select(ctx, t, text)
			data.Selected = chosen.Values
			return chosen.Outcome, err
		}
		done, err = act(ctx, a, t, action, text)
		if err == nil {
			data.set(action, fmt.Sprintf("@e%d", e.RefOf(done.Element)), text)
		}
		return done.Outcome, err
	})
	switch {
	case err != nil:
	case action == "select":
		res.Warning = api.JoinWarnings(res.Warning, missedChoice(&chosen))
	case takesText(action):
		warnOfField(&res, &done, text, action == "fill")
	}
	return res, err
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

// act does one action; only those that enter text return more than an outcome.
func act(ctx context.Context, a *element.Actor, t locate.Target, action, text string) (done element.Filled, err error) {
	switch action {
	case "click":
		done.Outcome, err = a.Click(ctx, t, element.ClickOptions{})
	case "dblclick":
		done.Outcome, err = a.Click(ctx, t, element.ClickOptions{Count: 2})
	case "fill":
		done, err = a.Fill(ctx, t, text)
	case "type":
		done, err = a.Type(ctx, t, text, element.TypeOptions{})
	case "check", "uncheck":
		done.Outcome, err = toggle(action == "check")(ctx, a, t)
	case "hover":
		done.Outcome, err = a.Hover(ctx, t)
	case "focus":
		done.Element, err = a.Focus(ctx, t)
	default:
		err = api.Errorf(api.InvalidArgument, "find cannot %s", action)
	}
	return done, err
}
