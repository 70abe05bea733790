package run

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"time"

	protocol "github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/target"
	jsonv2 "github.com/go-json-experiment/json"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/supervisor/model"
	"github.com/usher-browser/usher/internal/verb"
)

// HasDocument reports whether the tab's main frame holds that document.
func (e *Env) HasDocument(loader string) bool {
	f := e.Browser.State().MainFrame(e.Tab)
	return f != nil && f.Loader == loader
}

// MainFrameOf returns the main frame of a tab; empty if there is none.
func MainFrameOf(s *model.State, tab model.TargetID) model.FrameID {
	if f := s.MainFrame(tab); f != nil {
		return f.ID
	}
	return ""
}

// titlesLimit bounds a question that only the browser process has to answer.
const titlesLimit = time.Second

// Titles reads the titles of all tabs from the browser process. It has them even while a page is blocked, and sooner
// than the events. On failure it returns the titles of the events.
func (e *Env) Titles(ctx context.Context) map[model.TargetID]string {
	if e.Sites != nil {
		return e.JudgedTitles(ctx)
	}
	titles := map[model.TargetID]string{}
	for id, t := range e.Browser.State().Tabs {
		titles[id] = t.Title
	}
	if t := e.Browser.State().Tabs[e.Tab]; t != nil && t.Unresponsive != nil && t.Unresponsive.Reason == model.ReasonBrowser {
		return titles
	}
	ctx, cancel := context.WithTimeout(ctx, titlesLimit)
	defer cancel()
	if got, err := cdp.Do(ctx, e.Browser.Session(""), target.GetTargets, target.GetTargetsParams{}); err == nil {
		for _, t := range got.TargetInfos {
			titles[model.TargetID(t.TargetID)] = t.Title
		}
	}
	return titles
}

// Title reads the title from the page. If the page does not answer, it returns the browser's title and a warning with
// the reason. The error is that the browser is gone.
func (e *Env) Title(ctx context.Context, tab *model.Tab) (title, warning string, err error) {
	res, err := cdp.Do(ctx, e.Browser.Session(tab.Session), runtime.Evaluate,
		runtime.EvaluateParams{Expression: "document.title", ReturnByValue: new(true), Silent: new(true)})
	if err == nil && res.Result != nil {
		if jerr := jsonv2.Unmarshal(res.Result.Value, &title); jerr == nil {
			return title, "", nil
		}
	}
	if errors.Is(err, cdp.ErrClosed) {
		return "", "", e.Explain(err, "read the page's title")
	}
	if err != nil { // explained first: that shows whether the browser answers
		warning = e.Explain(err, "read the page's title").Error()
	}
	return e.Titles(context.WithoutCancel(ctx))[tab.ID], warning, nil
}

// retryPause is the time between two tries of a question to a tab that has no page
// for the moment.
const retryPause = 10 * time.Millisecond

// DoInTab is cdp.Do for a command about the tab itself. While one document replaces another, as right after a navigation
// that failed or that a script began, the browser refuses such commands for some milliseconds: "Not attached to an
// active page" (measured on Chromium 156). DoInTab then repeats it.
func DoInTab[P, R any](ctx context.Context, s *cdp.Session, c protocol.Command[P, R], params P) (R, error) {
	for {
		res, err := cdp.Do(ctx, s, c, params)
		if !beingReplaced(err) {
			return res, err
		}
		select {
		case <-time.After(retryPause):
		case <-ctx.Done():
			return res, context.Cause(ctx)
		}
	}
}

// beingReplaced reports whether a command was refused because one document replaces another.
func beingReplaced(err error) bool {
	var refused *cdp.Error
	return errors.As(err, &refused) && strings.Contains(refused.Message, "Not attached to an active page")
}

// TabID returns the name of a tab in commands and results: t1, t2, …
func TabID(t *model.Tab) string { return "t" + strconv.Itoa(t.Number) }

// FindTab returns a tab of the session by its id, label or target id.
func (e *Env) FindTab(name string) (*model.Tab, error) {
	tabs := e.Tabs()
	labelled := e.Labels.Find(name)
	for _, t := range tabs {
		if strings.EqualFold(TabID(t), name) || string(t.ID) == name || t.ID == labelled {
			return t, nil
		}
	}
	var known []string
	for _, t := range tabs {
		known = append(known, TabID(t))
	}
	for _, g := range e.Browser.State().Gone {
		if g.Context == e.Context && (strings.EqualFold("t"+strconv.Itoa(g.Number), name) || string(g.ID) == name || g.ID == labelled) {
			return nil, e.goneError(g.ID)
		}
	}
	if _, err := strconv.Atoi(name); err == nil {
		return nil, api.Errorf(api.TabNotFound, "Expected a tab id like t%s, got %q; the tabs are %s", name, name, strings.Join(known, ", "))
	}
	return nil, api.Errorf(api.TabNotFound, "Tab %s not found; the tabs are %s", name, strings.Join(known, ", "))
}

// NamedTab returns the tab that a call refers to, else the verb's own.
func (e *Env) NamedTab(c *verb.Call) (*model.Tab, error) {
	if c.Has("tab") {
		return e.FindTab(c.Str("tab"))
	}
	return e.CurrentTab()
}
