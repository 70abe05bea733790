package run

import (
	"context"
	"fmt"
	"time"

	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/target"

	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/fault"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

const (
	// closeLimit bounds the closing of a tab that a command opened for itself.
	closeLimit = 5 * time.Second
	// spareLife is how long a tab waits for another command of the same kind.
	spareLife = 10 * time.Second
	// blankLimit bounds the time in which a tab unloads its page and answers again; one that does not is closed.
	blankLimit = time.Second
)

// spare is a tab that a command opened behind the others and has finished with. The next command of the same kind works in it: a
// new tab needs a renderer, which takes longer than to load a small page. Any other command closes it.
type spare struct {
	tab    model.TargetID
	window bool          // it has a window of its own
	parked chan struct{} // closed when it is known whether the tab is blank
	blank  bool          // whether it is; set before parked is closed
	expiry *time.Timer
}

// OpenBehind opens a blank tab behind the others, which does not become the active one, and waits until it accepts commands.
// A tab that shall be drawn needs a window of its own (see Show). Call done when finished with it; reusable says that the next
// command may work in it: nothing of the pages that it showed is left.
func (w *BrowserContext) OpenBehind(ctx context.Context, newWindow bool) (id model.TargetID, done func(reusable bool), err error) {
	done = func(reusable bool) {
		if !reusable || !w.keepSpare(ctx, id, newWindow) {
			w.discard(ctx, id)
		}
	}
	if id = w.takeSpare(ctx, newWindow); id != "" {
		return id, done, nil
	}
	if id, err = w.create(ctx, newWindow, true); err != nil {
		return "", nil, fmt.Errorf("open a tab: %w", err)
	}
	if _, err = w.whenReady(ctx, id); err != nil {
		w.discard(ctx, id)
		return "", nil, fmt.Errorf("open a tab: %w", err)
	}
	return id, done, nil
}

// keepSpare keeps a tab for the next command, in a browser whose tabs nobody sees, and reports whether it does.
func (w *BrowserContext) keepSpare(ctx context.Context, id model.TargetID, window bool) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.Logins || w.Headed || w.spare != nil || !usable(w.Browser.State(), id) {
		return false
	}
	ctx = context.WithoutCancel(ctx)
	kept := &spare{tab: id, window: window, parked: make(chan struct{}), expiry: time.AfterFunc(spareLife, fault.Guarded(ctx, func() { w.CloseSpare(ctx) }))}
	w.spare = kept
	fault.Go(ctx, func() { // ends at blankLimit, or when the browser has ended
		defer close(kept.parked)
		kept.blank = w.unload(ctx, id)
	})
	return true
}

// unload replaces the page of a tab by a blank one, forgets where the tab has been, and reports whether the tab answers then.
func (w *BrowserContext) unload(ctx context.Context, id model.TargetID) bool {
	ctx, cancel := context.WithTimeout(ctx, blankLimit)
	defer cancel()
	t := w.Browser.State().Tabs[id]
	if t == nil {
		return false
	}
	before, s := t.Commits, w.Browser.Session(t.Session)
	s.Post("Page.navigate", map[string]any{"url": "about:blank"}, nil)
	err := w.Browser.Wait(ctx, func(s *model.State) (bool, error) {
		t := s.Tabs[id]
		return t == nil || t.Commits > before && t.URL == "about:blank", s.Unreachable()
	})
	if err != nil {
		return false
	}
	s.Post("Page.resetNavigationHistory", nil, nil)
	_, err = cdp.Do(ctx, s, runtime.Evaluate, runtime.EvaluateParams{Expression: "0", Silent: new(true)})
	return err == nil && usable(w.Browser.State(), id)
}

// Forget clears the session storage of the page in the tab, which the next page of its origin would find, and reports whether nothing
// of the page is left when the tab leaves it: frames have a storage of their own.
func (e *Env) Forget(ctx context.Context) bool {
	t := e.Browser.State().Tabs[e.Tab]
	if t == nil || len(t.Frames) != 1 {
		return false
	}
	s, world, err := e.Worlds.Context(ctx, t.Main)
	if err != nil {
		return false
	}
	res, err := cdp.Do(ctx, s, runtime.Evaluate, runtime.EvaluateParams{Expression: "sessionStorage.clear()", ContextID: world, Silent: new(true)})
	return err == nil && res.ExceptionDetails == nil
}

// takeSpare returns the tab that was kept, which is nobody's then; empty if there is none of that kind that works.
func (w *BrowserContext) takeSpare(ctx context.Context, window bool) model.TargetID {
	kept := w.noSpare()
	if kept == nil {
		return ""
	}
	<-kept.parked
	if kept.window == window && kept.blank && usable(w.Browser.State(), kept.tab) {
		return kept.tab
	}
	w.discard(ctx, kept.tab)
	return ""
}

// CloseSpare closes the tab that was kept, if there is one, and returns when it is gone.
func (w *BrowserContext) CloseSpare(ctx context.Context) {
	if kept := w.noSpare(); kept != nil {
		w.discard(ctx, kept.tab)
	}
}

// noSpare takes the spare tab from the browser context; nil if there is none.
func (w *BrowserContext) noSpare() *spare {
	w.mu.Lock()
	defer w.mu.Unlock()
	kept := w.spare
	w.spare = nil
	if kept != nil {
		kept.expiry.Stop()
	}
	return kept
}

// discard closes a tab that a command opened for itself, and returns when it is gone. If it does not end in time, `tab list` shows it.
func (w *BrowserContext) discard(ctx context.Context, id model.TargetID) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeLimit)
	defer cancel()
	if _, err := cdp.Do(ctx, w.Browser.Session(""), target.CloseTarget, target.CloseTargetParams{TargetID: target.ID(id)}); err == nil {
		_ = w.Browser.Wait(ctx, func(s *model.State) (bool, error) { return s.Tabs[id] == nil, s.Unreachable() })
	}
}

// usable reports whether a tab is there and nothing holds it.
func usable(s *model.State, id model.TargetID) bool {
	t := s.Tabs[id]
	return t != nil && t.Ready && t.Crash == nil && t.Unresponsive == nil && s.Dialog(id) == nil
}
