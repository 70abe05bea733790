package ops

import (
	"context"
	"fmt"
	"strings"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/element"
	"github.com/usher-browser/usher/internal/verb"
)

func findVerbs() map[string]Func {
	verbs := map[string]Func{}
	for _, by := range []element.By{
		element.ByRole, element.ByText, element.ByLabel, element.ByPlaceholder, element.ByAlt, element.ByTitle, element.ByTestID,
	} {
		verbs["find "+string(by)] = func(ctx context.Context, e *Env, c *verb.Call) (Result, error) {
			t := element.Target{By: by, Value: c.Str("value"), Frame: e.Scope(e.Tab), Timeout: e.Limit}
			if by != element.ByTestID {
				t.Exact = c.Bool("exact")
			}
			if by == element.ByRole {
				t.Name = c.Str("name")
			}
			return e.find(ctx, c, t)
		}
	}
	for which, nth := range map[string]int{"first": 0, "last": -1} {
		verbs["find "+which] = func(ctx context.Context, e *Env, c *verb.Call) (Result, error) { return e.findNth(ctx, c, nth) }
	}
	verbs["find nth"] = func(ctx context.Context, e *Env, c *verb.Call) (Result, error) {
		return e.findNth(ctx, c, c.Int("index"))
	}
	return verbs
}

func (e *Env) findNth(ctx context.Context, c *verb.Call, nth int) (Result, error) {
	t, err := e.target(c, "selector")
	if err != nil {
		return Result{}, err
	}
	t.Nth = &nth
	return e.find(ctx, c, t)
}

// find does with the element that was found what the verb of that name does.
func (e *Env) find(ctx context.Context, c *verb.Call, t element.Target) (Result, error) {
	action, text := c.Str("action"), c.Rest("text")
	if action == "" {
		action = "click"
	}
	if (action == "fill" || action == "type") && !c.Has("text") {
		return Result{}, api.Errorf(api.MissingArgument, "%s %s: %s needs a text", c.Verb.Name, strings.Join(c.Argv(), " "), action)
	}
	doing := c.Verb.Name + ": " + action
	if action == "text" {
		var got string
		err := e.act(ctx, doing, func(ctx context.Context, a *element.Actor) (err error) { got, err = a.Text(ctx, t); return err })
		return Result{Data: obj{"text": got, "origin": e.origin()}, Text: got}, err
	}
	data := obj{}
	return e.actOn(ctx, doing, data, func(ctx context.Context, a *element.Actor) (element.Outcome, error) {
		out, err := act(ctx, a, t, action, text)
		key, ok := findKeys()[action]
		if err == nil && ok {
			data[key] = fmt.Sprintf("@e%d", e.refOf(out.Element))
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
