package verify

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/supervisor"
	"github.com/usher-browser/usher/internal/supervisor/model"
	"github.com/usher-browser/usher/internal/world"
)

// Effects are what input caused in the browser.
type Effects struct {
	// Dialog is the dialog that the input opened; it is still open.
	Dialog *model.Dialog
	// Answered are the dialogs that the input opened and that a rule or the policy closed.
	Answered []*model.Dialog
	// Navigation is the document change that the input began.
	Navigation *Navigation
	// NewTabs are the tabs the input opened.
	NewTabs []model.TargetID
	// Downloads are the downloads the input started.
	Downloads []*model.Download
	// Interruptions are the other prompts that the input opened and that wait for an answer: file choosers, permission
	// requests.
	Interruptions []*model.Interruption
	// TabClosed reports whether the input closed its tab.
	TabClosed bool
	// Invalid are the fields for which the browser has not sent the form whose button the input pressed.
	Invalid []api.Invalid

	began func(*model.Download) bool // reports whether a download belongs to this input
}

// AddDownloads adds the downloads that the input has started by now, and reports whether there are any.
func (e *Effects) AddDownloads(s *model.State) bool {
	for _, d := range s.Downloads {
		known := slices.ContainsFunc(e.Downloads, func(k *model.Download) bool { return k.GUID == d.GUID })
		if !known && e.began != nil && e.began(d) {
			e.Downloads = append(e.Downloads, d)
		}
	}
	return len(e.Downloads) > 0
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

// documentGrace is how long to wait until a navigation that input began commits, so that the next command reads the
// new page.
const documentGrace = time.Second

// saveGrace is how long the server of a link that downloads may take to answer, so that the effects have the download.
// deferredGrace is how long the browser takes to make a download of a navigation that ended without a document.
const (
	saveGrace     = time.Second
	deferredGrace = 100 * time.Millisecond
)

// openGrace is how long a window that a page opened may take to become a tab, and a tab that it closed to go away.
const openGrace = time.Second

// Comparison compares the browser before and after input to a tab.
type Comparison struct {
	worlds  *world.Worlds
	browser *supervisor.Browser
	tab     model.TargetID
	session string // of the tab
	before  *model.State

	frame  model.FrameID
	out    *Effects
	saving bool           // the page has requested a download
	answer *world.Pending // see Asked
}

// NewComparison starts a comparison; session is the CDP session of the tab.
func NewComparison(w *world.Worlds, tab model.TargetID, session string) *Comparison {
	return &Comparison{worlds: w, browser: w.Browser(), tab: tab, session: session, before: w.Browser().State()}
}

// Asked gives a call of the page script that was sent behind the input and answers what "idle" does, so that [Comparison.Finish] needs
// no round trip of its own.
func (c *Comparison) Asked(p *world.Pending) { c.answer = p }

// Finish waits for what the input caused and adds it to out. frame is the frame of the input; empty is the tab's main
// frame. err is the error of the input: a dialog that it opened, or its tab closing, is an effect and no error. reported
// is whether the page has sent an event report after the input; then it is not asked once more.
func (c *Comparison) Finish(ctx context.Context, frame model.FrameID, err error, reported bool, out *Effects) error {
	c.frame, c.out = frame, out
	if err == nil {
		err = c.barrier(ctx, reported)
	}
	if err == nil {
		err = c.follow(ctx)
	}
	if err != nil && !c.explains(err) {
		return err
	}
	c.compare(c.browser.State())
	return nil
}

// explains reports whether an error is only what an effect looks like: a prompt that the input opened, or the end of its
// tab.
func (c *Comparison) explains(err error) bool {
	blocked := c.browser.Blocked(err, c.tab)
	switch {
	case blocked == nil:
		return false
	case blocked.Dialog != nil && !slices.Contains(c.before.Dialogs, blocked.Dialog):
		c.out.Dialog = blocked.Dialog
		return true
	case blocked.Interruption != nil && !slices.Contains(c.before.Interrupts, blocked.Interruption):
		return true
	case blocked.Gone:
		c.out.TabClosed = true
		return true
	}
	return false
}

// barrier returns when the page has reported everything that the input caused at once: its reply to one more call comes
// after those events. A page that navigates away does not reply; the state then shows the navigation.
func (c *Comparison) barrier(ctx context.Context, reported bool) error {
	tab := c.browser.State().Tabs[c.tab]
	if reported || tab == nil {
		return nil
	}
	frame := c.frame
	if frame == "" {
		frame = tab.Main
	}
	answer := c.answer
	if answer == nil {
		var err error
		if answer, err = c.worlds.Start(ctx, frame, "idle", nil); err != nil {
			return context.Cause(ctx) // the document is gone: the state has the present one
		}
	}
	for {
		s := c.browser.State()
		if f := s.Frame(frame); f == nil || f.PendingURL != "" {
			return nil
		}
		select {
		case <-answer.Done():
			var idle struct {
				Closing bool          `json:"closing"`
				Saving  bool          `json:"saving"`
				Invalid []api.Invalid `json:"invalid"`
			}
			err := answer.Wait(ctx, &idle)
			c.saving, c.out.Invalid = idle.Saving, idle.Invalid
			f := s.Frame(frame)
			detached := errors.Is(err, cdp.ErrDetached) && f != nil && f.Session == c.session
			if idle.Closing || detached {
				c.until(ctx, openGrace, func(s *model.State) bool { return s.Tabs[c.tab] == nil })
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
func (c *Comparison) follow(ctx context.Context) error {
	was := c.before.Tabs[c.tab]
	now := c.browser.State().Tabs[c.tab]
	if was == nil || now == nil {
		return nil
	}
	if opened := now.Windows - was.Windows; opened > 0 {
		c.until(ctx, openGrace, func(s *model.State) bool { return len(c.newTabs(s)) >= opened || c.downloads(s) })
	}
	if f := now.Frames[c.frameOf(now)]; f != nil && f.PendingURL != "" {
		c.out.Navigation = &Navigation{Frame: f.ID, URL: f.PendingURL, Main: f.ID == now.Main}
	} else if m := now.MainFrame(); m != nil && m.PendingURL != "" {
		c.out.Navigation = &Navigation{Frame: m.ID, URL: m.PendingURL, Main: true}
	}
	if f := newFrame(was, now); f != nil {
		c.until(ctx, deferredGrace, func(s *model.State) bool {
			f := s.Frame(f.ID)
			return f == nil || !blank(f) || c.downloads(s)
		})
	}
	if n := c.out.Navigation; n != nil {
		c.until(ctx, documentGrace, func(s *model.State) bool {
			f := s.Frame(n.Frame)
			return f == nil || f.PendingURL == ""
		})
	}
	switch n := c.out.Navigation; {
	case c.saving:
		c.until(ctx, saveGrace, c.downloads)
	case n != nil && c.sameDocument(n.Frame):
		c.until(ctx, deferredGrace, c.downloads)
	}
	return context.Cause(ctx)
}

// newFrame returns a frame that the input added and that shows nothing yet: pages add one to load a file into it.
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
func (c *Comparison) sameDocument(id model.FrameID) bool {
	was, now := c.before.Frame(id), c.browser.State().Frame(id)
	return now != nil && now.PendingURL == "" && was != nil && now.Loader == was.Loader
}

// downloads reports whether one has begun.
func (c *Comparison) downloads(s *model.State) bool {
	return slices.ContainsFunc(s.Downloads, c.began)
}

// began reports whether a download belongs to this input: to its tab, or to a window that the tab opened meanwhile. A
// window opened for a download only is gone before it is in the model as a tab.
func (c *Comparison) began(d *model.Download) bool {
	if slices.ContainsFunc(c.before.Downloads, func(b *model.Download) bool { return b.GUID == d.GUID }) {
		return false
	}
	was, now := c.before.Tabs[c.tab], c.browser.State().Tabs[c.tab]
	return d.Tab == c.tab || was != nil && now != nil && now.Windows > was.Windows && c.before.Tabs[d.Tab] == nil
}

func (c *Comparison) frameOf(tab *model.Tab) model.FrameID {
	if c.frame != "" {
		return c.frame
	}
	return tab.Main
}

// until waits for a state, for at most d.
func (c *Comparison) until(ctx context.Context, d time.Duration, cond func(*model.State) bool) {
	ctx, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	// That it did not come in time is an effect, too; the caller sees the end of ctx.
	_ = c.browser.Wait(ctx, func(s *model.State) (bool, error) { return cond(s), s.Unreachable() })
}

func (c *Comparison) newTabs(s *model.State) []model.TargetID {
	var list []model.TargetID
	for _, id := range s.Order {
		if c.before.Tabs[id] == nil && s.Tabs[id].Opener == c.tab {
			list = append(list, id)
		}
	}
	return list
}

// compare notes what is different now.
func (c *Comparison) compare(s *model.State) {
	c.out.NewTabs = c.newTabs(s)
	c.out.began = c.began
	c.out.AddDownloads(s)
	c.out.Interruptions = nil
	for _, i := range s.Interrupts {
		known := slices.ContainsFunc(c.before.Interrupts, func(b *model.Interruption) bool { return b.ID == i.ID })
		if !known && i.Tab == c.tab && !i.Notice {
			c.out.Interruptions = append(c.out.Interruptions, i)
		}
	}
	for _, d := range s.RecentDialogs {
		if d.Tab == c.tab && d.ClosedBy == model.ByPolicy && !slices.Contains(c.before.RecentDialogs, d) {
			c.out.Answered = append(c.out.Answered, d)
		}
	}
	was, now := c.before.Tabs[c.tab], s.Tabs[c.tab]
	c.out.TabClosed = now == nil
	if was == nil || now == nil {
		return
	}
	for _, id := range []model.FrameID{now.Main, c.frameOf(now)} {
		b, f := was.Frames[id], now.Frames[id]
		if b == nil || f == nil {
			continue
		}
		switch {
		case f.Loader != b.Loader:
			c.out.Navigation = &Navigation{Frame: id, URL: f.URL, Main: id == now.Main, Committed: true}
			return
		case f.URL != b.URL:
			c.out.Navigation = &Navigation{Frame: id, URL: f.URL, Main: id == now.Main, SameDocument: true, Committed: true}
			return
		}
	}
	// A navigation that ended without a new document: no content, or a download.
	if n := c.out.Navigation; n != nil && !n.Committed {
		if f := s.Frame(n.Frame); f != nil && f.PendingURL == "" {
			c.out.Navigation = nil
		}
	}
}
