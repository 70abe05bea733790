package ops

import (
	"context"
	"path/filepath"
	"strings"
	"time"

	"github.com/usher-browser/usher/internal/element"
	"github.com/usher-browser/usher/internal/supervisor"
	"github.com/usher-browser/usher/internal/verb"
)

func actVerbs() map[string]Func {
	return map[string]Func{
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
		"upload":  upload,
		"scroll":  scroll,
	}
}

// simple makes the behaviour of a verb that does one thing to one element and
// tells so under key.
func simple(key string, do func(context.Context, *element.Actor, element.Target) (element.Outcome, error)) Func {
	return func(ctx context.Context, e *Env, c *verb.Call) (Result, error) {
		t, err := e.target(c, "selector")
		if err != nil {
			return Result{}, err
		}
		return e.actOn(ctx, c.Verb.Name+" "+c.Str("selector"), obj{key: c.Str("selector")}, func(ctx context.Context, a *element.Actor) (element.Outcome, error) {
			return do(ctx, a, t)
		})
	}
}

// actOn runs an action and describes what came of it.
func (e *Env) actOn(ctx context.Context, doing string, data obj, do func(context.Context, *element.Actor) (element.Outcome, error)) (Result, error) {
	var out element.Outcome
	err := e.act(ctx, doing, func(ctx context.Context, a *element.Actor) (err error) {
		out, err = do(ctx, a)
		return err
	})
	if err != nil {
		return Result{}, err
	}
	return e.outcome(ctx, data, &out)
}

// settleLimit is how long an action that began a navigation waits for the new
// document, so that the next command does not see the old one.
const settleLimit = 5 * time.Second

// outcome adds to data what the browser was seen to do, and says it in words.
func (e *Env) outcome(ctx context.Context, data obj, out *element.Outcome) (Result, error) {
	lines := []string{done}
	warning := ""
	if n := out.Navigation; n != nil && n.Main {
		e.follow(ctx, n)
		data["navigation"] = obj{"url": n.URL, "committed": n.Committed, "sameDocument": n.SameDocument}
		switch {
		case n.Committed || n.SameDocument:
			lines = append(lines, "  went to "+n.URL)
		default:
			lines = append(lines, "  is going to "+n.URL+" (no answer yet)")
		}
	}
	if d := out.Dialog; d != nil {
		data["dialogOpened"], data["dialog"] = true, DialogData(d)
		lines = append(lines, "  opened "+article(d.Type)+" dialog: "+quote(d.Message)+"; answer with `dialog accept` or `dialog dismiss`")
		if e.Settings.Compatible {
			warning = "A JavaScript " + d.Type + " dialog is blocking the page: " + quote(d.Message) + "; answer with `dialog accept` or `dialog dismiss`"
		}
	}
	if len(out.Answered) > 0 && !e.Settings.Compatible {
		data["dialogs"] = recentOf(out.Answered)
		for _, d := range out.Answered {
			lines = append(lines, "  opened "+article(d.Type)+" dialog, "+closing(d)+": "+quote(d.Message))
		}
	}
	for _, id := range out.NewTabs {
		if t := e.opened(ctx, id); t != nil {
			e.SetActive(id)
			e.toldOf(func(i *supervisor.Interruption) bool { return i.NewTab == id })
			data["newTab"], data["url"], data["tabId"] = true, t.URL, tabID(t)
			lines = append(lines, "  opened tab ["+tabID(t)+"], now active: "+t.URL)
		}
	}
	if len(out.Downloads) > 0 {
		rows := []any{}
		for _, d := range out.Downloads {
			e.toldOf(func(i *supervisor.Interruption) bool { return i.Download == d.GUID })
			rows = append(rows, obj{"url": d.URL, "suggestedFilename": d.SuggestedName})
			lines = append(lines, "  started the download of "+d.SuggestedName)
		}
		data["downloads"] = rows
	}
	for _, i := range out.Interruptions {
		e.told(i)
		data["interruption"] = e.InterruptionData(i)
		lines = append(lines, "  "+e.interruptionLine(i)+"; answer with `"+strings.Join(answers(i), "` or `")+"`")
	}
	if out.TabClosed {
		data["tabClosed"] = true
		lines = append(lines, "  closed its tab")
	}
	return Result{Data: data, Text: strings.Join(lines, "\n"), Warning: warning}, nil
}

// follow waits a little for the document an action leads to.
func (e *Env) follow(ctx context.Context, n *element.Navigation) {
	if n.SameDocument {
		return
	}
	ctx, stop := e.Browser.Guard(ctx, e.Tab)
	defer stop()
	ctx, cancel := context.WithTimeout(ctx, min(settleLimit, e.Limit))
	defer cancel()
	// Not arriving in time is no failure of the action; the result says how far it came.
	_ = e.Browser.Wait(ctx, func(s *supervisor.State) (bool, error) {
		f := mainFrame(s, e.Tab)
		if f == nil {
			return true, nil
		}
		n.Committed = n.Committed || f.URL == n.URL
		return n.Committed && f.DOMReady, lost(s, e.Tab)
	})
	if t := e.Browser.State().Tabs[e.Tab]; t != nil && n.Committed {
		n.URL = t.URL
	}
}

// opened waits a little for the document of a tab that an action opened, for until
// it comes the tab has no address. nil if the tab has gone again.
func (e *Env) opened(ctx context.Context, id supervisor.TargetID) *supervisor.Tab {
	ctx, stop := e.Browser.Guard(ctx, id)
	defer stop()
	ctx, cancel := context.WithTimeout(ctx, min(settleLimit, e.Limit))
	defer cancel()
	// Not arriving in time is no failure of the action.
	_ = e.Browser.Wait(ctx, func(s *supervisor.State) (bool, error) {
		f := mainFrame(s, id)
		return f != nil && f.Going == "" && f.DOMReady && s.Tabs[id].URL != "", lost(s, id)
	})
	return e.Browser.State().Tabs[id]
}

func quote(s string) string {
	const most = 200
	if r := []rune(s); len(r) > most {
		s = string(r[:most]) + "…"
	}
	return `"` + s + `"`
}

func click(ctx context.Context, e *Env, c *verb.Call) (Result, error) {
	t, err := e.target(c, "selector")
	if err != nil {
		return Result{}, err
	}
	if !c.Bool("new-tab") {
		return e.actOn(ctx, "click "+c.Str("selector"), obj{"clicked": c.Str("selector")}, func(ctx context.Context, a *element.Actor) (element.Outcome, error) {
			return a.Click(ctx, t, element.ClickOptions{})
		})
	}
	var href string
	err = e.act(ctx, "click "+c.Str("selector"), func(ctx context.Context, a *element.Actor) (err error) {
		href, err = a.Link(ctx, t)
		return err
	})
	if err != nil {
		return Result{}, err
	}
	if _, err := e.newTab(ctx, false); err != nil {
		return Result{}, err
	}
	opened, err := e.Navigate(ctx, href)
	if err != nil {
		return Result{}, err
	}
	tab, err := e.tab()
	if err != nil {
		return Result{}, err
	}
	return Result{
		Data:    obj{"clicked": c.Str("selector"), "newTab": true, "url": tab.URL, "tabId": tabID(tab)},
		Text:    done + "\n  opened tab [" + tabID(tab) + "], now active: " + tab.URL,
		Warning: opened.Warning,
	}, nil
}

func toggle(key string, on bool) Func {
	return simple(key, func(ctx context.Context, a *element.Actor, t element.Target) (element.Outcome, error) {
		out, err := a.Check(ctx, t, on)
		return out.Outcome, err
	})
}

func fill(ctx context.Context, e *Env, c *verb.Call) (Result, error) {
	return e.enter(ctx, c, obj{"filled": c.Str("selector")}, func(ctx context.Context, a *element.Actor, t element.Target) (element.Filled, error) {
		return a.Fill(ctx, t, c.Rest("text"))
	})
}

func typeText(ctx context.Context, e *Env, c *verb.Call) (Result, error) {
	opts := element.TypeOptions{Clear: c.Bool("clear"), Delay: c.Dur("delay")}
	return e.enter(ctx, c, obj{"typed": c.Rest("text")}, func(ctx context.Context, a *element.Actor, t element.Target) (element.Filled, error) {
		return a.Type(ctx, t, c.Rest("text"), opts)
	})
}

// enter runs an action that puts text into a field. It warns when the field
// holds something else afterwards: a mask, a limit, a script.
func (e *Env) enter(ctx context.Context, c *verb.Call, data obj, do func(context.Context, *element.Actor, element.Target) (element.Filled, error)) (Result, error) {
	t, err := e.target(c, "selector")
	if err != nil {
		return Result{}, err
	}
	var value string
	res, err := e.actOn(ctx, c.Verb.Name+" "+c.Str("selector"), data, func(ctx context.Context, a *element.Actor) (element.Outcome, error) {
		out, err := do(ctx, a, t)
		value = out.Value
		return out.Outcome, err
	})
	if err != nil {
		return Result{}, err
	}
	if text := c.Rest("text"); res.Data.(obj)["navigation"] == nil && res.Data.(obj)["dialog"] == nil && !strings.Contains(unspaced(value), unspaced(text)) {
		data["value"] = value
		res.Warning = "the field now holds " + quote(value) + ", not exactly what was entered"
	}
	return res, nil
}

// unspaced drops white space, which fields may rearrange.
func unspaced(s string) string { return strings.Join(strings.Fields(s), "") }

func selectOptions(ctx context.Context, e *Env, c *verb.Call) (Result, error) {
	t, err := e.target(c, "selector")
	if err != nil {
		return Result{}, err
	}
	data := obj{}
	return e.actOn(ctx, "select "+c.Str("selector"), data, func(ctx context.Context, a *element.Actor) (element.Outcome, error) {
		out, err := a.Select(ctx, t, c.List("values")...)
		data["selected"] = out.Values
		return out.Outcome, err
	})
}

func drag(ctx context.Context, e *Env, c *verb.Call) (Result, error) {
	from, err := e.target(c, "source")
	if err != nil {
		return Result{}, err
	}
	to, err := e.target(c, "target")
	if err != nil {
		return Result{}, err
	}
	data := obj{"dragged": true, "source": c.Str("source"), "target": c.Str("target")}
	return e.actOn(ctx, "drag "+c.Str("source"), data, func(ctx context.Context, a *element.Actor) (element.Outcome, error) {
		return a.Drag(ctx, from, to)
	})
}

// path resolves a path against the caller's directory.
func (e *Env) path(p string) string {
	if filepath.IsAbs(p) {
		return filepath.Clean(p)
	}
	return filepath.Join(e.Cwd, p)
}

func scroll(ctx context.Context, e *Env, c *verb.Call) (Result, error) {
	distance := float64(element.DefaultScroll)
	if c.Has("pixels") {
		distance = c.Float("pixels")
	}
	direction := c.Str("direction")
	if direction == "" {
		direction = "down"
	}
	dx, dy, err := element.ParseDirection(direction, distance)
	if err != nil {
		return Result{}, err
	}
	var within *element.Target
	if e.frame != "" {
		within = &element.Target{Frame: e.frame, Timeout: e.Limit}
	}
	if c.Has("selector") {
		t, err := e.target(c, "selector")
		if err != nil {
			return Result{}, err
		}
		within = &t
	}
	var out element.Scrolled
	err = e.act(ctx, "scroll", func(ctx context.Context, a *element.Actor) (err error) {
		out, err = a.Scroll(ctx, within, dx, dy)
		return err
	})
	if err != nil {
		return Result{}, err
	}
	data := obj{"scrolled": true, "moved": obj{"x": out.Moved.X, "y": out.Moved.Y}, "atEnd": out.AtEnd()}
	text := done
	switch {
	case out.Wheel:
	case out.Moved == element.Point{}:
		data["scrolled"] = false
		text = "✓ Nothing moved: " + out.Scroller + " is at its end already"
	case out.AtEnd():
		text += " (" + out.Scroller + " is at its end now)"
	}
	return Result{Data: data, Text: text}, nil
}
