package run

import (
	"context"
	"fmt"
	"time"

	"github.com/chromedp/cdproto/target"

	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

// closeLimit bounds the closing of a tab that a command opened for itself.
const closeLimit = 5 * time.Second

// OpenBehind opens a blank tab behind the others, which does not become the active one, and waits until it accepts commands.
// A tab that shall be drawn needs a window of its own (see Show). done closes it.
func (w *BrowserContext) OpenBehind(ctx context.Context, newWindow bool) (id model.TargetID, done func(), err error) {
	if id, err = w.create(ctx, newWindow, true); err != nil {
		return "", nil, fmt.Errorf("open a tab: %w", err)
	}
	done = func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeLimit)
		defer cancel()
		if _, err := cdp.Do(ctx, w.Browser.Session(""), target.CloseTarget, target.CloseTargetParams{TargetID: target.ID(id)}); err == nil {
			// If it does not end in time, `tab list` shows it.
			_ = w.Browser.Wait(ctx, func(s *model.State) (bool, error) { return s.Tabs[id] == nil, s.Unreachable() })
		}
	}
	if _, err = w.whenReady(ctx, id); err != nil {
		done()
		return "", nil, fmt.Errorf("open a tab: %w", err)
	}
	return id, done, nil
}
