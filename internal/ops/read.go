package ops

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
	"github.com/usher-browser/usher/internal/element"
	"github.com/usher-browser/usher/internal/verb"
)

func readVerbs() map[string]Func {
	return map[string]Func{
		"get title":   getTitle,
		"get url":     getURL,
		"get cdp-url": getCDPURL,
		"get text":    textOf((*element.Actor).Text, "text"),
		"get html":    textOf((*element.Actor).HTML, "html"),
		"get value":   getValue,
		"get attr":    getAttr,
		"get count":   getCount,
		"get box":     getBox,
		"get styles":  getStyles,
		"is visible":  is("visible", func(s element.Status) bool { return s.Visible }),
		"is enabled":  is("enabled", func(s element.Status) bool { return s.Enabled }),
		"is checked":  is("checked", func(s element.Status) bool { return s.Checked == "true" }),
	}
}

func getTitle(ctx context.Context, e *Env, _ *verb.Call) (Result, error) {
	ctx, stop := e.guard(ctx)
	defer stop()
	tab, err := e.tab()
	if err != nil {
		return Result{}, err
	}
	if e.frame != "" {
		return e.frameTitle(ctx)
	}
	title, warning, err := e.title(ctx, tab)
	if err != nil {
		return Result{}, err
	}
	return Result{Data: obj{"title": title}, Text: title, Warning: warning}, nil
}

func getURL(_ context.Context, e *Env, _ *verb.Call) (Result, error) {
	tab, err := e.tab()
	if err != nil {
		return Result{}, err
	}
	url := tab.URL
	if f := tab.Frames[e.frame]; f != nil {
		url = f.URL
	}
	res := Result{Data: obj{"url": url}, Text: url}
	if d := e.Browser.State().Dialog(e.Tab); d != nil {
		res.Warning = fmt.Sprintf("a JavaScript %s dialog (%s) is open: %q", d.Type, d.ID, d.Message)
	}
	return res, nil
}

func getCDPURL(ctx context.Context, e *Env, _ *verb.Call) (Result, error) {
	ctx, cancel := e.limit(ctx, func() {})
	defer cancel()
	if e.Sites != nil {
		return Result{}, api.Errorf(api.GuardRefused, "get cdp-url: the browser's debugging address is withheld under the site guard, because it bypasses the guard")
	}
	url, err := e.DebugURL(ctx)
	if err != nil {
		return Result{}, e.explain(err, "find the browser's debugging address")
	}
	return Result{Data: obj{"cdpUrl": url}, Text: url}, nil
}

// read runs one question about an element.
func (e *Env) read(ctx context.Context, c *verb.Call, ask func(context.Context, *element.Actor, element.Target) error) (data obj, err error) {
	t, err := e.target(c, "selector")
	if err != nil {
		return nil, err
	}
	if !e.Limited {
		t.Timeout = -1 // what is not there now is an answer, too
	}
	err = e.act(ctx, c.Verb.Name+" "+c.Str("selector"), func(ctx context.Context, a *element.Actor) error { return ask(ctx, a, t) })
	if err != nil {
		return nil, err
	}
	return obj{"origin": e.origin()}, nil
}

// frameTitle is the title of the document in the frame of --frame.
func (e *Env) frameTitle(ctx context.Context) (Result, error) {
	value, err := e.evaluate(ctx, e.Browser.State().Frame(e.frame), "document.title")
	if err != nil {
		return Result{}, err
	}
	var title string
	if err := jsonv2.Unmarshal(value.Value, &title, jsontext.AllowInvalidUTF8(true)); err != nil {
		return Result{}, api.Errorf(api.EvaluationFailed, "get title: the document of frame %s has no title", e.frame)
	}
	return Result{Data: obj{"title": title}, Text: title}, nil
}

// origin is the address of the page, or of the frame of --frame, which
// agent-browser calls origin.
func (e *Env) origin() string {
	if t := e.Browser.State().Tabs[e.Tab]; t != nil {
		if f := t.Frames[e.frame]; f != nil {
			return f.URL
		}
		return t.URL
	}
	return ""
}

func textOf(ask func(*element.Actor, context.Context, element.Target) (string, error), key string) Func {
	return func(ctx context.Context, e *Env, c *verb.Call) (Result, error) {
		var text string
		data, err := e.read(ctx, c, func(ctx context.Context, a *element.Actor, t element.Target) (err error) {
			text, err = ask(a, ctx, t)
			return err
		})
		if err != nil {
			return Result{}, err
		}
		data[key] = text
		return Result{Data: data, Text: text}, nil
	}
}

func getValue(ctx context.Context, e *Env, c *verb.Call) (Result, error) {
	var value *string
	data, err := e.read(ctx, c, func(ctx context.Context, a *element.Actor, t element.Target) (err error) {
		value, err = a.Value(ctx, t)
		return err
	})
	if err != nil {
		return Result{}, err
	}
	if value == nil {
		return Result{}, api.Errorf(api.ElementUnsuitable, "get value %s: the element is not a form field and has no value", c.Str("selector")).
			WithHint("Use `get text` for what it shows or `get attr` for an attribute.")
	}
	data["value"] = *value
	return Result{Data: data, Text: *value}, nil
}

func getAttr(ctx context.Context, e *Env, c *verb.Call) (Result, error) {
	var value *string
	data, err := e.read(ctx, c, func(ctx context.Context, a *element.Actor, t element.Target) (err error) {
		value, err = a.Attribute(ctx, t, c.Str("name"))
		return err
	})
	if err != nil {
		return Result{}, err
	}
	data["value"] = nil
	if value == nil {
		return Result{Data: data, Text: "null (the element has no attribute " + c.Str("name") + ")"}, nil
	}
	data["value"] = *value
	return Result{Data: data, Text: *value}, nil
}

func getCount(ctx context.Context, e *Env, c *verb.Call) (Result, error) {
	var n int
	data, err := e.read(ctx, c, func(ctx context.Context, a *element.Actor, t element.Target) (err error) {
		n, err = a.Count(ctx, t)
		return err
	})
	if err != nil {
		return Result{}, err
	}
	delete(data, "origin")
	data["count"], data["selector"] = n, c.Str("selector")
	return Result{Data: data, Text: strconv.Itoa(n)}, nil
}

func getBox(ctx context.Context, e *Env, c *verb.Call) (Result, error) {
	var b element.Box
	_, err := e.read(ctx, c, func(ctx context.Context, a *element.Actor, t element.Target) (err error) {
		b, err = a.Box(ctx, t)
		return err
	})
	if err != nil {
		return Result{}, err
	}
	num := func(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }
	text := "x:      " + num(b.X) + "\ny:      " + num(b.Y) + "\nwidth:  " + num(b.Width) + "\nheight: " + num(b.Height)
	return Result{Data: b, Text: text}, nil
}

func getStyles(ctx context.Context, e *Env, c *verb.Call) (Result, error) {
	var styles map[string]string
	_, err := e.read(ctx, c, func(ctx context.Context, a *element.Actor, t element.Target) (err error) {
		styles, err = a.Styles(ctx, t)
		return err
	})
	if err != nil {
		return Result{}, err
	}
	var lines []string
	for _, k := range slices.Sorted(maps.Keys(styles)) {
		lines = append(lines, k+": "+styles[k])
	}
	return Result{Data: obj{"styles": styles}, Text: strings.Join(lines, "\n")}, nil
}

func is(key string, of func(element.Status) bool) Func {
	return func(ctx context.Context, e *Env, c *verb.Call) (Result, error) {
		var s element.Status
		data, err := e.read(ctx, c, func(ctx context.Context, a *element.Actor, t element.Target) (err error) {
			s, err = a.Status(ctx, t)
			return err
		})
		if err != nil {
			return Result{}, err
		}
		data[key] = of(s)
		return Result{Data: data, Text: strconv.FormatBool(of(s))}, nil
	}
}
