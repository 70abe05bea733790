package run

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/supervisor"
	"github.com/usher-browser/usher/internal/verb"
	"github.com/usher-browser/usher/internal/world"
)

// How many tokens the changes of a page are told in. What is another document, or so different that only the whole tells it,
// gets more: to be cut down there means another call.
const (
	changesBudget = 300
	wholeBudget   = 1500
)

// How long a page is waited for after an action.
const (
	// stillFor is how long nothing changes in a page that has done with an action: what an event leads to is mostly done when
	// the event is over.
	stillFor = 3 * time.Millisecond
	// stillBehind is the same when a server has answered meanwhile: the page has then yet to work on the answer.
	stillBehind = 20 * time.Millisecond
	// changeLimit is how long changes that go on are waited for, busyLimit how long a sign that the page is busy.
	changeLimit = 400 * time.Millisecond
	busyLimit   = 2 * time.Second
	// settleAll is how long all of it takes at most, arriveAll the same for a page that has just come: an application that
	// starts loads its parts one after another.
	settleAll = 4 * time.Second
	ArriveAll = 8 * time.Second
	// rounds is how often it is looked whether what the page did with an answer led to another question: some ask the same
	// for ever. freshRounds is how often where each of them is another one.
	rounds      = 3
	freshRounds = 12
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
func (e *Env) tellChanges(ctx context.Context, c *verb.Call, res *Result, began time.Time, before *supervisor.State) {
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
		seen.Changes.Error = api.AsError(at.Explain(err, "look at the changes")).Sentence()
	}
	at.alsoAsked(seen, told, before)
	e.alsoOpened(seen, told, before)
	seen.Downloads = e.begun(guarded, before)
	add(seen)
}

// alsoAsked notes the dialogs that opened while the page was waited for: the one that holds it now, in place of changes, and
// those that a rule or the policy has closed.
func (e *Env) alsoAsked(seen, told *api.Outcome, before *supervisor.State) {
	s := e.Browser.State()
	if d := s.Dialog(e.Tab); d != nil && d.Waits() && !slices.ContainsFunc(before.Dialogs, func(b *supervisor.Dialog) bool { return b.ID == d.ID }) {
		e.MarkReportedIf(func(i *supervisor.Interruption) bool { return i.Dialog != nil && i.Dialog.ID == d.ID })
		seen.DialogOpened, seen.Changes, seen.Unsettled, seen.Dialog = true, nil, "", DialogData(d)
	}
	for _, d := range s.RecentDialogs {
		known := slices.Contains(before.RecentDialogs, d) ||
			slices.ContainsFunc(told.Dialogs, func(one api.ClosedDialog) bool { return one.ID == d.ID })
		if d.Tab == e.Tab && d.ClosedBy == supervisor.ByPolicy && !known {
			seen.Dialogs = append(seen.Dialogs, closedDialog(d))
		}
	}
}

// fileGrace is how long a download that an action began is waited for: most are small.
const fileGrace = time.Second

// begun are the downloads that began since a state, complete ones under the names that servers suggest.
func (e *Env) begun(ctx context.Context, before *supervisor.State) []api.Download {
	fresh := func(s *supervisor.State) (list []*supervisor.Download) {
		for _, d := range s.Downloads {
			known := slices.ContainsFunc(before.Downloads, func(b *supervisor.Download) bool { return b.GUID == d.GUID })
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
	_ = e.Browser.Wait(ctx, func(s *supervisor.State) (bool, error) {
		under := slices.ContainsFunc(fresh(s), func(d *supervisor.Download) bool { return d.State == supervisor.DownloadInProgress })
		return !under, BrowserLost(s)
	})
	var list []api.Download
	for _, d := range fresh(e.Browser.State()) {
		e.MarkReportedIf(func(i *supervisor.Interruption) bool { return i.Download == d.GUID })
		one := e.DownloadResult(d)
		if d.State == supervisor.DownloadCompleted {
			if path, err := UnderItsName(one); err == nil { // it lies under the other name all the same
				one.Path = path
			}
		}
		list = append(list, one)
	}
	return list
}

// alsoOpened notes the tabs that came up beside the one that the action told of.
func (e *Env) alsoOpened(seen, told *api.Outcome, before *supervisor.State) {
	for _, t := range e.Tabs() {
		if before.Tabs[t.ID] == nil && t.Opener != "" && TabID(t) != told.TabID {
			e.MarkReportedIf(func(i *supervisor.Interruption) bool { return i.NewTab == t.ID })
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

// Settle waits, within bounds, for what the page began since a moment: documents, answers of servers, changes of its tree,
// signs that it is busy; all is how long at most. It returns what is still under way, and which fields a form's check found invalid.
func (e *Env) Settle(ctx context.Context, since time.Time, all time.Duration) (busy string, invalid []api.Invalid, err error) {
	end := time.Now().Add(all)
	still := stillFor
	asked := map[string]bool{}
	for round := 1; ; round++ {
		if err := e.documentReady(ctx, end); err != nil {
			return "", nil, err
		}
		answered, slow, err := e.Journal.WaitAnswered(ctx, e.Tab, since)
		if err != nil {
			return "", nil, err
		}
		if answered {
			still = stillBehind
		}
		var page struct {
			Changing bool          `json:"changing"`
			Busy     string        `json:"busy"`
			Invalid  []api.Invalid `json:"invalid"`
		}
		err = e.Worlds.Call(ctx, MainFrameOf(e.Browser.State(), e.Tab), "settle", map[string]any{
			"quiet": still.Milliseconds(), "changes": changeLimit.Milliseconds(), "busy": busyLimit.Milliseconds(),
			"most": min(all-busyLimit, max(0, time.Until(end))).Milliseconds(), "since": time.Since(since).Milliseconds(),
		}, &page)
		over := time.Now().After(end) || round == rounds
		switch {
		case err != nil && world.DocumentGone(err) && context.Cause(ctx) == nil && !over:
			continue // another document comes
		case err != nil:
			return "", nil, err
		}
		if next := e.Journal.Asking(e.Tab, since); next != "" {
			// What the page did with an answer led to another request.
			fresh := !asked[kindOf(next)] && len(asked) < freshRounds
			asked[kindOf(next)] = true
			late := time.Now().After(end)
			switch {
			case fresh && !late:
				round--
				continue
			case !over:
				continue
			case fresh && slow == "":
				slow = next
			}
		}
		return e.busyWith(page.Busy, page.Changing, slow), page.Invalid, nil
	}
}

// kindOf is the address of a request without what differs when a page asks the same again and again.
func kindOf(url string) string {
	url, _, _ = strings.Cut(url, "?")
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return -1
		}
		return r
	}, url)
}

// busyWith says what a page is busy with, "" for nothing.
func (e *Env) busyWith(sign string, changing bool, slow string) string {
	switch {
	case sign != "":
		return sign
	case slow != "":
		return "no answer yet from " + slow
	case changing:
		return "the page goes on changing"
	}
	return ""
}

// documentReady waits for a document that is on its way to the tab, and until its scripts have run.
func (e *Env) documentReady(ctx context.Context, end time.Time) error {
	ctx, cancel := context.WithDeadline(ctx, end)
	defer cancel()
	err := e.Browser.Wait(ctx, func(s *supervisor.State) (bool, error) {
		f := MainFrame(s, e.Tab)
		return f != nil && f.Going == "" && f.DOMReady, TabLost(s, e.Tab)
	})
	if errors.Is(err, context.DeadlineExceeded) {
		return nil // it is told that it is not there
	}
	return err
}

// MainFrameOf names the main frame of a tab; empty if there is none.
func MainFrameOf(s *supervisor.State, tab supervisor.TargetID) supervisor.FrameID {
	if f := MainFrame(s, tab); f != nil {
		return f.ID
	}
	return ""
}
