package ops

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/element"
	"github.com/usher-browser/usher/internal/supervisor/model"
	"github.com/usher-browser/usher/internal/verb"
	"github.com/usher-browser/usher/internal/view"
	"github.com/usher-browser/usher/internal/world"
)

func lookVerbs() map[string]Func { return map[string]Func{"snapshot": snapshot} }

func snapshot(ctx context.Context, e *Env, c *verb.Call) (Result, error) {
	opt := view.Options{
		Interactive: c.Bool("interactive"), Compact: c.Bool("compact"), Depth: c.Int("depth"), URLs: c.Bool("urls"),
		Delta: c.Bool("delta"), Find: c.Str("find"), Budget: c.Int("budget"), Reader: c.Str("reader"), Frame: e.Scope(e.Tab),
		Title: true,
	}
	if c.Has("selector") {
		if err := e.scopeOf(ctx, c, &opt); err != nil {
			return Result{}, err
		}
	}
	ctx, stop := e.guard(ctx)
	defer stop()
	if _, err := e.tab(); err != nil {
		return Result{}, err
	}
	shot, busy, err := e.look(ctx, opt)
	if err != nil {
		return Result{}, e.snapshotError(err, c)
	}
	shot.Origin = e.origin() // the whole address, as agent-browser calls it
	return Result{Data: shot, Text: shot.Heading() + shot.Text, Warning: joined(busy, missing(e.Browser.State(), shot))}, nil
}

// look tells of the page when what the last action began has come, within bounds: answers of servers, and, where the page
// shows nothing yet or says that it is busy, that. busy is what it is still waiting for.
func (e *Env) look(ctx context.Context, opt view.Options) (shot *view.Snapshot, busy string, err error) {
	since := e.takeAction()
	settled := since.IsZero()
	if !settled && e.working(since) {
		if busy, _, err = e.settle(ctx, since, arriveAll); err != nil {
			busy = "" // what keeps the page from being asked, the look at it tells
		}
		settled = true
	}
	var sign *world.Pending
	if !settled && !opt.Delta { // asked beside the look, for which the page is asked anyway
		sign, _ = e.Worlds.Start(ctx, mainFrameOf(e.Browser.State(), e.Tab), "busy", nil)
	}
	shot, err = e.Viewer.Tell(ctx, e.Tab, opt)
	// Another look would make of a delta one to this look.
	if err != nil || settled || opt.Delta || !e.seemsBusy(ctx, shot, sign) && !e.working(since) {
		return shot, notSettled(busy), err
	}
	if busy, _, err = e.settle(ctx, since, arriveAll); err != nil {
		return shot, "", nil //nolint:nilerr // it is shown as it was seen
	}
	again, err := e.Viewer.Tell(ctx, e.Tab, opt)
	if err != nil {
		return shot, notSettled(busy), nil //nolint:nilerr // it is shown as it was seen before
	}
	return again, notSettled(busy), nil
}

// working says whether what the tab asked of servers since a moment is under way, or was answered so late that the page may
// still work on the answer.
func (e *Env) working(since time.Time) bool {
	last := e.Journal.LastAsked(e.Tab)
	return e.Journal.Asking(e.Tab, since) != "" || last.Ended.After(since) && time.Since(last.Ended) < stillBehind
}

// notSettled is the warning that a page is still busy.
func notSettled(busy string) string {
	if busy == "" {
		return ""
	}
	return "the page has not settled: " + busy
}

// seemsBusy says whether a page is worth waiting for: it showed nothing to act on, or had a sign that it is at work.
func (e *Env) seemsBusy(ctx context.Context, shot *view.Snapshot, asked *world.Pending) bool {
	if shot.Text == view.EmptyPage || shot.Text == view.NoInteractive || !strings.Contains(shot.Text, "ref=") {
		return true
	}
	var page struct {
		Sign string `json:"sign"`
	}
	// A page that cannot say so is told as it is.
	return asked != nil && asked.Wait(ctx, &page) == nil && page.Sign != ""
}

// scopeOf sets where the outline begins. CSS and refs are the viewer's own; any
// other selector is looked up and becomes a ref.
func (e *Env) scopeOf(ctx context.Context, c *verb.Call, opt *view.Options) error {
	t := c.Target("selector")
	switch t.Kind {
	case verb.CSS:
		opt.Selector = t.Value
		return nil
	case verb.Ref:
		opt.Ref = t.Ref
		return nil
	}
	target, err := e.target(c, "selector")
	if err != nil {
		return err
	}
	var el element.Element
	err = e.act(ctx, "snapshot", func(ctx context.Context, a *element.Actor) (err error) {
		el, _, err = a.Find(ctx, target)
		return err
	})
	if err != nil {
		return err
	}
	opt.Ref = e.refOf(el)
	return nil
}

func (e *Env) snapshotError(err error, c *verb.Call) error {
	var ref *view.RefError
	var page *view.PageError
	switch {
	case errors.As(err, &ref) && !ref.Known:
		return api.Errorf(api.UnknownRef, "Unknown ref: e%d", ref.Number)
	case errors.As(err, &ref):
		return api.Errorf(api.StaleRef, "snapshot @e%d: its element (%s %q) is gone", ref.Number, ref.Ref.Role, ref.Ref.Name)
	case errors.As(err, &page):
		return api.Errorf(api.Code(page.Code), "snapshot %s: %s", c.Str("selector"), page.Message)
	}
	return e.explain(err, "snapshot")
}

// missing tells of frames that could not be seen.
func missing(s *model.State, shot *view.Snapshot) string {
	var parts []string
	for id, why := range shot.Missing {
		where := string(id)
		if f := s.Frame(id); f != nil {
			where = f.URL
		}
		parts = append(parts, fmt.Sprintf("frame %s is not shown: %s", where, why))
	}
	for id, why := range shot.Failed {
		where := string(id)
		if f := s.Frame(id); f != nil {
			where = f.URL
		}
		parts = append(parts, fmt.Sprintf("%s: the page script failed in %s, so the browser's accessibility tree is used there: %s", api.PageScriptFailed, where, why))
	}
	return strings.Join(parts, "; ")
}
