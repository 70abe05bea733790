package read

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/command/run"
	"github.com/usher-browser/usher/internal/element"
	"github.com/usher-browser/usher/internal/verb"
)

func getTitle(ctx context.Context, e *run.Env, _ *verb.Call) (run.Result, error) {
	ctx, stop := e.Guard(ctx)
	defer stop()
	tab, err := e.CurrentTab()
	if err != nil {
		return run.Result{}, err
	}
	if e.Frame != "" {
		return frameTitle(ctx, e)
	}
	title, warning, err := e.Title(ctx, tab)
	if err != nil {
		return run.Result{}, err
	}
	return run.Result{Data: run.Object{"title": title}, Text: title, Warning: warning}, nil
}

func getURL(_ context.Context, e *run.Env, _ *verb.Call) (run.Result, error) {
	tab, err := e.CurrentTab()
	if err != nil {
		return run.Result{}, err
	}
	url := tab.URL
	if f := tab.Frames[e.Frame]; f != nil {
		url = f.URL
	}
	res := run.Result{Data: run.Object{"url": url}, Text: url}
	if d := e.Browser.State().Dialog(e.Tab); d != nil {
		res.Warning = fmt.Sprintf("a JavaScript %s dialog (%s) is open: %q", d.Type, d.ID, d.Message)
	}
	return res, nil
}

func getCDPURL(ctx context.Context, e *run.Env, _ *verb.Call) (run.Result, error) {
	ctx, cancel := e.WithLimit(ctx, func() {})
	defer cancel()
	if e.Sites != nil {
		return run.Result{}, api.Errorf(api.GuardRefused, "get cdp-url: the browser's debugging address is withheld under the site guard, because it bypasses the guard")
	}
	url, err := e.DebugURL(ctx)
	if err != nil {
		return run.Result{}, e.Explain(err, "find the browser's debugging address")
	}
	return run.Result{Data: run.Object{"cdpUrl": url}, Text: url}, nil
}

// read runs one question about an element.
func read(ctx context.Context, e *run.Env, c *verb.Call, ask func(context.Context, *element.Actor, element.Target) error) (data run.Object, err error) {
	t, err := e.Target(c, "selector")
	if err != nil {
		return nil, err
	}
	if !e.Limited {
		t.Timeout = -1 // what is not there now is an answer, too
	}
	err = e.Act(ctx, c.Verb.Name+" "+c.Str("selector"), func(ctx context.Context, a *element.Actor) error { return ask(ctx, a, t) })
	if err != nil {
		return nil, err
	}
	return run.Object{"origin": e.Origin()}, nil
}

// frameTitle is the title of the document in the frame of --frame.
func frameTitle(ctx context.Context, e *run.Env) (run.Result, error) {
	value, err := Evaluate(ctx, e, e.Browser.State().Frame(e.Frame), "document.title")
	if err != nil {
		return run.Result{}, err
	}
	var title string
	if err := jsonv2.Unmarshal(value.Value, &title, jsontext.AllowInvalidUTF8(true)); err != nil {
		return run.Result{}, api.Errorf(api.EvaluationFailed, "get title: the document of frame %s has no title", e.Frame)
	}
	return run.Result{Data: run.Object{"title": title}, Text: title}, nil
}

func textOf(ask func(*element.Actor, context.Context, element.Target) (string, error), key string) run.Func {
	return func(ctx context.Context, e *run.Env, c *verb.Call) (run.Result, error) {
		var text string
		data, err := read(ctx, e, c, func(ctx context.Context, a *element.Actor, t element.Target) (err error) {
			text, err = ask(a, ctx, t)
			return err
		})
		if err != nil {
			return run.Result{}, err
		}
		data[key] = text
		return run.Result{Data: data, Text: text}, nil
	}
}

func getValue(ctx context.Context, e *run.Env, c *verb.Call) (run.Result, error) {
	var value *string
	data, err := read(ctx, e, c, func(ctx context.Context, a *element.Actor, t element.Target) (err error) {
		value, err = a.Value(ctx, t)
		return err
	})
	if err != nil {
		return run.Result{}, err
	}
	if value == nil {
		return run.Result{}, api.Errorf(api.ElementUnsuitable, "get value %s: the element is not a form field and has no value", c.Str("selector")).
			WithHint("Use `get text` for what it shows or `get attr` for an attribute.")
	}
	data["value"] = *value
	return run.Result{Data: data, Text: *value}, nil
}

func getAttr(ctx context.Context, e *run.Env, c *verb.Call) (run.Result, error) {
	var value *string
	data, err := read(ctx, e, c, func(ctx context.Context, a *element.Actor, t element.Target) (err error) {
		value, err = a.Attribute(ctx, t, c.Str("name"))
		return err
	})
	if err != nil {
		return run.Result{}, err
	}
	data["value"] = nil
	if value == nil {
		return run.Result{Data: data, Text: "null (the element has no attribute " + c.Str("name") + ")"}, nil
	}
	data["value"] = *value
	return run.Result{Data: data, Text: *value}, nil
}

func getCount(ctx context.Context, e *run.Env, c *verb.Call) (run.Result, error) {
	var n int
	data, err := read(ctx, e, c, func(ctx context.Context, a *element.Actor, t element.Target) (err error) {
		n, err = a.Count(ctx, t)
		return err
	})
	if err != nil {
		return run.Result{}, err
	}
	delete(data, "origin")
	data["count"], data["selector"] = n, c.Str("selector")
	return run.Result{Data: data, Text: strconv.Itoa(n)}, nil
}

func getBox(ctx context.Context, e *run.Env, c *verb.Call) (run.Result, error) {
	var b element.Box
	_, err := read(ctx, e, c, func(ctx context.Context, a *element.Actor, t element.Target) (err error) {
		b, err = a.Box(ctx, t)
		return err
	})
	if err != nil {
		return run.Result{}, err
	}
	num := func(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }
	text := "x:      " + num(b.X) + "\ny:      " + num(b.Y) + "\nwidth:  " + num(b.Width) + "\nheight: " + num(b.Height)
	return run.Result{Data: b, Text: text}, nil
}

func getStyles(ctx context.Context, e *run.Env, c *verb.Call) (run.Result, error) {
	var styles map[string]string
	_, err := read(ctx, e, c, func(ctx context.Context, a *element.Actor, t element.Target) (err error) {
		styles, err = a.Styles(ctx, t)
		return err
	})
	if err != nil {
		return run.Result{}, err
	}
	var lines []string
	for _, k := range slices.Sorted(maps.Keys(styles)) {
		lines = append(lines, k+": "+styles[k])
	}
	return run.Result{Data: run.Object{"styles": styles}, Text: strings.Join(lines, "\n")}, nil
}

func is(key string, of func(element.Status) bool) run.Func {
	return func(ctx context.Context, e *run.Env, c *verb.Call) (run.Result, error) {
		var s element.Status
		data, err := read(ctx, e, c, func(ctx context.Context, a *element.Actor, t element.Target) (err error) {
			s, err = a.Status(ctx, t)
			return err
		})
		if err != nil {
			return run.Result{}, err
		}
		data[key] = of(s)
		return run.Result{Data: data, Text: strconv.FormatBool(of(s))}, nil
	}
}
