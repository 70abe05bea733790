package element

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/element/geometry"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

// Outcome is what an action caused, as the browser reported it.
type Outcome struct {
	// Element is the target; zero for actions without one.
	Element Element
	// Description describes the target in one line: `<button#buy> (button "Buy")`.
	Description string
	// Events counts the trusted events that reached the target, by type. It is nil when the page could not be called
	// any more (a dialog, a closed tab).
	Events map[string]int
	// At is the position of the action in the tab's viewport.
	At geometry.Point
	// Scrolled reports whether the element had to be scrolled into view. Attempts counts how often the action started
	// over because the page moved things meanwhile.
	Scrolled bool
	Attempts int

	// Dialog is the dialog that the action opened; it is still open.
	Dialog *model.Dialog
	// Answered are the dialogs that the action opened and that a rule or the policy closed.
	Answered []*model.Dialog
	// Navigation is the document change that the action began.
	Navigation *Navigation
	// NewTabs are the tabs the action opened.
	NewTabs []model.TargetID
	// Downloads are the downloads the action started.
	Downloads []*model.Download
	// Interruptions are the other prompts that the action opened and that wait for an answer: file choosers, permission
	// requests.
	Interruptions []*model.Interruption
	// TabClosed reports whether the action closed its own tab.
	TabClosed bool

	began func(*model.Download) bool // reports whether a download belongs to this action
}

// AddDownloads adds the downloads that the action has started by now, and reports whether there are any.
func (o *Outcome) AddDownloads(s *model.State) bool {
	for _, d := range s.Downloads {
		known := slices.ContainsFunc(o.Downloads, func(k *model.Download) bool { return k.GUID == d.GUID })
		if !known && o.began != nil && o.began(d) {
			o.Downloads = append(o.Downloads, d)
		}
	}
	return len(o.Downloads) > 0
}

// Navigation is a change of the document in a frame.
type Navigation struct {
	Frame model.FrameID
	URL   string
	// Main reports whether it is the tab's main frame.
	Main bool
	// SameDocument reports whether only the address changed (#fragment, history.pushState).
	SameDocument bool
	// Committed reports whether the new document has replaced the old one; otherwise its server has not answered yet.
	Committed bool
}

// documentGrace is how long to wait until a navigation that an action began commits, so that the next command reads the
// new page.
const documentGrace = time.Second

// saveGrace is how long the server of a link that downloads may take to answer, so that the outcome has the download.
// deferredGrace is how long the browser takes to make a download of a navigation that ended without a document.
const (
	saveGrace     = time.Second
	deferredGrace = 100 * time.Millisecond
)

// openGrace is how long a window that a page opened may take to become a tab, and a tab that it closed to go away.
const openGrace = time.Second

// observer compares the browser before and after an action.
type observer struct {
	e      *action
	before *model.State
	out    Outcome
	saving bool // the page has requested a download
}

// observe starts watching.
func (e *action) observe() *observer {
	return &observer{e: e, before: e.actor.browser.State()}
}

// finish waits for what the action caused and fills in the outcome. err is the error of the input: a dialog that it
// opened, or its tab closing, is part of the outcome and no error. barrier may be false if the page has sent an event
// report after the input.
func (o *observer) finish(ctx context.Context, err error, reported bool) (Outcome, error) {
	a := o.e.actor
	if blocked := a.browser.Blocked(err, a.tab); blocked != nil {
		switch {
		case blocked.Dialog != nil && !slices.Contains(o.before.Dialogs, blocked.Dialog):
			o.out.Dialog = blocked.Dialog
			o.compare(a.browser.State())
			return o.out, nil
		case blocked.Interruption != nil && !slices.Contains(o.before.Interrupts, blocked.Interruption):
			o.compare(a.browser.State())
			return o.out, nil
		case blocked.Gone:
			o.out.TabClosed = true
			o.compare(a.browser.State())
			return o.out, nil
		}
	}
	if err != nil {
		o.e.input = inputSent
		return o.out, o.e.apiError(err)
	}
	if err := o.barrier(ctx, reported); err != nil {
		return o.finish(ctx, err, true)
	}
	if err := o.follow(ctx); err != nil {
		return o.finish(ctx, err, true)
	}
	o.compare(a.browser.State())
	return o.out, nil
}

// barrier returns when the page has reported everything that the input caused at once: its reply to one more call comes
// after those events. A page that navigates away does not reply; the state then shows the navigation.
func (o *observer) barrier(ctx context.Context, reported bool) error {
	a := o.e.actor
	tab := a.browser.State().Tabs[a.tab]
	if reported || tab == nil {
		return nil
	}
	frame := o.e.frame
	if frame == "" {
		frame = tab.Main
	}
	answer, err := a.worlds.Start(ctx, frame, "idle", nil)
	if err != nil {
		return context.Cause(ctx) // the document is gone: the state has the present one
	}
	for {
		s := a.browser.State()
		if f := s.Frame(frame); f == nil || f.PendingURL != "" {
			return nil
		}
		select {
		case <-answer.Done():
			var idle struct {
				Closing bool `json:"closing"`
				Saving  bool `json:"saving"`
			}
			err := answer.Wait(ctx, &idle)
			o.saving = idle.Saving
			f := s.Frame(frame)
			detached := errors.Is(err, cdp.ErrDetached) && f != nil && f.Session == o.e.session
			if idle.Closing || detached {
				o.until(ctx, openGrace, func(s *model.State) bool { return s.Tabs[a.tab] == nil })
			}
			return context.Cause(ctx) // without a reply the document is gone: the state has the next
		case <-s.Changed():
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// follow waits for a requested window to appear and for a navigation of the main frame to commit or fail, each for a
// bounded time.
func (o *observer) follow(ctx context.Context) error {
	a := o.e.actor
	was := o.before.Tabs[a.tab]
	now := a.browser.State().Tabs[a.tab]
	if was == nil || now == nil {
		return nil
	}
	if opened := now.Windows - was.Windows; opened > 0 {
		o.until(ctx, openGrace, func(s *model.State) bool { return len(o.newTabs(s)) >= opened || o.downloads(s) })
	}
	if f := now.Frames[o.frame(now)]; f != nil && f.PendingURL != "" {
		o.out.Navigation = &Navigation{Frame: f.ID, URL: f.PendingURL, Main: f.ID == now.Main}
	} else if m := now.MainFrame(); m != nil && m.PendingURL != "" {
		o.out.Navigation = &Navigation{Frame: m.ID, URL: m.PendingURL, Main: true}
	}
	if f := newFrame(was, now); f != nil {
		o.until(ctx, deferredGrace, func(s *model.State) bool {
			f := s.Frame(f.ID)
			return f == nil || !blank(f) || o.downloads(s)
		})
	}
	if n := o.out.Navigation; n != nil {
		o.until(ctx, documentGrace, func(s *model.State) bool {
			f := s.Frame(n.Frame)
			return f == nil || f.PendingURL == ""
		})
	}
	switch n := o.out.Navigation; {
	case o.saving:
		o.until(ctx, saveGrace, o.downloads)
	case n != nil && o.sameDocument(n.Frame):
		o.until(ctx, deferredGrace, o.downloads)
	}
	return context.Cause(ctx)
}

// newFrame returns a frame that the action added and that shows nothing yet: pages add one to load a file into it.
func newFrame(was, now *model.Tab) *model.Frame {
	for id, f := range now.Frames {
		if was.Frames[id] == nil && blank(f) {
			return f
		}
	}
	return nil
}

func blank(f *model.Frame) bool { return f.URL == "" || f.URL == "about:blank" || f.URL == ":" }

// sameDocument reports whether a frame whose navigation has ended has the same document as before.
func (o *observer) sameDocument(id model.FrameID) bool {
	was, now := o.before.Frame(id), o.e.actor.browser.State().Frame(id)
	return now != nil && now.PendingURL == "" && was != nil && now.Loader == was.Loader
}

// downloads reports whether one has begun.
func (o *observer) downloads(s *model.State) bool {
	return slices.ContainsFunc(s.Downloads, o.began)
}

// began reports whether a download belongs to this action: to its tab, or to a window that the tab opened meanwhile. A
// window opened for a download only is gone before it is in the model as a tab.
func (o *observer) began(d *model.Download) bool {
	if slices.ContainsFunc(o.before.Downloads, func(b *model.Download) bool { return b.GUID == d.GUID }) {
		return false
	}
	was, now := o.before.Tabs[o.e.actor.tab], o.e.actor.browser.State().Tabs[o.e.actor.tab]
	return d.Tab == o.e.actor.tab || was != nil && now != nil && now.Windows > was.Windows && o.before.Tabs[d.Tab] == nil
}

func (o *observer) frame(tab *model.Tab) model.FrameID {
	if o.e.frame != "" {
		return o.e.frame
	}
	return tab.Main
}

// until waits for a state, for at most d.
func (o *observer) until(ctx context.Context, d time.Duration, cond func(*model.State) bool) {
	ctx, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	// That it did not come in time is an outcome; the caller sees the end of ctx.
	_ = o.e.actor.browser.Wait(ctx, func(s *model.State) (bool, error) { return cond(s), s.Unreachable() })
}

func (o *observer) newTabs(s *model.State) []model.TargetID {
	var list []model.TargetID
	for _, id := range s.Order {
		if o.before.Tabs[id] == nil && s.Tabs[id].Opener == o.e.actor.tab {
			list = append(list, id)
		}
	}
	return list
}

// compare notes what is different now.
func (o *observer) compare(s *model.State) {
	a := o.e.actor
	o.out.NewTabs = o.newTabs(s)
	o.out.began = o.began
	o.out.AddDownloads(s)
	o.out.Interruptions = nil
	for _, i := range s.Interrupts {
		known := slices.ContainsFunc(o.before.Interrupts, func(b *model.Interruption) bool { return b.ID == i.ID })
		if !known && i.Tab == a.tab && !i.Notice {
			o.out.Interruptions = append(o.out.Interruptions, i)
		}
	}
	for _, d := range s.RecentDialogs {
		if d.Tab == a.tab && d.ClosedBy == model.ByPolicy && !slices.Contains(o.before.RecentDialogs, d) {
			o.out.Answered = append(o.out.Answered, d)
		}
	}
	was, now := o.before.Tabs[a.tab], s.Tabs[a.tab]
	o.out.TabClosed = now == nil
	if was == nil || now == nil {
		return
	}
	for _, id := range []model.FrameID{now.Main, o.frame(now)} {
		b, f := was.Frames[id], now.Frames[id]
		if b == nil || f == nil {
			continue
		}
		switch {
		case f.Loader != b.Loader:
			o.out.Navigation = &Navigation{Frame: id, URL: f.URL, Main: id == now.Main, Committed: true}
			return
		case f.URL != b.URL:
			o.out.Navigation = &Navigation{Frame: id, URL: f.URL, Main: id == now.Main, SameDocument: true, Committed: true}
			return
		}
	}
	// A navigation that ended without a new document: no content, or a download.
	if n := o.out.Navigation; n != nil && !n.Committed {
		if f := s.Frame(n.Frame); f != nil && f.PendingURL == "" {
			o.out.Navigation = nil
		}
	}
}
