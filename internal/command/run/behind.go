package run

import (
	"context"
	"fmt"
	"time"

	protocol "github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/target"

	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

// spare is a tab that a command opened behind the others and has finished with. The next command of the same kind works in it: a new tab
// needs a renderer, which takes longer than to load a small page. Any other command closes it.
type spare struct {
	tab    model.TargetID // empty: there is none
	window bool           // it has a window of its own
	expiry *time.Timer
}

// spareLife is how long a tab waits for another command of the same kind.
const spareLife = 10 * time.Second

// closeLimit bounds the closing of a tab that a command opened for itself.
const closeLimit = 5 * time.Second

// OpenBehind opens a blank tab behind the others, which does not become the active one, and waits until it accepts commands.
// A tab that shall be drawn needs a window of its own (see Show). Call done when finished with it.
func (w *BrowserContext) OpenBehind(ctx context.Context, newWindow bool) (id model.TargetID, done func(), err error) {
	if id := w.takeSpare(newWindow); id != "" {
		return id, func() { w.keepSpare(ctx, id, newWindow) }, nil
	}
	w.CloseSpare(ctx)
	params := target.CreateTargetParams{URL: "about:blank", BrowserContextID: protocol.BrowserContextID(w.Context), Background: new(true)}
	if newWindow {
		params.NewWindow = new(true)
	}
	made, err := cdp.Do(ctx, w.Browser.Session(""), target.CreateTarget, params)
	if err != nil {
		return "", nil, fmt.Errorf("open a tab: %w", err)
	}
	id = model.TargetID(made.TargetID)
	err = w.Browser.Wait(ctx, func(s *model.State) (bool, error) {
		t := s.Tabs[id]
		return t != nil && t.Ready, s.Unreachable()
	})
	if err != nil {
		w.discard(ctx, id)
		return "", nil, fmt.Errorf("open a tab: %w", err)
	}
	return id, func() { w.keepSpare(ctx, id, newWindow) }, nil
}

// keepSpare keeps a tab that nobody sees for the next command, with its page unloaded, and closes any other.
func (w *BrowserContext) keepSpare(ctx context.Context, id model.TargetID, window bool) {
	s := w.Browser.State()
	if !w.Logins || w.Headed || !usable(s, id) {
		w.discard(ctx, id)
		return
	}
	w.Browser.Session(s.Tabs[id].Session).Post("Page.navigate", map[string]any{"url": "about:blank"}, nil)
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.spare.tab != "" { // two commands at once
		go w.discard(ctx, w.spare.tab)
		w.spare.expiry.Stop()
	}
	ctx = context.WithoutCancel(ctx)
	w.spare = spare{tab: id, window: window, expiry: time.AfterFunc(spareLife, func() { w.CloseSpare(ctx) })}
}

// takeSpare returns the tab that was kept, which is nobody's then; empty if there is none of that kind that works.
func (w *BrowserContext) takeSpare(window bool) model.TargetID {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.spare.tab == "" || w.spare.window != window || !usable(w.Browser.State(), w.spare.tab) {
		return ""
	}
	w.spare.expiry.Stop()
	id := w.spare.tab
	w.spare = spare{}
	return id
}

// spareCloseLimit bounds the time for which a command waits until the tab of an earlier one is closed.
const spareCloseLimit = time.Second

// CloseSpare closes the tab that was kept, if there is one, and returns when it is gone.
func (w *BrowserContext) CloseSpare(ctx context.Context) {
	w.mu.Lock()
	id := w.spare.tab
	if id != "" {
		w.spare.expiry.Stop()
		w.spare = spare{}
	}
	w.mu.Unlock()
	if id != "" {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), spareCloseLimit)
		defer cancel()
		w.closeTab(ctx, id)
	}
}

// discard closes a tab that a command opened for itself, and returns when it is gone.
func (w *BrowserContext) discard(ctx context.Context, id model.TargetID) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeLimit)
	defer cancel()
	w.closeTab(ctx, id)
}

// closeTab closes a tab that a command opened for itself. If it does not end in time, `tab list` shows it.
func (w *BrowserContext) closeTab(ctx context.Context, id model.TargetID) {
	if _, err := cdp.Do(ctx, w.Browser.Session(""), target.CloseTarget, target.CloseTargetParams{TargetID: target.ID(id)}); err == nil {
		_ = w.Browser.Wait(ctx, func(s *model.State) (bool, error) { return s.Tabs[id] == nil, s.Unreachable() })
	}
}

// usable reports whether a tab is there and nothing holds it.
func usable(s *model.State, id model.TargetID) bool {
	t := s.Tabs[id]
	return t != nil && t.Ready && t.Crash == nil && t.Unresponsive == nil && s.Dialog(id) == nil
}
