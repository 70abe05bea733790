// Package act has the commands that act on elements with mouse and keyboard.
package act

import (
	"context"
	"maps"

	"github.com/usher-browser/usher/internal/command/run"
	"github.com/usher-browser/usher/internal/element"
	"github.com/usher-browser/usher/internal/element/locate"
	"github.com/usher-browser/usher/internal/verb"
)

// Family returns the commands.
func Family() run.Family {
	all := finders()
	maps.Copy(all, actions())
	maps.Copy(all, inputs())
	return run.Family{Grammar: verb.Join(grammar(), grammarInput(), grammarFind()), Handlers: all}
}

// actions returns the commands on elements.
func actions() map[string]run.Handler {
	return map[string]run.Handler{
		"click":    run.Handle(click),
		"dblclick": run.Handle(dblclick),
		"tap": onElement(func(on string) *Tapped { return &Tapped{Tapped: on} }, func(ctx context.Context, a *element.Actor, t locate.Target) (element.Outcome, error) {
			return a.Tap(ctx, t)
		}),
		"swipe": run.Handle(swipe),
		"hover": run.Handle(hover),
		"focus": onElement(func(on string) *Focused { return &Focused{Focused: on} }, func(ctx context.Context, a *element.Actor, t locate.Target) (element.Outcome, error) {
			el, err := a.Focus(ctx, t)
			return element.Outcome{Element: el}, err
		}),
		"scrollintoview": onElement(func(on string) *ScrolledTo { return &ScrolledTo{Scrolled: on} }, func(ctx context.Context, a *element.Actor, t locate.Target) (element.Outcome, error) {
			el, err := a.ScrollIntoView(ctx, t)
			return element.Outcome{Element: el}, err
		}),
		"check":   onElement(func(on string) *Checked { return &Checked{Checked: on} }, toggle(true)),
		"uncheck": onElement(func(on string) *Unchecked { return &Unchecked{Unchecked: on} }, toggle(false)),
		"fill":    run.Handle(fill),
		"type":    run.Handle(typeText),
		"select":  run.Handle(selectOptions),
		"drag":    run.Handle(drag),
		"scroll":  run.Handle(scroll),
	}
}

// inputs returns the commands for raw keyboard and mouse input.
func inputs() map[string]run.Handler {
	return map[string]run.Handler{
		"press": run.Handle(func(ctx context.Context, e *run.Env, c *verb.Call) (run.Reply[*Pressed], error) {
			return run.ActOn(ctx, e, "press "+c.Str("key"), &Pressed{Pressed: c.Str("key")}, func(ctx context.Context, a *element.Actor) (element.Outcome, error) {
				return a.Press(ctx, c.Str("key"))
			})
		}),
		"keydown": hold(func(key string) *KeyDown { return &KeyDown{KeyDown: key} }, (*element.Actor).KeyDown),
		"keyup":   hold(func(key string) *KeyUp { return &KeyUp{KeyUp: key} }, (*element.Actor).KeyUp),
		"keyboard type": run.Handle(func(ctx context.Context, e *run.Env, c *verb.Call) (run.Reply[*Typed], error) {
			return run.ActOn(ctx, e, "type", &Typed{Typed: c.Rest("text")}, func(ctx context.Context, a *element.Actor) (element.Outcome, error) {
				return a.Keyboard(ctx, c.Rest("text"), 0)
			})
		}),
		"keyboard inserttext": run.Handle(func(ctx context.Context, e *run.Env, c *verb.Call) (run.Reply[*Inserted], error) {
			err := e.Act(ctx, "insert text", func(ctx context.Context, a *element.Actor) error { return a.InsertText(ctx, c.Rest("text")) })
			return run.Reply[*Inserted]{Data: &Inserted{Inserted: true}, Text: run.Done}, err
		}),
		"mouse move":  run.Handle(mouseMove),
		"mouse down":  mouseButton(func(button string) *MouseDown { return &MouseDown{Pressed: true, Button: button} }, (*element.Actor).MouseDown),
		"mouse up":    mouseButton(func(button string) *MouseUp { return &MouseUp{Released: true, Button: button} }, (*element.Actor).MouseUp),
		"mouse wheel": run.Handle(mouseWheel),
	}
}
