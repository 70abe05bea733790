package navigate

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	protocol "github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/command/dialogs"
	"github.com/usher-browser/usher/internal/command/read"
	"github.com/usher-browser/usher/internal/command/run"
	"github.com/usher-browser/usher/internal/supervisor/model"
	"github.com/usher-browser/usher/internal/verb"
	"github.com/usher-browser/usher/internal/view"
)

// Page is the result of `open`: the page that is shown afterwards.
type Page struct {
	// Launched, without an address: the session has a browser. Reused: it had one before. RelaunchedBrowser: this one
	// replaces one that had ended; it exists under the program name agent-browser.
	Launched          bool  `json:"launched,omitzero"`
	RelaunchedBrowser *bool `json:"relaunchedBrowser,omitempty"`
	Reused            bool  `json:"reused,omitzero"`

	URL      string  `json:"url,omitzero"`   // the final address
	Title    *string `json:"title,omitzero"` // of the document
	TargetID string  `json:"targetId,omitzero"`
	Status   int     `json:"status,omitzero"` // HTTP status of the document, if it has one
	// DialogOpened and Dialog are about a dialog that the page opened and that holds it.
	DialogOpened bool        `json:"dialogOpened,omitzero"`
	Dialog       *api.Dialog `json:"dialog,omitempty"`
	// Interstitial is the bot check or login page in place of the requested page.
	Interstitial *Interstitial `json:"wall,omitempty"`
	// Snapshot is the page as `snapshot --compact` shows it, with --snapshot.
	Snapshot *view.Data `json:"snapshot,omitempty"`
}

// Moved is the result of `back`, `forward` and `reload`.
type Moved struct {
	URL string `json:"url"` // the address shown then
	api.Outcome
}

func open(ctx context.Context, e *run.Env, c *verb.Call) (run.Reply[*Page], error) {
	if !c.Has("url") {
		data := &Page{Launched: true, Reused: !e.Launch.Launched}
		if e.Settings.Compatible {
			data.RelaunchedBrowser = new(e.Launch.Launched && e.Launch.Relaunched)
		}
		return run.Reply[*Page]{Data: data, Text: run.Done}, nil
	}
	if !c.Bool("snapshot") || e.NoOutline != "" {
		res, err := navigateWithin(ctx, e, c.Str("url"), arrivalOf(c))
		if err == nil && c.Bool("snapshot") {
			res.Warning = api.JoinWarnings(res.Warning, "no snapshot: "+e.NoOutline)
		}
		return res, err
	}
	ctx, stop := e.GuardNavigation(ctx)
	defer stop()
	note, err := goTo(ctx, e, c.Str("url"), arrivalOf(c))
	if err != nil {
		return run.Reply[*Page]{}, err
	}
	res, err := pageWithSnapshot(ctx, e, note, view.Options{Compact: true, Reader: c.Str("reader")})
	return markInterstitial(e, res, c.Str("url")), err
}

// pageWithSnapshot is arrived with the page's outline. The page is called once: it has just loaded and is drawn, and each
// call waits for that.
func pageWithSnapshot(ctx context.Context, e *run.Env, note string, opt view.Options) (run.Reply[*Page], error) {
	opt.Title, opt.Frame = true, e.Scope(e.Tab) // as the verb snapshot, which may then return a delta
	shot, busy, failed := read.Look(ctx, e, opt)
	note = api.JoinWarnings(note, busy)
	if failed != nil { // the page is there all the same
		res, err := pageResult(ctx, e)
		if err != nil {
			return run.Reply[*Page]{}, err
		}
		res.Warning = api.JoinWarnings(note, res.Warning)
		if res.Data.Dialog == nil {
			res.Warning = api.JoinWarnings(res.Warning, "no snapshot: "+e.Explain(failed, "snapshot").Error())
		}
		return res, nil
	}
	tab, err := e.CurrentTab()
	if err != nil {
		return run.Reply[*Page]{}, err
	}
	res := pageResultOf(e, tab, shot.Title)
	shot.Origin = e.Origin()
	res.Data.Snapshot = read.DataOf(e, shot)
	res.Text += "\n\n" + res.Data.Snapshot.Snapshot
	res.Warning = api.JoinWarnings(note, read.Missing(e.Browser.State(), shot))
	return res, nil
}

// Navigate navigates the verb's tab to an address and waits until the page has loaded. The result has the final
// address, the title and, if there is one, the HTTP status.
func Navigate(ctx context.Context, e *run.Env, url string) (run.Reply[*Page], error) {
	return navigateWithin(ctx, e, url, arrival{})
}

func navigateWithin(ctx context.Context, e *run.Env, url string, came arrival) (run.Reply[*Page], error) {
	ctx, stop := e.GuardNavigation(ctx)
	defer stop()
	note, err := goTo(ctx, e, url, came)
	if err != nil {
		return run.Reply[*Page]{}, err
	}
	res, err := pageResult(ctx, e)
	res.Warning = api.JoinWarnings(note, res.Warning)
	return markInterstitial(e, res, url), err
}

// Go is Navigate for callers that read the page at once: each call of the page waits until the renderer has drawn it. note is a
// warning about leaving the old page.
func Go(ctx context.Context, e *run.Env, url string) (note string, err error) {
	ctx, stop := e.GuardNavigation(ctx)
	defer stop()
	return goTo(ctx, e, url, arrival{})
}

// goTo navigates to an address and waits until that has loaded as far as came says, or has opened a dialog. The note is a warning about
// leaving the old page, and that the new one has not finished loading.
func goTo(ctx context.Context, e *run.Env, url string, came arrival) (note string, err error) {
	tab, err := e.CurrentTab()
	if err != nil {
		return "", err
	}
	doing := "open " + url
	note, err = e.LeavePage(ctx, tab, func(ctx context.Context) error { return navigate(ctx, e, tab, url, doing, &came) })
	if err == nil && came.until == untilIdle {
		err = idle(ctx, e, doing)
	}
	return api.JoinWarnings(note, came.late), e.Explain(err, doing)
}

func navigate(ctx context.Context, e *run.Env, tab *model.Tab, url, doing string, came *arrival) error {
	to, began := page.NavigateParams{URL: url}, time.Now()
	nav, err := cdp.Do(ctx, e.Browser.Session(tab.Session), page.Navigate, to)
	if err == nil && strings.Contains(nav.ErrorText, "ERR_ABORTED") && stayed(e.Browser.State(), e.Tab, began) {
		nav, err = cdp.Do(ctx, e.Browser.Session(tab.Session), page.Navigate, to)
	}
	switch {
	case err != nil:
		return navigationFailed(ctx, e, err, doing, tab)
	case nav.IsDownload:
		return api.Errorf(api.NavigationFailed, "%s: the address is a download; the page did not change", doing).
			WithHint("The file is being saved to %s; wait for it with `wait --download PATH`.", e.Downloads.Dir())
	case strings.Contains(nav.ErrorText, "ERR_INVALID_AUTH_CREDENTIALS"):
		// Where a person answers logins in the browser's own window, nothing repeats the navigation without credentials.
		if (e.Logins || e.Browser.HasCredentials(e.Context)) && dialogs.StoppedByLogin(ctx, e, tab) {
			return nil
		}
		if cause := context.Cause(ctx); cause != nil {
			return e.Explain(cause, doing)
		}
		return loadError(ctx, e, url, nav.ErrorText)
	case nav.ErrorText != "":
		return loadError(ctx, e, url, nav.ErrorText)
	}
	if nav.LoaderID == "" { // only the fragment changed
		return nil
	}
	came.loader = string(nav.LoaderID)
	err = came.wait(ctx, e, doing)
	if b := e.Browser.Blocked(err, e.Tab); b != nil && b.Dialog != nil && came.shown {
		return nil // the new page is there and has opened a dialog
	}
	if err != nil {
		return navigationFailed(ctx, e, err, doing, tab)
	}
	return nil
}

// stayedFor is how long the renderer may take to tell the browser that its user stays, after the answer to the dialog.
const stayedFor = 5 * time.Second

// stayed reports whether a beforeunload dialog of the tab was dismissed shortly before a navigation began. One that begins before the
// renderer has told the browser of that is ended in place of the one that the dialog was about (Chromium 156). A dialog that is
// dismissed later is the navigation's own: it was refused.
func stayed(s *model.State, tab model.TargetID, began time.Time) bool {
	for _, d := range s.RecentDialogs {
		if d.Tab == tab && d.Type == "beforeunload" && !d.Accepted && d.ClosedAt.Before(began) && began.Sub(d.ClosedAt) < stayedFor {
			return true
		}
	}
	return false
}

// loadHints say what to do about Chromium's net errors; the first whose text is part of the error applies.
var loadHints = []struct{ text, hint string }{
	{"no extension navigate a tab to a data: address", "`run -c 'await page.setContent(HTML)'` puts content into the page."},
	{"ERR_INVALID_AUTH_CREDENTIALS", "The server wants HTTP authentication: `set credentials <username> <password>`, then open the address again. In code: `await page.authenticate({username, password})`."},
	{"ERR_ABORTED", "The server sent no document (such as 204 No Content), or another navigation replaced this one; the previous page is still open."},
	{"ERR_CERT", "Pass --ignore-https-errors if you trust this server."},
	{"ERR_NAME_NOT_RESOLVED", "Check the host name; it does not resolve here."},
	{"ERR_CONNECTION_REFUSED", "Nothing listens at that address. Check that the server is running, and on that port."},
	{"ERR_CONNECTION_RESET", "The server ended the connection before it answered. Try again; check that the address has the right scheme (http or https) and port."},
	{"ERR_EMPTY_RESPONSE", "The server ended the connection without an answer. Try again; check that the address has the right scheme (http or https) and port."},
	{"ERR_INVALID_HTTP_RESPONSE", "What listens there does not speak HTTP. Check the scheme (http or https) and the port."},
	{"ERR_SSL_PROTOCOL_ERROR", "What listens there does not speak TLS. Try the address with http: in place of https:."},
	{"ERR_TIMED_OUT", "The host does not answer. Check the address, the port and the network."},
	{"ERR_CONNECTION_TIMED_OUT", "The host does not answer. Check the address, the port and the network."},
	{"ERR_ADDRESS_UNREACHABLE", "There is no route to the host. Check the address and the network."},
	{"ERR_INTERNET_DISCONNECTED", "The session is offline: `set offline off` ends that if it was set here."},
	{"ERR_PROXY_CONNECTION_FAILED", "The proxy does not answer. Check --proxy and that it is running."},
	{"ERR_TUNNEL_CONNECTION_FAILED", "The proxy refused the connection. Check the address, and what the proxy allows."},
	{"ERR_TOO_MANY_REDIRECTS", "The server redirects for ever, often for lack of a cookie or login. `network requests` shows the addresses; `cookies clear` can help."},
	{"ERR_UNSAFE_REDIRECT", "The server redirects to an address that pages may not lead to. `network requests` shows it."},
	{"ERR_RESPONSE_HEADERS_TOO_BIG", "The server sends more headers than Chromium takes (256 kB). Only the server can change that."},
	{"ERR_UNSAFE_PORT", "Chromium opens no page on this port, which other protocols use. Serve it on another one."},
	{"ERR_FILE_NOT_FOUND", "There is no file of that name. Check the path, which must be absolute."},
}

// loadError explains the browser's refusal to load an address.
func loadError(ctx context.Context, e *run.Env, url, text string) error {
	if strings.Contains(text, "ERR_ABORTED") && crashes(ctx, e, url) {
		return e.Explain(context.Cause(ctx), "open "+url)
	}
	if waits := blocking(e); waits != nil && strings.Contains(text, "ERR_ABORTED") {
		// Chromium drops a navigation to an address to which it is under way already.
		return e.BlockedError(&model.BlockedError{Tab: e.Tab, Interruption: waits}, "open "+url)
	}
	err := api.Errorf(api.NavigationFailed, "Navigation failed: %s at %s", text, url).With("url", url).With("errorText", text)
	for _, known := range loadHints {
		if strings.Contains(text, known.text) {
			return err.WithHint("%s", known.hint)
		}
	}
	return err
}

// blocking returns what holds the tab until it is answered; nil for nothing.
func blocking(e *run.Env) *model.Interruption {
	for _, i := range e.Browser.State().Interrupts {
		if i.Tab == e.Tab && i.Blocks && !i.Notice {
			return i
		}
	}
	return nil
}

// crashEventLimit is how long the event of a crashed renderer may take after the failure of the navigation that crashed it.
// For the browser's own addresses with that single effect, the event is awaited: on a busy machine it comes later.
const (
	crashEventLimit = 200 * time.Millisecond
	crashCertain    = 5 * time.Second
)

// crashes reports whether the tab's renderer crashes about now. ctx is the guarded context, which ends with the crash
// as its cause.
func crashes(ctx context.Context, e *run.Env, url string) bool {
	limit := crashEventLimit
	if u := strings.TrimSuffix(url, "/"); u == "chrome://crash" || u == "chrome://kill" {
		limit = crashCertain
	}
	select {
	case <-ctx.Done():
		return e.Browser.Blocked(context.Cause(ctx), e.Tab) != nil
	case <-time.After(limit):
		return false
	}
}

// navigationFailed explains why a navigation is not finished; before is the tab as
// it was.
func navigationFailed(ctx context.Context, e *run.Env, err error, doing string, before *model.Tab) error {
	switch {
	case e.Browser.Blocked(err, e.Tab) != nil:
	case errors.Is(err, run.ErrLimit):
		return e.NavigationTimeout(ctx, doing, before)
	case context.Cause(ctx) != nil: // the caller has left, or its own time is up
		e.AbandonNavigation(ctx, before)
	}
	return e.Explain(err, doing)
}

// pageResult describes the page that is shown now.
func pageResult(ctx context.Context, e *run.Env) (run.Reply[*Page], error) {
	tab, err := e.CurrentTab()
	if err != nil {
		return run.Reply[*Page]{}, err
	}
	title, warning, err := e.Title(ctx, tab)
	if err != nil {
		return run.Reply[*Page]{}, err
	}
	res := pageResultOf(e, tab, title)
	res.Warning = warning
	return res, nil
}

// pageResultOf returns the result for a page whose title is known.
func pageResultOf(e *run.Env, tab *model.Tab, title string) run.Reply[*Page] {
	data := &Page{URL: tab.URL, Title: &title, TargetID: string(tab.ID)}
	text := "✓ " + run.OneLine(title) + "\n  " + tab.URL
	if r := tab.Response; r.Loader == tab.MainFrame().Loader && r.Status != 0 {
		data.Status = r.Status
		if r.Status >= 400 {
			text += fmt.Sprintf("\n  HTTP %d", r.Status)
		}
	}
	if d := e.Browser.State().Dialog(e.Tab); d != nil {
		data.DialogOpened, data.Dialog = true, run.DialogData(d)
	}
	return run.Reply[*Page]{Data: data, Text: text}
}

// goInHistory moves through the tab's history.
func goInHistory(ctx context.Context, e *run.Env, step int64) (run.Reply[*Moved], error) {
	ctx, stop := e.Guard(ctx)
	defer stop()
	tab, err := e.CurrentTab()
	if err != nil {
		return run.Reply[*Moved]{}, err
	}
	s := e.Browser.Session(tab.Session)
	word := map[int64]string{-1: "go back", 1: "go forward"}[step]
	h, err := run.DoInTab(ctx, s, page.GetNavigationHistory, protocol.Empty{})
	if err != nil {
		return run.Reply[*Moved]{}, e.Explain(err, word)
	}
	to := h.CurrentIndex + step
	if to < 0 || to >= int64(len(h.Entries)) {
		return run.Reply[*Moved]{}, api.Errorf(api.NoHistory, "%s: this is the %s page of the tab's history (%d of %d)", word,
			map[int64]string{-1: "first", 1: "last"}[step], h.CurrentIndex+1, len(h.Entries))
	}
	entry, short := h.Entries[to], ""
	note, err := e.LeavePage(ctx, tab, func(ctx context.Context) error {
		if _, err := run.DoInTab(ctx, s, page.NavigateToHistoryEntry, page.NavigateToHistoryEntryParams{EntryID: entry.ID}); err != nil {
			return err
		}
		doing := word + " to " + entry.URL
		if short, err = e.StoppedLoading(committed(ctx, e, tab), doing); err != nil {
			return navigationFailed(ctx, e, err, doing, tab)
		}
		return nil
	})
	if err != nil {
		return run.Reply[*Moved]{}, e.Explain(err, word)
	}
	if now, err := run.DoInTab(ctx, s, page.GetNavigationHistory, protocol.Empty{}); err == nil && now.CurrentIndex == h.CurrentIndex {
		awaitLateCommit(ctx, e)
	}
	return moved(e, api.JoinWarnings(note, short))
}

// lateLimit is how long a step in the history may take behind the commit that was not
// its own.
const lateLimit = 2 * time.Second

// awaitLateCommit waits for one more commit. The last one was that of an earlier navigation: the error page of a failed
// one can commit after the failure. For a page that navigates back to the address it was left from, it waits in vain.
func awaitLateCommit(ctx context.Context, e *run.Env) {
	tab, err := e.CurrentTab()
	if err != nil {
		return // moved reports it
	}
	ctx, cancel := context.WithTimeout(ctx, lateLimit)
	defer cancel()
	// In either case, moved reports the address of the tab.
	_ = committed(ctx, e, tab)
}

// Reload loads the page of the verb's tab again.
func Reload(ctx context.Context, e *run.Env, _ *verb.Call) (run.Reply[*Moved], error) {
	ctx, stop := e.GuardNavigation(ctx)
	defer stop()
	tab, err := e.CurrentTab()
	if err != nil {
		return run.Reply[*Moved]{}, err
	}
	short := ""
	note, err := e.LeavePage(ctx, tab, func(ctx context.Context) error {
		if _, err := run.DoInTab(ctx, e.Browser.Session(tab.Session), page.Reload, page.ReloadParams{}); err != nil {
			return err
		}
		if short, err = e.StoppedLoading(committed(ctx, e, tab), "reload "+tab.URL); err != nil {
			return navigationFailed(ctx, e, err, "reload "+tab.URL, tab)
		}
		return nil
	})
	if err != nil {
		return run.Reply[*Moved]{}, e.Explain(err, "reload")
	}
	return moved(e, api.JoinWarnings(note, short))
}

// committed waits until the tab shows another document than before, or moved
// within it, and has loaded.
func committed(ctx context.Context, e *run.Env, before *model.Tab) error {
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	stopped := e.Stopped(ctx, end)
	defer stopped.Rest()
	return e.Browser.Wait(ctx, func(s *model.State) (bool, error) {
		t := s.Tabs[e.Tab]
		return t != nil && t.Commits > before.Commits && stopped.Loaded(t.MainFrame()), s.TabLost(e.Tab)
	})
}

func moved(e *run.Env, warning string) (run.Reply[*Moved], error) {
	tab, err := e.CurrentTab()
	if err != nil {
		return run.Reply[*Moved]{}, err
	}
	return run.Reply[*Moved]{Data: &Moved{URL: tab.URL}, Text: tab.URL, Warning: warning}, nil
}
