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

// NewTab opens a blank tab, waits until it accepts commands and makes it active. newWindow opens it in a window of its
// own.
func (w *BrowserContext) NewTab(ctx context.Context, newWindow bool) (*model.Tab, error) {
	tab, err := w.newTab(ctx, newWindow, false)
	if err != nil {
		return nil, err
	}
	w.mu.Lock()
	w.shown = tab.ID // the browser puts a new tab in front
	w.mu.Unlock()
	return tab, nil
}

// NewTabToLoad is NewTab, but the tab stays behind the one in front until loaded is called or a command works in it: Chromium draws a tab
// that comes to the front, which would delay the page by about 10 ms (measured on Chromium 156).
func (w *BrowserContext) NewTabToLoad(ctx context.Context) (tab *model.Tab, loaded func(), err error) {
	if tab, err = w.newTab(ctx, false, len(w.Tabs()) > 0); err != nil {
		return nil, nil, err
	}
	return tab, func() { time.AfterFunc(showAfter, func() { w.showActive(tab.ID) }) }, nil
}

// showAfter is how long after its page a new tab comes to the front: the command that opened it is answered before.
const showAfter = 10 * time.Millisecond

// showActive brings a tab to the front if it is the active one.
func (w *BrowserContext) showActive(id model.TargetID) {
	if active, ok := w.Active(); ok && active == id {
		w.Show(id)
	}
}

// newTab opens a blank tab and makes it active.
func (w *BrowserContext) newTab(ctx context.Context, newWindow, behind bool) (*model.Tab, error) {
	id, err := w.create(ctx, newWindow, behind)
	if err != nil {
		return nil, fmt.Errorf("open a tab: %w", err)
	}
	tab, err := w.whenReady(ctx, id)
	if err != nil {
		return nil, fmt.Errorf("open a tab: %w", err)
	}
	w.Browser.InterceptChoosers(id, true)
	w.SetActive(id)
	return tab, nil
}

// create opens a blank tab.
func (w *BrowserContext) create(ctx context.Context, newWindow, behind bool) (model.TargetID, error) {
	params := target.CreateTargetParams{URL: "about:blank", BrowserContextID: protocol.BrowserContextID(w.Context)}
	if newWindow {
		params.NewWindow = new(true)
	}
	if behind {
		params.Background = new(true)
	}
	made, err := cdp.Do(ctx, w.Browser.Session(""), target.CreateTarget, params)
	return model.TargetID(made.TargetID), err
}

// whenReady waits until a tab accepts commands.
func (w *BrowserContext) whenReady(ctx context.Context, id model.TargetID) (tab *model.Tab, err error) {
	err = w.Browser.Wait(ctx, func(s *model.State) (bool, error) {
		tab = s.Tabs[id]
		return tab != nil && tab.Ready, s.Unreachable()
	})
	return tab, err
}
