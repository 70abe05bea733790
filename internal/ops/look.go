package ops

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/element"
	"github.com/usher-browser/usher/internal/supervisor"
	"github.com/usher-browser/usher/internal/verb"
	"github.com/usher-browser/usher/internal/view"
)

func lookVerbs() map[string]Func { return map[string]Func{"snapshot": snapshot} }

func snapshot(ctx context.Context, e *Env, c *verb.Call) (Result, error) {
	opt := view.Options{
		Interactive: c.Bool("interactive"), Compact: c.Bool("compact"), Depth: c.Int("depth"), URLs: c.Bool("urls"),
		Delta: c.Bool("delta"), Budget: c.Int("budget"), Reader: c.Str("reader"), Frame: e.Scope(e.Tab),
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
	shot, err := e.Viewer.Tell(ctx, e.Tab, opt)
	if err != nil {
		return Result{}, e.snapshotError(err, c)
	}
	shot.Origin = e.origin() // the whole address, as agent-browser calls it
	return Result{Data: shot, Text: shot.Text, Warning: missing(e.Browser.State(), shot)}, nil
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
func missing(s *supervisor.State, shot *view.Snapshot) string {
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
		parts = append(parts, fmt.Sprintf("%s: the script that reads pages failed in %s, so that is told as the browser tells it: %s", api.PageScriptFailed, where, why))
	}
	return strings.Join(parts, "; ")
}
