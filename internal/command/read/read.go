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
	"github.com/usher-browser/usher/internal/devtools/join"
	"github.com/usher-browser/usher/internal/element"
	"github.com/usher-browser/usher/internal/element/locate"
	"github.com/usher-browser/usher/internal/verb"
)

func getTitle(ctx context.Context, e *run.Env, _ *verb.Call) (run.Reply[Title], error) {
	ctx, stop := e.Guard(ctx)
	defer stop()
	tab, err := e.CurrentTab()
	if err != nil {
		return run.Reply[Title]{}, err
	}
	if e.Frame != "" {
		return frameTitle(ctx, e)
	}
	title, warning, err := e.Title(ctx, tab)
	if err != nil {
		return run.Reply[Title]{}, err
	}
	return run.Reply[Title]{Data: Title{Title: title}, Text: title, Warning: warning}, nil
}

func getURL(_ context.Context, e *run.Env, _ *verb.Call) (run.Reply[URL], error) {
	tab, err := e.CurrentTab()
	if err != nil {
		return run.Reply[URL]{}, err
	}
	url := tab.URL
	if f := tab.Frames[e.Frame]; f != nil {
		url = f.URL
	}
	res := run.Reply[URL]{Data: URL{URL: url}, Text: url}
	if d := e.Browser.State().Dialog(e.Tab); d != nil {
		res.Warning = fmt.Sprintf("a JavaScript %s dialog (%s) is open: %q", d.Type, d.ID, d.Message)
	}
	return res, nil
}

// getCDPURL returns the address at which CDP clients join the session: that of the browser's own port, if one was asked for, else that of
// usher's endpoint, which it starts.
func getCDPURL(_ context.Context, e *run.Env, _ *verb.Call) (run.Reply[CDPURL], error) {
	if restriction := restriction(e); restriction != "" {
		return run.Reply[CDPURL]{}, api.Errorf(api.GuardRefused, "get cdp-url: a CDP client bypasses %s, so there is no address for one", restriction).
			WithHint("The person you work for can use a session without it, in their own shell.")
	}
	if e.DebugURL != "" {
		res := run.Reply[CDPURL]{Data: CDPURL{CDPURL: e.DebugURL}, Text: e.DebugURL}
		if e.Settings.CDPClients != "" {
			res.Warning = "this is the browser's own port (--cdp-port), to which any number of clients can connect: --cdp-clients has no effect"
		}
		return res, nil
	}
	server, err := e.Background.ServeEndpoint(e.Settings.CDPClients, join.Options{Downloads: e.Downloads.Dir})
	if err != nil {
		return run.Reply[CDPURL]{}, api.Errorf(api.Internal, "get cdp-url: %w", err)
	}
	return run.Reply[CDPURL]{Data: CDPURL{CDPURL: server.URL()}, Text: server.URL()}, nil
}

// restriction names what restricts the session, and would be bypassed by a CDP client that joins it; "" for nothing.
func restriction(e *run.Env) string {
	switch {
	case e.Sites != nil:
		return "the site guard"
	case e.Domains != nil:
		return "the allowed domains"
	case e.Gated:
		return "the action policy and confirmations"
	}
	return ""
}

// ask makes one call about an element.
func ask(ctx context.Context, e *run.Env, c *verb.Call, question func(context.Context, *element.Actor, locate.Target) error) error {
	t, err := e.Target(c, "selector")
	if err != nil {
		return err
	}
	if !e.Limited {
		t.Timeout = -1 // what is not there now is an answer, too
	}
	return e.Act(ctx, c.Verb.Name+" "+c.Str("selector"), func(ctx context.Context, a *element.Actor) error { return question(ctx, a, t) })
}

// frameTitle returns the title of the document in the frame of --frame.
func frameTitle(ctx context.Context, e *run.Env) (run.Reply[Title], error) {
	value, err := Evaluate(ctx, e, e.Browser.State().Frame(e.Frame), "document.title")
	if err != nil {
		return run.Reply[Title]{}, err
	}
	var title string
	if err := jsonv2.Unmarshal(value.Value, &title, jsontext.AllowInvalidUTF8(true)); err != nil {
		return run.Reply[Title]{}, api.Errorf(api.EvaluationFailed, "get title: the document of frame %s has no title", e.Frame)
	}
	return run.Reply[Title]{Data: Title{Title: title}, Text: title}, nil
}

// textOf makes the handler of a command that reads one text of an element. data makes its data.
func textOf[T any](data func(text, origin string) T, question func(*element.Actor, context.Context, locate.Target) (string, error)) run.Handler {
	return run.Handle(func(ctx context.Context, e *run.Env, c *verb.Call) (run.Reply[T], error) {
		var text string
		err := ask(ctx, e, c, func(ctx context.Context, a *element.Actor, t locate.Target) (err error) {
			text, err = question(a, ctx, t)
			return err
		})
		return run.Reply[T]{Data: data(text, e.Origin()), Text: text}, err
	})
}

func getValue(ctx context.Context, e *run.Env, c *verb.Call) (run.Reply[Value], error) {
	var value *string
	err := ask(ctx, e, c, func(ctx context.Context, a *element.Actor, t locate.Target) (err error) {
		value, err = a.Value(ctx, t)
		return err
	})
	if err != nil {
		return run.Reply[Value]{}, err
	}
	if value == nil {
		return run.Reply[Value]{}, api.Errorf(api.ElementUnsuitable, "get value %s: the element is not a form field and has no value", c.Str("selector")).
			WithHint("Use `get text` for its text or `get attr` for an attribute.")
	}
	return run.Reply[Value]{Data: Value{Value: *value, Origin: e.Origin()}, Text: *value}, nil
}

func getAttr(ctx context.Context, e *run.Env, c *verb.Call) (run.Reply[Attribute], error) {
	var value *string
	err := ask(ctx, e, c, func(ctx context.Context, a *element.Actor, t locate.Target) (err error) {
		value, err = a.Attribute(ctx, t, c.Str("name"))
		return err
	})
	if err != nil {
		return run.Reply[Attribute]{}, err
	}
	data := Attribute{Value: value, Origin: e.Origin()}
	if value == nil {
		return run.Reply[Attribute]{Data: data, Text: "null (the element has no attribute " + c.Str("name") + ")"}, nil
	}
	return run.Reply[Attribute]{Data: data, Text: *value}, nil
}

func getCount(ctx context.Context, e *run.Env, c *verb.Call) (run.Reply[Count], error) {
	var n int
	err := ask(ctx, e, c, func(ctx context.Context, a *element.Actor, t locate.Target) (err error) {
		n, err = a.Count(ctx, t)
		return err
	})
	if err != nil {
		return run.Reply[Count]{}, err
	}
	return run.Reply[Count]{Data: Count{Count: n, Selector: c.Str("selector")}, Text: strconv.Itoa(n)}, nil
}

func getBox(ctx context.Context, e *run.Env, c *verb.Call) (run.Reply[element.Box], error) {
	var b element.Box
	err := ask(ctx, e, c, func(ctx context.Context, a *element.Actor, t locate.Target) (err error) {
		b, err = a.Box(ctx, t)
		return err
	})
	if err != nil {
		return run.Reply[element.Box]{}, err
	}
	num := func(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }
	text := "x:      " + num(b.X) + "\ny:      " + num(b.Y) + "\nwidth:  " + num(b.Width) + "\nheight: " + num(b.Height)
	return run.Reply[element.Box]{Data: b, Text: text}, nil
}

func getStyles(ctx context.Context, e *run.Env, c *verb.Call) (run.Reply[Styles], error) {
	var styles map[string]string
	err := ask(ctx, e, c, func(ctx context.Context, a *element.Actor, t locate.Target) (err error) {
		styles, err = a.Styles(ctx, t)
		return err
	})
	if err != nil {
		return run.Reply[Styles]{}, err
	}
	var lines []string
	for _, k := range slices.Sorted(maps.Keys(styles)) {
		lines = append(lines, k+": "+styles[k])
	}
	return run.Reply[Styles]{Data: Styles{Styles: styles}, Text: strings.Join(lines, "\n")}, nil
}

// is returns the handler of a command that reads one state of an element. data creates its data.
func is[T any](data func(yes bool, origin string) T, of func(element.Status) bool) run.Handler {
	return run.Handle(func(ctx context.Context, e *run.Env, c *verb.Call) (run.Reply[T], error) {
		var s element.Status
		err := ask(ctx, e, c, func(ctx context.Context, a *element.Actor, t locate.Target) (err error) {
			s, err = a.Status(ctx, t)
			return err
		})
		return run.Reply[T]{Data: data(of(s), e.Origin()), Text: strconv.FormatBool(of(s))}, err
	})
}
