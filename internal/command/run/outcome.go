package run

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/element"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

// NavigationLimit is how long an action that began a navigation waits for the new document, so that the next command
// does not read the old one.
const NavigationLimit = 5 * time.Second

// OutcomeOf adds to the data of an action what the browser reported, and appends it to the text.
func OutcomeOf[T OutcomeData](ctx context.Context, e *Env, data T, out *element.Outcome) Reply[T] {
	seen := e.completeOutcome(ctx, out)
	res := Reply[T]{Data: data, Text: Done + outcomeText(seen)}
	data.Base().Add(seen)
	if d := out.Dialog; d != nil && e.Settings.Compatible {
		res.Warning = "A JavaScript " + d.Type + " dialog is blocking the page: " + Quote(d.Message) + "; answer with `dialog accept` or `dialog dismiss`"
	}
	if n := out.Element.Alike; n > 1 {
		res.Warning = api.JoinWarnings(res.Warning, fmt.Sprintf("%d elements match equally well, and this was done to the first: `snapshot -i` has a ref for each, and --strict refuses to choose", n))
	}
	return res
}

// outcomeText returns an outcome as lines after the text of an action.
func outcomeText(seen *api.Outcome) string {
	var b strings.Builder
	for _, line := range seen.Lines() {
		b.WriteString("\n  " + line)
	}
	switch c := seen.Changes; {
	case c == nil:
	case c.Error != "":
		b.WriteString("\n  no changes: " + c.Error)
	case c.Text != "":
		b.WriteString("\n" + c.Text)
	}
	return b.String()
}

// completeOutcome completes an observed outcome for the result: it waits for new documents, and makes a tab that was
// opened the active one, unless the session is pinned to its tab.
func (e *Env) completeOutcome(ctx context.Context, out *element.Outcome) *api.Outcome {
	seen := &api.Outcome{TabClosed: out.TabClosed, Invalid: out.Invalid}
	if n := out.Navigation; n != nil && n.Main {
		e.awaitNavigation(ctx, out)
		seen.Navigation = &api.Navigation{URL: n.URL, Committed: n.Committed, SameDocument: n.SameDocument}
	}
	if d := out.Dialog; d != nil {
		seen.DialogOpened, seen.Dialog = true, DialogData(d)
	}
	if e.Settings.Compatible {
		seen.DialogOpened = seen.DialogOpened || len(out.Answered) > 0
	} else {
		for _, d := range out.Answered {
			seen.Dialogs = append(seen.Dialogs, closedDialog(d))
		}
	}
	for _, id := range out.NewTabs {
		t := e.opened(ctx, id)
		if t == nil && !out.AddDownloads(e.Browser.State()) {
			e.awaitBegin(ctx, out)
		}
		if t != nil {
			e.MarkReportedIf(func(i *model.Interruption) bool { return i.NewTab == id })
			if _, pinned := e.Pinned(); pinned { // it is not followed
				seen.Opened = append(seen.Opened, api.Tab{TabID: TabID(t), URL: t.URL})
				continue
			}
			e.SetActive(id)
			if seen.NewTab { // the last one is active
				seen.Opened = append(seen.Opened, api.Tab{TabID: seen.TabID, URL: seen.URL})
			}
			seen.NewTab, seen.URL, seen.TabID = true, t.URL, TabID(t)
		}
	}
	out.AddDownloads(e.Browser.State())
	for _, d := range out.Downloads {
		e.MarkReportedIf(func(i *model.Interruption) bool { return i.Download == d.GUID })
		if !e.downloadsLater {
			seen.Downloads = append(seen.Downloads, e.Downloads.Result(d))
		}
	}
	for _, i := range out.Interruptions {
		e.MarkReported(i)
		seen.Interruption = e.InterruptionData(i)
		seen.Waits = e.InterruptionLine(i) + "; answer with `" + strings.Join(e.Answers(i), "` or `") + "`"
	}
	return seen
}

// awaitNavigation waits a little for the document an action leads to.
func (e *Env) awaitNavigation(ctx context.Context, out *element.Outcome) {
	n := out.Navigation
	if n.SameDocument {
		return
	}
	ctx, stop := e.Browser.Guard(ctx, e.Tab)
	defer stop()
	ctx, cancel := context.WithTimeout(ctx, min(NavigationLimit, e.Limit))
	defer cancel()
	// A document that does not arrive in time is no failure of the action; the result has the state of its loading.
	_ = e.Browser.Wait(ctx, func(s *model.State) (bool, error) {
		f := s.MainFrame(e.Tab)
		if f == nil {
			return true, nil
		}
		n.Committed = n.Committed || f.URL == n.URL
		return n.Committed && f.Ready(), s.TabLost(e.Tab)
	})
	if t := e.Browser.State().Tabs[e.Tab]; t != nil && n.Committed {
		n.URL = t.URL
	}
}

// beginGrace is how long a window that is gone may take to become a download.
const beginGrace = 200 * time.Millisecond

// awaitBegin waits a little for the download of a window that was opened for nothing else.
func (e *Env) awaitBegin(ctx context.Context, out *element.Outcome) {
	ctx, cancel := context.WithTimeout(ctx, beginGrace)
	defer cancel()
	// That none begins is no failure of the action.
	_ = e.Browser.Wait(ctx, func(s *model.State) (bool, error) { return out.AddDownloads(s), s.Unreachable() })
}

// opened waits a short time for the document of a tab that an action opened, because the tab has no address before. It
// returns nil if the tab is gone again.
func (e *Env) opened(ctx context.Context, id model.TargetID) *model.Tab {
	ctx, stop := e.Browser.Guard(ctx, id)
	defer stop()
	ctx, cancel := context.WithTimeout(ctx, min(NavigationLimit, e.Limit))
	defer cancel()
	// Not arriving in time is no failure of the action.
	_ = e.Browser.Wait(ctx, func(s *model.State) (bool, error) {
		f := s.MainFrame(id)
		return f != nil && f.PendingURL == "" && f.Ready() && s.Tabs[id].URL != "", s.TabLost(id)
	})
	return e.Browser.State().Tabs[id]
}
