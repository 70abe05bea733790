// Package act acts on elements, as a person does with mouse and keyboard.
package act

import (
	"context"
	"maps"

	"github.com/usher-browser/usher/internal/command/run"
	"github.com/usher-browser/usher/internal/element"
	"github.com/usher-browser/usher/internal/verb"
)

// Family is its commands.
func Family() run.Family {
	all := finders()
	maps.Copy(all, actions())
	maps.Copy(all, inputs())
	return run.Family{Grammar: verb.Join(grammar(), grammarInput(), grammarFind()), Run: all}
}

// actions are the commands on elements.
func actions() map[string]run.Func {
	return map[string]run.Func{
		"click": click,
		"dblclick": simple("clicked", func(ctx context.Context, a *element.Actor, t element.Target) (element.Outcome, error) {
			return a.Click(ctx, t, element.ClickOptions{Count: 2})
		}),
		"hover": simple("hovered", func(ctx context.Context, a *element.Actor, t element.Target) (element.Outcome, error) {
			return a.Hover(ctx, t)
		}),
		"focus": simple("focused", func(ctx context.Context, a *element.Actor, t element.Target) (element.Outcome, error) {
			el, err := a.Focus(ctx, t)
			return element.Outcome{Element: el}, err
		}),
		"scrollintoview": simple("scrolled", func(ctx context.Context, a *element.Actor, t element.Target) (element.Outcome, error) {
			el, err := a.ScrollIntoView(ctx, t)
			return element.Outcome{Element: el}, err
		}),
		"check":   toggle("checked", true),
		"uncheck": toggle("unchecked", false),
		"fill":    fill,
		"type":    typeText,
		"select":  selectOptions,
		"drag":    drag,
		"scroll":  scroll,
	}
}

// inputs are the commands for raw keyboard and mouse input.
func inputs() map[string]run.Func {
	return map[string]run.Func{
		"press": func(ctx context.Context, e *run.Env, c *verb.Call) (run.Result, error) {
			return e.ActOn(ctx, "press "+c.Str("key"), run.Object{"pressed": c.Str("key")}, func(ctx context.Context, a *element.Actor) (element.Outcome, error) {
				return a.Press(ctx, c.Str("key"))
			})
		},
		"keydown": hold("keydown", (*element.Actor).KeyDown),
		"keyup":   hold("keyup", (*element.Actor).KeyUp),
		"keyboard type": func(ctx context.Context, e *run.Env, c *verb.Call) (run.Result, error) {
			return e.ActOn(ctx, "type", run.Object{"typed": c.Rest("text")}, func(ctx context.Context, a *element.Actor) (element.Outcome, error) {
				return a.Keyboard(ctx, c.Rest("text"), 0)
			})
		},
		"keyboard inserttext": func(ctx context.Context, e *run.Env, c *verb.Call) (run.Result, error) {
			err := e.Act(ctx, "insert text", func(ctx context.Context, a *element.Actor) error { return a.InsertText(ctx, c.Rest("text")) })
			return run.Result{Data: run.Object{"inserted": true}, Text: run.Done}, err
		},
		"mouse move":  mouseMove,
		"mouse down":  mouseButton("pressed", (*element.Actor).MouseDown),
		"mouse up":    mouseButton("released", (*element.Actor).MouseUp),
		"mouse wheel": mouseWheel,
	}
}
