package navigate

import (
	"context"
	"time"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/command/run"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

// NewTab opens a blank tab and makes it the tab of this verb.
func NewTab(ctx context.Context, e *run.Env, window bool) (*model.Tab, error) {
	t, err := e.NewTab(ctx, window)
	if err != nil {
		return nil, e.Explain(err, "open a tab")
	}
	e.Tab = t.ID
	return t, nil
}

// NewTabAt opens a tab at an address, waits until that has loaded, and makes it the tab of this verb. If the tab is there
// and the address fails, opened is not nil. limit is how long it may go on loading after it is shown; 0 for no limit. The warning is about
// that, and a dialog that the page has opened.
func NewTabAt(ctx context.Context, e *run.Env, url string, limit time.Duration) (opened *model.Tab, warning string, err error) {
	// The navigation must not be sent before the tab is ready, behind the commands that set it up: Chromium 156 then loses
	// the renderer of a tab in its default context.
	began, loaded, err := e.NewTabToLoad(ctx)
	if err != nil {
		return nil, "", e.Explain(err, "open a tab")
	}
	e.Tab = began.ID
	defer loaded()
	ctx, stop := e.GuardNavigation(ctx)
	defer stop()
	doing, came := "open "+url, arrival{limit: limit}
	if err := e.Explain(navigate(ctx, e, began, url, doing, &came), doing); err != nil {
		return began, "", err
	}
	warning = came.late
	if d := e.Browser.State().Dialog(e.Tab); d != nil {
		warning = api.JoinWarnings(warning, e.BlockedError(&model.BlockedError{Tab: e.Tab, Dialog: d}, doing).Error())
	}
	opened, err = e.CurrentTab()
	return opened, warning, err
}
