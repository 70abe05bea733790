package run

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	protocol "github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/command/run/script"
	"github.com/usher-browser/usher/internal/element/failure"
	"github.com/usher-browser/usher/internal/fault"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

// A page whose script never ends answers nothing, and the browser does not leave it either: a navigation runs
// beforeunload in the page first. This file distinguishes such a page from a slow server, and ends its script where the
// caller leaves the page.

// stopping is how long a command that has run out of time waits to see its script end.
const stopping = 1200 * time.Millisecond

// afterCall bounds that for a caller whose own time is over, also on a loaded machine.
const afterCall = 900 * time.Millisecond

// replaceLimit is how long the page of an earlier failure may take to arrive, which may need a process of its own.
const replaceLimit = 5 * time.Second

// LeavePage navigates the tab: lead sends the command and waits for its effect. A script that keeps the page busy is
// stopped, since its page is replaced anyway; the warning states that. The page is probed right before lead, and the
// reply is awaited during lead: it takes a page that has just been drawn some milliseconds.
func (e *Env) LeavePage(ctx context.Context, tab *model.Tab, lead func(context.Context) error) (warning string, err error) {
	if cause := context.Cause(ctx); cause != nil {
		return "", cause
	}
	if tab.Crash != nil || tab.MainFrame().PendingURL != "" { // no renderer to probe, or one that is held back
		return "", lead(ctx)
	}
	ctx, giveUp := context.WithCancelCause(ctx)
	asked, watched := script.Ping(e.Browser.Session(tab.Session)), make(chan string, 1)
	fault.Go(ctx, func() {
		stopped := ""
		defer func() { watched <- stopped }()
		var err error
		if stopped, err = e.stopBusyScript(ctx, tab, asked); err != nil {
			giveUp(err)
		}
	})
	err = lead(ctx)
	giveUp(nil)
	return <-watched, err
}

// stopBusyScript waits until a page that is to be left has answered, or ctx is over. A script that keeps it busy is
// stopped, and the warning states that. The error is that it cannot be stopped.
func (e *Env) stopBusyScript(ctx context.Context, tab *model.Tab, asked *cdp.Pending[runtime.EvaluateResult]) (warning string, err error) {
	wait, cancel := context.WithTimeout(ctx, script.BusyAfter)
	defer cancel()
	if _, err := asked.Wait(wait); err == nil || !errors.Is(err, context.DeadlineExceeded) || ctx.Err() != nil || !e.HasDocument(tab.MainFrame().Loader) {
		return "", nil // it is not busy, or left already: what runs now is the next page's
	}
	if script.Interrupt(ctx, e.Browser.Session(tab.Session), script.Interrupting) {
		return "a script kept " + tab.URL + " busy; it was terminated so that the page could navigate", nil
	}
	if ctx.Err() != nil { // arrived, or given up
		return "", nil
	}
	e.stopLoading(ctx, tab) // it would go on once the script ends
	return "", api.Errorf(api.RendererUnresponsive, "leave %s: a script blocks the page and could not be terminated", tab.URL).
		WithHint("Close it with `tab close %s`, after `tab new` if it is the last one.", TabID(tab))
}

// stopLoading cancels a navigation that has not committed, so that the page before it can be used: until then the
// browser holds back all calls to it. It reports whether the browser did that. While the page of an earlier failure
// arrives, the browser refuses, and it is asked again until that is there.
func (e *Env) stopLoading(ctx context.Context, tab *model.Tab) bool {
	ctx = context.WithoutCancel(ctx)
	session := e.Browser.Session(tab.Session)
	soon, cancel := context.WithTimeout(ctx, script.BusyAfter)
	defer cancel()
	// A tab that does not answer is closing or gone, which the caller reads from the state.
	_, err := cdp.Do(soon, session, page.StopLoading, protocol.Empty{})
	if beingReplaced(err) {
		replaced, cancel := context.WithTimeout(ctx, replaceLimit)
		defer cancel()
		_, err = DoInTab(replaced, session, page.StopLoading, protocol.Empty{})
	}
	return err == nil
}

// noReplyError returns the error for a call without a reply: the tab waits for a server, or a script keeps it busy. It
// returns nil if neither is found.
func (e *Env) noReplyError(doing string) error {
	t := e.Browser.State().Tabs[e.Tab]
	if t == nil || t.Session == "" {
		return nil
	}
	if i := e.Browser.State().PendingInterruption(e.Tab); i != nil {
		return e.BlockedError(&model.BlockedError{Tab: e.Tab, Interruption: i}, doing)
	}
	if u := t.Unresponsive; u != nil && u.Frame == t.Main { // the page that is to be left: what keeps it does so still
		return failure.Unresponsive(e.Browser, doing, &model.BlockedError{Tab: e.Tab, Unresponsive: u, For: time.Since(u.Since)})
	}
	if going := t.MainFrame().PendingURL; going != "" {
		return api.Errorf(api.Timeout, "%s: no answer within %s: the page is navigating to %s, whose server has not responded", doing, e.Limit, going).
			WithHint("Wait for it with `wait --load domcontentloaded`, or `open` another page.")
	}
	return e.Unresponsive(fmt.Sprintf("%s: no answer within %s", doing, e.Limit))
}

// Unresponsive probes the tab's renderers and returns an error for one that does not answer, nil if all do.
func (e *Env) Unresponsive(doing string) error {
	return e.UnresponsiveNow(context.Background(), doing)
}

// UnresponsiveNow is [Env.Unresponsive] for a caller who does not wait for the probe longer than ctx: it has what is known then.
func (e *Env) UnresponsiveNow(ctx context.Context, doing string) error {
	u := e.Browser.Probe(ctx, e.Tab, script.BusyAfter/4)
	if u == nil {
		return nil
	}
	return failure.Unresponsive(e.Browser, doing, &model.BlockedError{Tab: e.Tab, Unresponsive: u, For: time.Since(u.Since)})
}

// AfterScript returns the error for a caller's script that did not end in time. One that still runs is stopped, for it
// would make the page useless.
func (e *Env) AfterScript(ctx context.Context, s *cdp.Session) error {
	cause := context.Cause(ctx)
	ctx = context.WithoutCancel(ctx)
	switch {
	case cause != nil && !errors.Is(cause, ErrLimit): // the caller does not wait for the script any more
		err := e.Explain(cause, "eval")
		ctx, cancel := context.WithTimeout(ctx, afterCall)
		defer cancel()
		probe, stop := context.WithTimeout(ctx, afterCall/2)
		defer stop()
		if script.Responds(probe, s, script.BusyAfter/4) || !script.Interrupt(ctx, s, stopping) {
			return err
		}
		stopped := *api.AsError(err)
		return stopped.WithHint("The script still ran, and was terminated; the page is usable.")
	case script.Responds(ctx, s, script.BusyAfter/4):
		return api.Errorf(api.Timeout, "eval: the promise did not settle within %s", e.Limit).
			WithHint("Raise --timeout, or start the work without awaiting it and check later with `wait --fn`.")
	case script.Interrupt(ctx, s, stopping):
		return api.Errorf(api.Timeout, "eval: the script did not finish within %s and was terminated", e.Limit).
			WithHint("The page is usable. Raise --timeout if the script needs longer.")
	}
	if err := e.Unresponsive(fmt.Sprintf("eval: the script did not finish within %s and could not be terminated", e.Limit)); err != nil {
		return err
	}
	return api.Errorf(api.Timeout, "eval: the script took longer than %s", e.Limit)
}

// arrived reports whether a tab shows another document than before. The page of an error is that of an earlier
// navigation, which reported its failure before it showed it: one that failed itself does not time out.
func arrived(t, before *model.Tab) bool {
	f := t.MainFrame()
	return (t.Commits != before.Commits || f.Loader != before.MainFrame().Loader) && !strings.HasPrefix(f.URL, "chrome-error:")
}

// awaitStopped waits until a cancelled navigation has ended, and returns the tab, nil if it is gone. A document that had
// committed when loading was stopped still arrives.
func (e *Env) awaitStopped(ctx context.Context, before *model.Tab) *model.Tab {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), script.BusyAfter)
	defer cancel()
	// A navigation that has not ended by then is returned as pending.
	_ = e.Browser.Wait(ctx, func(s *model.State) (bool, error) {
		t := s.Tabs[e.Tab]
		return t == nil || arrived(t, before) || t.MainFrame().PendingURL == "", s.Unreachable()
	})
	return e.Browser.State().Tabs[e.Tab]
}

// AbandonNavigation ends a navigation for whose document nobody waits any more, if that has not come: until it ends, the page answers
// nothing. before is the tab as it was.
func (e *Env) AbandonNavigation(ctx context.Context, before *model.Tab) {
	if t := e.Browser.State().Tabs[e.Tab]; t != nil && !arrived(t, before) {
		e.stopLoading(ctx, t)
	}
}

// NavigationTimeout returns the error for a navigation that timed out. before is the tab as it was. A page that committed
// stays usable; otherwise the page before it is still there.
func (e *Env) NavigationTimeout(ctx context.Context, doing string, before *model.Tab) error {
	t := e.Browser.State().Tabs[e.Tab]
	if t == nil {
		return e.goneError(e.Tab)
	}
	stopped := true
	if !arrived(t, before) {
		stopped = e.stopLoading(ctx, t)
		if t = e.awaitStopped(ctx, before); t == nil {
			return e.goneError(e.Tab)
		}
	}
	if !arrived(t, before) && !stopped {
		return api.Errorf(api.Timeout, "%s: the server sent no document within %s, and the browser did not cancel the navigation", doing, e.Limit).With("url", t.URL).
			WithHint("Until it ends, the page answers nothing. `open` another page, or close the tab with `tab close`.")
	}
	if !arrived(t, before) {
		return api.Errorf(api.Timeout, "%s: the server sent no document within %s; canceled", doing, e.Limit).With("url", t.URL).
			WithHint("%s", fmt.Sprintf("The previous page (%s) is still open. Try again with a larger --timeout.", t.URL))
	}
	f := t.MainFrame()
	if err := e.Unresponsive(fmt.Sprintf("%s: not finished loading after %s", doing, e.Limit)); err != nil {
		return err
	}
	out := api.Errorf(api.Timeout, "%s: not finished loading after %s", doing, e.Limit).
		With("url", t.URL).With("title", t.Title).With("domReady", f.DOMReady)
	if f.DOMReady {
		return out.WithHint("The document is usable: continue with `snapshot -i`, or wait longer with `wait --load load --timeout 60s`.")
	}
	return out.WithHint("The server has not sent the whole document. Use `snapshot` for what has arrived, wait with `wait --load domcontentloaded --timeout 60s`, or open again with a larger --timeout.")
}
