package run

import (
	"context"
	"slices"
	"time"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/supervisor/model"
	"github.com/usher-browser/usher/internal/verb"
	"github.com/usher-browser/usher/internal/world"
)

// How many tokens the changes of a page are told in. What is another document, or so different that only the whole tells it,
// gets more: to be cut down there means another call.
const (
	changesBudget = 300
	wholeBudget   = 1500
)

// changing tells behind an action what became of the page, if that was asked for.
func changing(f Func) Func {
	return func(ctx context.Context, e *Env, c *verb.Call) (Result, error) {
		mode := ""
		if c.Verb.Is(verb.TellsChanges) {
			mode = c.Str("changes")
		}
		if mode == "" || mode == "none" {
			return f(ctx, e, c)
		}
		began, before := time.Now(), e.Browser.State()
		e.later = true
		res, err := f(ctx, e, c)
		if err != nil {
			return res, err
		}
		e.tellChanges(ctx, c, &res, began, before)
		return res, nil
	}
}

// tellChanges adds the changes of the page that is active now. That they cannot be told is no failure of the action.
func (e *Env) tellChanges(ctx context.Context, c *verb.Call, res *Result, began time.Time, before *model.State) {
	data, ok := res.Data.(Teller)
	if !ok {
		return
	}
	told := data.Seen()
	add := func(seen *api.Outcome) {
		res.Text += outcomeText(seen)
		told.Add(seen)
	}
	at := *e // behind the action, which noted the element
	if tab, there := e.Active(); there {
		at.Tab = tab
	}
	if told.DialogOpened { // it holds the page, and the outcome tells of it
		add(&api.Outcome{Downloads: e.begun(ctx, before)})
		return
	}
	seen := &api.Outcome{Changes: &api.Changes{}}
	at.TakeAction()
	guarded, stop := at.Guard(ctx)
	defer stop()
	var err error
	if seen.Unsettled, seen.Invalid, err = at.Settle(guarded, began, settleAll); err == nil {
		err = at.lookForChanges(guarded, c, seen.Changes)
	}
	if err != nil {
		seen.Changes.Error = api.AsError(at.Explain(err, "read the changes")).Sentence()
	}
	at.alsoAsked(seen, told, before)
	e.alsoOpened(seen, told, before)
	seen.Downloads = e.begun(guarded, before)
	add(seen)
}

// alsoAsked notes the dialogs that opened while the page was waited for: the one that holds it now, in place of changes, and
// those that a rule or the policy has closed.
func (e *Env) alsoAsked(seen, told *api.Outcome, before *model.State) {
	s := e.Browser.State()
	if d := s.Dialog(e.Tab); d != nil && d.Waits() && !slices.ContainsFunc(before.Dialogs, func(b *model.Dialog) bool { return b.ID == d.ID }) {
		e.MarkReportedIf(func(i *model.Interruption) bool { return i.Dialog != nil && i.Dialog.ID == d.ID })
		seen.DialogOpened, seen.Changes, seen.Unsettled, seen.Dialog = true, nil, "", DialogData(d)
	}
	for _, d := range s.RecentDialogs {
		known := slices.Contains(before.RecentDialogs, d) ||
			slices.ContainsFunc(told.Dialogs, func(one api.ClosedDialog) bool { return one.ID == d.ID })
		if d.Tab == e.Tab && d.ClosedBy == model.ByPolicy && !known {
			seen.Dialogs = append(seen.Dialogs, closedDialog(d))
		}
	}
}

// fileGrace is how long a download that an action began is waited for: most are small.
const fileGrace = time.Second

// begun are the downloads that began since a state, complete ones under the names that servers suggest.
func (e *Env) begun(ctx context.Context, before *model.State) []api.Download {
	fresh := func(s *model.State) (list []*model.Download) {
		for _, d := range s.Downloads {
			known := slices.ContainsFunc(before.Downloads, func(b *model.Download) bool { return b.GUID == d.GUID })
			if !known && e.DownloadOwner(s, d) == Owned {
				list = append(list, d)
			}
		}
		return list
	}
	if len(fresh(e.Browser.State())) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, fileGrace)
	defer cancel()
	// What is not complete by then is told as that.
	_ = e.Browser.Wait(ctx, func(s *model.State) (bool, error) {
		under := slices.ContainsFunc(fresh(s), func(d *model.Download) bool { return d.State == model.DownloadInProgress })
		return !under, BrowserLost(s)
	})
	var list []api.Download
	for _, d := range fresh(e.Browser.State()) {
		e.MarkReportedIf(func(i *model.Interruption) bool { return i.Download == d.GUID })
		one := e.DownloadResult(d)
		if d.State == model.DownloadCompleted {
			if path, err := UnderItsName(one); err == nil { // it lies under the other name all the same
				one.Path = path
			}
		}
		list = append(list, one)
	}
	return list
}

// alsoOpened notes the tabs that came up beside the one that the action told of.
func (e *Env) alsoOpened(seen, told *api.Outcome, before *model.State) {
	for _, t := range e.Tabs() {
		if before.Tabs[t.ID] == nil && t.Opener != "" && TabID(t) != told.TabID {
			e.MarkReportedIf(func(i *model.Interruption) bool { return i.NewTab == t.ID })
			seen.Opened = append(seen.Opened, api.Tab{TabID: TabID(t), URL: t.URL})
		}
	}
}

// lookForChanges tells what changed since the reader last saw the page.
func (e *Env) lookForChanges(ctx context.Context, c *verb.Call, changes *api.Changes) error {
	opt := e.Viewer.Last(e.Tab, c.Str("reader"))
	opt.Budget, opt.Whole = changesBudget, wholeBudget
	opt.Delta, opt.Title = true, true
	opt.ActedDocument, opt.Acted = world.Document{Frame: e.acted.Frame, Loader: e.acted.Loader}, uint32(e.acted.ID)
	if c.Str("changes") == "full" {
		opt.Budget, opt.Delta = 0, false
	}
	shot, err := e.Viewer.Tell(ctx, e.Tab, opt)
	if err != nil {
		return err
	}
	changes.Text = shot.Text
	changes.Truncated = shot.Spent != nil && shot.Spent.Truncated
	if shot.Compared != nil {
		changes.Delta, changes.Why = shot.Compared.Delta, shot.Compared.Why
	}
	if !changes.Delta {
		changes.Title = shot.Title
	}
	return nil
}
