package act

import (
	"context"
	"fmt"
	"strings"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/command/run"
	"github.com/usher-browser/usher/internal/element"
	"github.com/usher-browser/usher/internal/verb"
)

func finders() map[string]run.Func {
	verbs := map[string]run.Func{}
	for _, by := range []element.By{
		element.ByRole, element.ByText, element.ByLabel, element.ByPlaceholder, element.ByAlt, element.ByTitle, element.ByTestID,
	} {
		verbs["find "+string(by)] = func(ctx context.Context, e *run.Env, c *verb.Call) (run.Result, error) {
			t := element.Target{By: by, Value: c.Str("value"), Frame: e.Scope(e.Tab), Timeout: e.Limit}
			if by != element.ByTestID {
				t.Exact = c.Bool("exact")
			}
			if by == element.ByRole {
				t.Name = c.Str("name")
			}
			return find(ctx, e, c, t)
		}
	}
	for which, nth := range map[string]int{"first": 0, "last": -1} {
		verbs["find "+which] = func(ctx context.Context, e *run.Env, c *verb.Call) (run.Result, error) {
			return findNth(ctx, e, c, nth)
		}
	}
	verbs["find nth"] = func(ctx context.Context, e *run.Env, c *verb.Call) (run.Result, error) {
		return findNth(ctx, e, c, c.Int("index"))
	}
	return verbs
}

func findNth(ctx context.Context, e *run.Env, c *verb.Call, nth int) (run.Result, error) {
	t, err := e.Target(c, "selector")
	if err != nil {
		return run.Result{}, err
	}
	t.Nth = &nth
	return find(ctx, e, c, t)
}

// find does with the element that was found what the verb of that name does.
func find(ctx context.Context, e *run.Env, c *verb.Call, t element.Target) (run.Result, error) {
	action, text := c.Str("action"), c.Rest("text")
	if action == "" {
		action = "click"
	}
	if (action == "fill" || action == "type") && !c.Has("text") {
		return run.Result{}, api.Errorf(api.MissingArgument, "%s %s: %s needs a text", c.Verb.Name, strings.Join(c.Argv(), " "), action)
	}
	doing := c.Verb.Name + ": " + action
	if action == "text" {
		var got string
		err := e.Act(ctx, doing, func(ctx context.Context, a *element.Actor) (err error) { got, err = a.Text(ctx, t); return err })
		return run.Result{Data: run.Object{"text": got, "origin": e.Origin()}, Text: got}, err
	}
	data := run.Object{}
	return e.ActOn(ctx, doing, data, func(ctx context.Context, a *element.Actor) (element.Outcome, error) {
		out, err := act(ctx, a, t, action, text)
		key, ok := findKeys()[action]
		if err == nil && ok {
			data[key] = fmt.Sprintf("@e%d", e.RefOf(out.Element))
			if action == "type" {
				data[key] = text
			}
		}
		return out, err
	})
}

// findKeys names the field of the result for each action, as its verb does.
func findKeys() map[string]string {
	return map[string]string{
		"click": "clicked", "dblclick": "clicked", "fill": "filled", "type": "typed", "check": "checked",
		"uncheck": "unchecked", "hover": "hovered", "focus": "focused",
	}
}

func act(ctx context.Context, a *element.Actor, t element.Target, action, text string) (element.Outcome, error) {
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
