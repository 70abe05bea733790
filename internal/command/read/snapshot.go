package read

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/command/run"
	"github.com/usher-browser/usher/internal/command/run/settle"
	"github.com/usher-browser/usher/internal/element"
	"github.com/usher-browser/usher/internal/element/locate"
	"github.com/usher-browser/usher/internal/supervisor/model"
	"github.com/usher-browser/usher/internal/verb"
	"github.com/usher-browser/usher/internal/view"
	"github.com/usher-browser/usher/internal/view/outline"
	"github.com/usher-browser/usher/internal/world"
)

func snapshot(ctx context.Context, e *run.Env, c *verb.Call) (run.Reply[*view.Data], error) {
	opt := view.Options{
		Interactive: c.Bool("interactive"), Compact: c.Bool("compact"), Depth: c.Int("depth"), URLs: c.Bool("urls"),
		Delta: c.Bool("delta") && !c.Bool("full") && !numbersRevisions(e, c), Find: c.Str("find"), Budget: c.Int("budget"), Reader: c.Str("reader"), Frame: e.Scope(e.Tab),
		Title: true,
	}
	if c.Has("selector") {
		if err := ScopeOf(ctx, e, c, &opt); err != nil {
			return run.Reply[*view.Data]{}, err
		}
	}
	ctx, stop := e.Guard(ctx)
	defer stop()
	if _, err := e.CurrentTab(); err != nil {
		return run.Reply[*view.Data]{}, err
	}
	shot, busy, err := Look(ctx, e, opt)
	if err != nil {
		return run.Reply[*view.Data]{}, SnapshotError(e, err, c)
	}
	shot.Origin = e.Origin() // the whole address, as agent-browser calls it
	data := DataOf(e, shot)
	text := data.Snapshot
	if !e.Settings.Compatible { // agent-browser's has only the outline, in which scripts search and count lines
		text = shot.Heading() + text
	}
	return run.Reply[*view.Data]{Data: data, Text: text, Warning: api.JoinWarnings(api.JoinWarnings(busy, failed(ctx, e, shot)), Missing(e.Browser.State(), shot))}, nil
}

// DataOf returns a snapshot for programs, with the outline in which scripts of the program's name search.
func DataOf(e *run.Env, shot *view.Snapshot) *view.Data {
	data := shot.Data()
	data.Snapshot = Outline(e, data.Snapshot)
	return data
}

// Outline returns an outline as the program shows it under its name.
func Outline(e *run.Env, text string) string {
	if e.Settings.Compatible {
		return outline.StatesLast(text)
	}
	return text
}

// Look takes a snapshot of the page after the effects of the last action, within bounds: responses of servers, and, if
// the page shows nothing yet or is marked as busy, the end of that. busy is what it is still waiting for.
func Look(ctx context.Context, e *run.Env, opt view.Options) (shot *view.Snapshot, busy string, err error) {
	return look(ctx, e, opt, e.Viewer.ReportSnapshot)
}

// Peek is Look for a snapshot that is not returned as such: it is no baseline of a delta.
func Peek(ctx context.Context, e *run.Env, opt view.Options) (shot *view.Snapshot, busy string, err error) {
	return look(ctx, e, opt, e.Viewer.Snapshot)
}

func look(ctx context.Context, e *run.Env, opt view.Options, take func(context.Context, model.TargetID, view.Options) (*view.Snapshot, error)) (
	shot *view.Snapshot, busy string, err error) {
	since := e.TakeAction()
	stable := since.IsZero()
	if !stable && e.Working(since) {
		if busy, err = e.AwaitStable(ctx, since, settle.LoadLimit); err != nil {
			busy = "" // the snapshot reports what blocks the page
		}
		stable = true
	}
	var sign *world.Pending
	if !stable && !opt.Delta { // read beside the snapshot, which calls the page anyway
		sign, _ = e.Worlds.Start(ctx, run.MainFrameOf(e.Browser.State(), e.Tab), "busy", nil)
	}
	shot, err = take(ctx, e.Tab, opt)
	// Another look would make of a delta one to this look.
	if err != nil || stable || opt.Delta || !seemsBusy(ctx, shot, sign) && !e.Working(since) {
		return shot, notStable(busy), err
	}
	if busy, err = e.AwaitStable(ctx, since, settle.LoadLimit); err != nil {
		return shot, "", nil //nolint:nilerr // it is shown as it was seen
	}
	again, err := take(ctx, e.Tab, opt)
	if err != nil {
		return shot, notStable(busy), nil //nolint:nilerr // it is shown as it was seen before
	}
	return again, notStable(busy), nil
}

// notStable returns the warning that a page is still busy.
func notStable(busy string) string {
	if busy == "" {
		return ""
	}
	return "the page is still changing: " + busy
}

// seemsBusy reports whether a page is worth waiting for: it showed nothing to act on, or had a sign that it is at work.
func seemsBusy(ctx context.Context, shot *view.Snapshot, asked *world.Pending) bool {
	if shot.Text == view.EmptyPage || shot.Text == view.NoInteractive || !strings.Contains(shot.Text, "ref=") {
		return true
	}
	var page struct {
		Sign string `json:"sign"`
	}
	// If the page does not answer, the snapshot is returned as it is.
	return asked != nil && asked.Wait(ctx, &page) == nil && page.Sign != ""
}

// ScopeOf sets where the outline begins. CSS and refs are the viewer's own; any
// other selector is looked up and becomes a ref.
func ScopeOf(ctx context.Context, e *run.Env, c *verb.Call, opt *view.Options) error {
	t := c.Target("selector")
	switch t.Kind {
	case verb.CSS:
		opt.Selector = t.Value
		return nil
	case verb.Ref:
		opt.Ref = t.Ref
		return nil
	}
	target, err := e.Target(c, "selector")
	if err != nil {
		return err
	}
	var el locate.Element
	err = e.Act(ctx, "snapshot", func(ctx context.Context, a *element.Actor) (err error) {
		el, _, err = a.Find(ctx, target)
		return err
	})
	if err != nil {
		return err
	}
	opt.Ref = e.RefOf(el)
	return nil
}

// SnapshotError explains why there is no snapshot.
func SnapshotError(e *run.Env, err error, c *verb.Call) error {
	var ref *view.RefError
	var page *view.PageError
	switch {
	case errors.As(err, &ref) && !ref.Known:
		return api.Errorf(api.UnknownRef, "Unknown ref: e%d", ref.Number)
	case errors.As(err, &ref):
		return api.Errorf(api.StaleRef, "snapshot @e%d: its element (%s %q) is gone", ref.Number, ref.Ref.Role, ref.Ref.Name)
	case errors.As(err, &page):
		out := api.Errorf(api.Code(page.Code), "snapshot %s: %s", c.Str("selector"), page.Message)
		if e.Settings.Compatible && out.Code == api.ElementNotFound {
			out.Message = "Selector '" + c.Str("selector") + "' did not match any element. " + out.Message
		}
		return out
	}
	return e.Explain(err, "snapshot")
}

// Missing returns a note about frames that are not in the snapshot.
func Missing(s *model.State, shot *view.Snapshot) string {
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
		parts = append(parts, fmt.Sprintf("%s: the page script failed in %s; the browser's accessibility tree is used instead: %s", api.PageScriptFailed, where, why))
	}
	return strings.Join(parts, "; ")
}
