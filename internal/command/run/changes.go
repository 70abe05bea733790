package run

import (
	"context"
	"slices"
	"time"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/command/run/downloads"
	"github.com/usher-browser/usher/internal/command/run/settle"
	"github.com/usher-browser/usher/internal/fault"
	"github.com/usher-browser/usher/internal/supervisor/model"
	"github.com/usher-browser/usher/internal/verb"
	"github.com/usher-browser/usher/internal/view"
	"github.com/usher-browser/usher/internal/world"
)

// Default budgets of the changes of a page, in tokens. A new document, or one so different that only the whole outline
// shows it, gets more, because cutting it would cost another call.
const (
	changesBudget = 300
	wholeBudget   = 1500
)

// withChanges wraps a command so that its result has the changes of the page, if they were requested.
func withChanges(f Func) Func {
	return func(ctx context.Context, e *Env, c *verb.Call) (Result, error) {
		mode := ""
		if c.Verb.Is(verb.ReportsChanges) {
			mode = c.Str("changes")
		}
		if mode == "" || mode == "none" {
			return f(ctx, e, c)
		}
		began, before := time.Now(), e.Browser.State()
		active, _ := e.Active()
		e.downloadsLater = true
		res, err := f(ctx, e, c)
		if err != nil {
			return res, err
		}
		shown := *e // with the element of the action
		if now, ok := e.Active(); ok && (now != active || e.Browser.State().Tabs[e.Tab] == nil) {
			shown.Tab = now // the action opened a tab, or switched to another
		}
		shown.reportChanges(ctx, c, &res, began, before)
		return res, nil
	}
}

// reportChanges adds the changes of the tab's page. An error of that is reported in them, because the action itself has
// succeeded.
func (e *Env) reportChanges(ctx context.Context, c *verb.Call, res *Result, began time.Time, before *model.State) {
	data, ok := res.Data.(OutcomeData)
	if !ok {
		return
	}
	reported := data.Base()
	add := func(seen *api.Outcome) {
		res.Text += outcomeText(seen)
		reported.Add(seen)
	}
	if reported.DialogOpened { // it blocks the page, and is in the outcome
		add(&api.Outcome{Downloads: e.begun(ctx, before)})
		return
	}
	seen := &api.Outcome{Changes: &api.Changes{}}
	e.TakeAction()
	guarded, stop := e.Guard(ctx)
	defer stop()
	err := e.awaitChanges(guarded, c, seen, began)
	if err != nil {
		seen.Changes.Error = api.AsError(e.Explain(err, "read the changes")).Sentence()
	}
	e.addDialogs(seen, reported, before)
	e.addTabs(seen, reported, before)
	seen.Downloads = e.begun(guarded, before)
	add(seen)
}

// addDialogs adds the dialogs that opened during the wait: the one that blocks the page now, in place of changes, and
// those that a rule or the policy has closed.
func (e *Env) addDialogs(seen, reported *api.Outcome, before *model.State) {
	s := e.Browser.State()
	if d := s.Dialog(e.Tab); d != nil && d.NeedsAnswer() && !slices.ContainsFunc(before.Dialogs, func(b *model.Dialog) bool { return b.ID == d.ID }) {
		e.MarkReportedIf(func(i *model.Interruption) bool { return i.Dialog != nil && i.Dialog.ID == d.ID })
		seen.DialogOpened, seen.Changes, seen.Unsettled, seen.Dialog = true, nil, "", DialogData(d)
	}
	for _, d := range s.RecentDialogs {
		known := slices.Contains(before.RecentDialogs, d) ||
			slices.ContainsFunc(reported.Dialogs, func(one api.ClosedDialog) bool { return one.ID == d.ID })
		if d.Tab == e.Tab && d.ClosedBy == model.ByPolicy && !known {
			seen.Dialogs = append(seen.Dialogs, closedDialog(d))
		}
	}
}

// fileGrace is how long a download that an action started is waited for: most are small.
const fileGrace = time.Second

// begun returns the downloads that started after the state before. Complete ones are under the names that servers
// suggest.
func (e *Env) begun(ctx context.Context, before *model.State) []api.Download {
	fresh := func(s *model.State) (list []*model.Download) {
		for _, d := range s.Downloads {
			known := slices.ContainsFunc(before.Downloads, func(b *model.Download) bool { return b.GUID == d.GUID })
			if !known && e.Downloads.Owner(s, d) == downloads.Owned {
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
	// A download that is not complete after fileGrace is reported as it is.
	_ = e.Browser.Wait(ctx, func(s *model.State) (bool, error) {
		under := slices.ContainsFunc(fresh(s), func(d *model.Download) bool { return d.State == model.DownloadInProgress })
		return !under, s.Unreachable()
	})
	var list []api.Download
	for _, d := range fresh(e.Browser.State()) {
		e.MarkReportedIf(func(i *model.Interruption) bool { return i.Download == d.GUID })
		one := e.Downloads.Result(d)
		if d.State == model.DownloadCompleted {
			if path, err := downloads.LinkAsSuggested(one); err == nil { // on failure it stays under the browser's name
				one.Path = path
			}
		}
		list = append(list, one)
	}
	return list
}

// addTabs adds the tabs that opened besides the one that the action reported.
func (e *Env) addTabs(seen, reported *api.Outcome, before *model.State) {
	for _, t := range e.Tabs() {
		if before.Tabs[t.ID] == nil && t.Opener != "" && TabID(t) != reported.TabID {
			e.MarkReportedIf(func(i *model.Interruption) bool { return i.NewTab == t.ID })
			seen.Opened = append(seen.Opened, api.Tab{TabID: TabID(t), URL: t.URL})
		}
	}
}

// earlyLimit bounds the last outline of a page, in bytes, up to which a snapshot is taken during the wait. It delays the
// page's scripts: by about 3 ms for an outline of 4 KB.
const earlyLimit = 16 << 10

// awaitChanges waits until the page is stable, and sets the changes since the reader last saw it. It takes a snapshot
// during the wait, and another one if something changed meanwhile.
func (e *Env) awaitChanges(ctx context.Context, c *verb.Call, seen *api.Outcome, began time.Time) error {
	opt, size := e.changesOptions(c)
	early := make(chan *view.Look, 1)
	var asked func()
	if size <= earlyLimit && e.NoOutline == "" {
		asked = func() {
			fault.Go(ctx, func() {
				defer close(early)
				if look, err := e.Viewer.Look(ctx, e.Tab, opt); err == nil { // on failure the snapshot afterwards reports why
					early <- look
				}
			})
		}
	}
	st, err := e.settling().Wait(ctx, began, settle.ActionLimit, asked)
	seen.Unsettled, seen.Invalid = st.Busy, st.Invalid
	var look *view.Look
	if st.Asked {
		look = <-early
	}
	if err != nil {
		return err
	}
	if e.NoOutline != "" {
		seen.Changes.Error = e.NoOutline
		return nil
	}
	if look == nil || !st.Unchanged || !look.Current(e.Browser.State()) {
		if look, err = e.Viewer.Look(ctx, e.Tab, opt); err != nil {
			return err
		}
	}
	setChanges(seen.Changes, e.Viewer.Report(look))
	return nil
}

// changesOptions returns the options of the snapshot after an action, and the size in bytes of the outline that the
// reader saw last.
func (e *Env) changesOptions(c *verb.Call) (view.Options, int) {
	opt, size := e.Viewer.Last(e.Tab, c.Str("reader"))
	opt.Budget, opt.Whole = changesBudget, wholeBudget
	opt.Delta, opt.Title = true, true
	opt.ActedDocument, opt.Acted = e.actedDocument(), uint32(e.acted.ID)
	if c.Str("changes") == "full" {
		opt.Budget, opt.Delta = 0, false
	}
	return opt, size
}

func setChanges(changes *api.Changes, shot *view.Snapshot) {
	changes.Text = shot.Text
	changes.Truncated = shot.Spent != nil && shot.Spent.Truncated
	if shot.Compared != nil {
		changes.Delta, changes.Why = shot.Compared.Delta, shot.Compared.Why
	}
	if !changes.Delta {
		changes.Title = shot.Title
	}
}

// settling is the verb's page, to wait for.
func (e *Env) settling() settle.Page {
	return settle.Page{Browser: e.Browser, Worlds: e.Worlds, Journal: e.Journal, Tab: e.Tab, Acted: e.actedDocument()}
}

// actedDocument is the document of the element that was acted on; zero for none.
func (e *Env) actedDocument() world.Document {
	return world.Document{Frame: e.acted.Frame, Loader: e.acted.Loader}
}

// AwaitStable waits for what the page started after since: documents, requests, changes of its DOM, busy signs. It waits
// at most all. It returns what is still in progress, "" for nothing.
func (e *Env) AwaitStable(ctx context.Context, since time.Time, all time.Duration) (busy string, err error) {
	st, err := e.settling().Wait(ctx, since, all, nil)
	return st.Busy, err
}

// Working reports whether a request of the tab since a moment is in flight, or had its response so late that the page
// may still handle it.
func (e *Env) Working(since time.Time) bool { return e.settling().Working(since) }
