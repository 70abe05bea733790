package ops

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	protocol "github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/target"
	jsonv2 "github.com/go-json-experiment/json"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/supervisor/model"
	"github.com/usher-browser/usher/internal/verb"
	"github.com/usher-browser/usher/internal/view"
)

func navigateVerbs() map[string]Func {
	return map[string]Func{
		"open":    open,
		"back":    func(ctx context.Context, e *Env, _ *verb.Call) (Result, error) { return e.travel(ctx, -1) },
		"forward": func(ctx context.Context, e *Env, _ *verb.Call) (Result, error) { return e.travel(ctx, 1) },
		"reload":  reload,
	}
}

func open(ctx context.Context, e *Env, c *verb.Call) (Result, error) {
	if !c.Has("url") {
		return Result{Data: obj{"launched": true}, Text: done}, nil
	}
	if !c.Bool("snapshot") {
		return e.Navigate(ctx, c.Str("url"))
	}
	ctx, stop := e.guardNavigation(ctx)
	defer stop()
	note, err := e.goTo(ctx, c.Str("url"))
	if err != nil {
		return Result{}, err
	}
	res, err := e.arrivedShowing(ctx, note, view.Options{Compact: true, Reader: c.Str("reader")})
	return e.walled(res, c.Str("url")), err
}

// arrivedShowing is arrived with the page's outline. The page is asked once: it has just loaded and is drawn, and each
// question waits for that.
func (e *Env) arrivedShowing(ctx context.Context, note string, opt view.Options) (Result, error) {
	opt.Title, opt.Frame = true, e.Scope(e.Tab) // as the verb snapshot, which may then tell what changed
	shot, busy, failed := e.look(ctx, opt)
	note = joined(note, busy)
	if failed != nil { // the page is there all the same
		res, err := e.arrived(ctx)
		if err != nil {
			return Result{}, err
		}
		res.Warning = joined(note, res.Warning)
		if res.Data.(obj)["dialog"] == nil {
			res.Warning = joined(res.Warning, "no snapshot: "+e.explain(failed, "snapshot").Error())
		}
		return res, nil
	}
	tab, err := e.tab()
	if err != nil {
		return Result{}, err
	}
	res := e.arrivedAt(tab, shot.Title)
	shot.Origin = e.origin()
	res.Data.(obj)["snapshot"] = shot
	res.Text += "\n\n" + shot.Text
	res.Warning = joined(note, missing(e.Browser.State(), shot))
	return res, nil
}

// Navigate takes the verb's tab to an address and waits until the page has
// loaded. The result has the final address, the title and, where there is one,
// the HTTP status.
func (e *Env) Navigate(ctx context.Context, url string) (Result, error) {
	ctx, stop := e.guardNavigation(ctx)
	defer stop()
	note, err := e.goTo(ctx, url)
	if err != nil {
		return Result{}, err
	}
	res, err := e.arrived(ctx)
	res.Warning = joined(note, res.Warning)
	return e.walled(res, url), err
}

// goTo leaves the page shown for an address and waits until that has loaded, or is there and asks something. The note is
// what the caller should know of the leaving.
func (e *Env) goTo(ctx context.Context, url string) (note string, err error) {
	tab, err := e.tab()
	if err != nil {
		return "", err
	}
	doing := "open " + url
	note, err = e.leave(ctx, tab, func(ctx context.Context) error { return e.navigate(ctx, tab, url, doing) })
	return note, e.explain(err, doing)
}

func joined(a, b string) string {
	if a != "" && b != "" {
		return a + "; " + b
	}
	return a + b
}

func (e *Env) navigate(ctx context.Context, tab *model.Tab, url, doing string) error {
	nav, err := cdp.Do(ctx, e.Browser.Session(tab.Session), page.Navigate, page.NavigateParams{URL: url})
	switch {
	case err != nil:
		return e.navigationFailed(ctx, err, doing, tab)
	case nav.IsDownload:
		return api.Errorf(api.NavigationFailed, "%s: the address is a download, the page did not change", doing).
			WithHint("The file is being saved in %s; wait for it with `wait --download PATH`.", e.DownloadDir)
	case strings.Contains(nav.ErrorText, "ERR_INVALID_AUTH_CREDENTIALS"):
		if e.stoppedByLogin(ctx, tab) {
			return nil
		}
		if cause := context.Cause(ctx); cause != nil {
			return e.explain(cause, doing)
		}
		return e.refused(ctx, url, nav.ErrorText)
	case nav.ErrorText != "":
		return e.refused(ctx, url, nav.ErrorText)
	}
	loader := string(nav.LoaderID)
	if loader != "" { // empty: only the fragment changed
		prepared := false
		err = e.Browser.Wait(ctx, func(s *model.State) (bool, error) {
			f := mainFrame(s, e.Tab)
			if f != nil && f.Loader == loader && !prepared {
				prepared = true
				e.Worlds.Prepare(ctx, f.ID)
			}
			return f != nil && f.Loaded && (f.Loader == loader) != (s.Tabs[e.Tab].Repeated == loader), lost(s, e.Tab)
		})
	}
	if b := e.Browser.Blocked(err, e.Tab); b != nil && b.Dialog != nil && e.shows(loader) {
		return nil // the new page is there and asks something
	}
	if err != nil {
		return e.navigationFailed(ctx, err, doing, tab)
	}
	return nil
}

// shows reports whether the tab's main frame holds that document.
func (e *Env) shows(loader string) bool {
	f := mainFrame(e.Browser.State(), e.Tab)
	return f != nil && f.Loader == loader
}

// mainFrame is nil while the tab is not there.
func mainFrame(s *model.State, tab model.TargetID) *model.Frame {
	if t := s.Tabs[tab]; t != nil {
		return t.MainFrame()
	}
	return nil
}

// lost ends a wait for a tab that cannot come any more.
func lost(s *model.State, tab model.TargetID) error {
	if err := s.Down(); err != nil {
		return err
	}
	if s.Tabs[tab] == nil {
		return &model.BlockedError{Tab: tab, Gone: true}
	}
	return nil
}

// refused explains the browser's refusal to load an address.
func (e *Env) refused(ctx context.Context, url, text string) error {
	if strings.Contains(text, "ERR_ABORTED") && e.crashes(ctx, url) {
		return e.explain(context.Cause(ctx), "open "+url)
	}
	if waits := e.waits(); waits != nil && strings.Contains(text, "ERR_ABORTED") {
		// Chromium drops a navigation to an address to which it is under way already.
		return e.blockedError(&model.BlockedError{Tab: e.Tab, Waits: waits}, "open "+url)
	}
	err := api.Errorf(api.NavigationFailed, "Navigation failed: %s at %s", text, url).With("url", url).With("errorText", text)
	switch {
	case strings.Contains(text, "ERR_ABORTED"):
		err.WithHint("The server sent nothing to show (such as 204 No Content), or another navigation took over; the page before it is still there.")
	case strings.Contains(text, "ERR_CERT"):
		err.WithHint("Pass --ignore-https-errors if you trust this server.")
	case strings.Contains(text, "ERR_NAME_NOT_RESOLVED"):
		err.WithHint("Check the host name; it does not resolve here.")
	case strings.Contains(text, "ERR_CONNECTION_REFUSED"):
		err.WithHint("Nothing listens at that address. Check that the server runs, and on that port.")
	}
	return err
}

// waits is what holds the tab until somebody answers it; nil for nothing.
func (e *Env) waits() *model.Interruption {
	for _, i := range e.Browser.State().Interrupts {
		if i.Tab == e.Tab && i.Blocks && !i.Notice {
			return i
		}
	}
	return nil
}

// crashWord is how long the news of a dead renderer may take behind the failure
// of the navigation that killed it. For the browser's own addresses that do nothing
// but kill it, the news is waited for: on a busy machine it comes later.
const (
	crashWord    = 200 * time.Millisecond
	crashCertain = 5 * time.Second
)

// crashes reports whether the tab's renderer dies about now. ctx is the guarded
// context, which ends with the crash as its cause.
func (e *Env) crashes(ctx context.Context, url string) bool {
	limit := crashWord
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
func (e *Env) navigationFailed(ctx context.Context, err error, doing string, before *model.Tab) error {
	var known *api.Error
	if errors.As(err, &known) || e.Browser.Blocked(err, e.Tab) != nil || !errors.Is(err, errLimit) {
		return e.explain(err, doing)
	}
	return e.unfinished(ctx, doing, before)
}

// arrived describes the page that is shown now.
func (e *Env) arrived(ctx context.Context) (Result, error) {
	tab, err := e.tab()
	if err != nil {
		return Result{}, err
	}
	title, warning, err := e.title(ctx, tab)
	if err != nil {
		return Result{}, err
	}
	res := e.arrivedAt(tab, title)
	res.Warning = warning
	return res, nil
}

// arrivedAt describes a page whose title is known.
func (e *Env) arrivedAt(tab *model.Tab, title string) Result {
	data := obj{"url": tab.URL, "title": title, "targetId": string(tab.ID)}
	text := "✓ " + oneLine(title) + "\n  " + tab.URL
	if r := tab.Response; r.Loader == tab.MainFrame().Loader && r.Status != 0 {
		data["status"] = r.Status
		if r.Status >= 400 {
			text += fmt.Sprintf("\n  HTTP %d", r.Status)
		}
	}
	if d := e.Browser.State().Dialog(e.Tab); d != nil {
		data["dialogOpened"], data["dialog"] = true, DialogData(d)
	}
	return Result{Data: data, Text: text}
}

// titlesLimit bounds a question that only the browser process has to answer.
const titlesLimit = time.Second

// titles asks the browser for the titles of all tabs. It knows them even while a
// page is blocked, and better than its events tell: those lag behind. On failure
// it is what the events told.
func (e *Env) titles(ctx context.Context) map[model.TargetID]string {
	if e.Sites != nil {
		return e.judgedTitles(ctx)
	}
	titles := map[model.TargetID]string{}
	for id, t := range e.Browser.State().Tabs {
		titles[id] = t.Title
	}
	if t := e.Browser.State().Tabs[e.Tab]; t != nil && t.Unresponsive != nil && t.Unresponsive.Reason == model.HeldByBrowser {
		return titles
	}
	ctx, cancel := context.WithTimeout(ctx, titlesLimit)
	defer cancel()
	if got, err := cdp.Do(ctx, e.Browser.Session(""), target.GetTargets, target.GetTargetsParams{}); err == nil {
		for _, t := range got.TargetInfos {
			titles[model.TargetID(t.TargetID)] = t.Title
		}
	}
	return titles
}

// title asks the page for its title. When the page cannot answer, it is the
// browser's, with a warning that says why. The error is that the browser is gone.
func (e *Env) title(ctx context.Context, tab *model.Tab) (title, warning string, err error) {
	res, err := cdp.Do(ctx, e.Browser.Session(tab.Session), runtime.Evaluate,
		runtime.EvaluateParams{Expression: "document.title", ReturnByValue: new(true), Silent: new(true)})
	if err == nil && res.Result != nil {
		if jerr := jsonv2.Unmarshal(res.Result.Value, &title); jerr == nil {
			return title, "", nil
		}
	}
	if errors.Is(err, cdp.ErrClosed) {
		return "", "", e.explain(err, "ask the page for its title")
	}
	if err != nil { // explained first: that finds out whether the browser can be asked
		warning = e.explain(err, "ask the page for its title").Error()
	}
	return e.titles(context.WithoutCancel(ctx))[tab.ID], warning, nil
}

// swapPause is the time between two tries of a question to a tab that has no page
// for the moment.
const swapPause = 10 * time.Millisecond

// askTab is cdp.Do for a question about the tab itself. While one document gives
// way to another, as right behind a navigation that failed or that a script
// began, the browser refuses such questions for some milliseconds: "Not attached
// to an active page" (measured on Chromium 156). The question is then asked again.
func askTab[P, R any](ctx context.Context, s *cdp.Session, c protocol.Command[P, R], params P) (R, error) {
	for {
		res, err := cdp.Do(ctx, s, c, params)
		var refused *cdp.Error
		if !errors.As(err, &refused) || !strings.Contains(refused.Message, "Not attached to an active page") {
			return res, err
		}
		select {
		case <-time.After(swapPause):
		case <-ctx.Done():
			return res, context.Cause(ctx)
		}
	}
}

// travel moves through the tab's history.
func (e *Env) travel(ctx context.Context, step int64) (Result, error) {
	ctx, stop := e.guard(ctx)
	defer stop()
	tab, err := e.tab()
	if err != nil {
		return Result{}, err
	}
	s := e.Browser.Session(tab.Session)
	word := map[int64]string{-1: "go back", 1: "go forward"}[step]
	h, err := askTab(ctx, s, page.GetNavigationHistory, protocol.Empty{})
	if err != nil {
		return Result{}, e.explain(err, word)
	}
	to := h.CurrentIndex + step
	if to < 0 || to >= int64(len(h.Entries)) {
		return Result{}, api.Errorf(api.NoHistory, "%s: this is the %s page of the tab's history (%d of %d)", word,
			map[int64]string{-1: "first", 1: "last"}[step], h.CurrentIndex+1, len(h.Entries))
	}
	entry := h.Entries[to]
	note, err := e.leave(ctx, tab, func(ctx context.Context) error {
		if _, err := askTab(ctx, s, page.NavigateToHistoryEntry, page.NavigateToHistoryEntryParams{EntryID: entry.ID}); err != nil {
			return err
		}
		if err := e.committed(ctx, tab); err != nil {
			return e.navigationFailed(ctx, err, word+" to "+entry.URL, tab)
		}
		return nil
	})
	if err != nil {
		return Result{}, e.explain(err, word)
	}
	if now, err := askTab(ctx, s, page.GetNavigationHistory, protocol.Empty{}); err == nil && now.CurrentIndex == h.CurrentIndex {
		e.late(ctx)
	}
	return e.moved(note)
}

// lateLimit is how long a step in the history may take behind the commit that was not
// its own.
const lateLimit = 2 * time.Second

// late waits for one more commit. The one that came was that of an earlier
// navigation: the page that tells of a failed one can come behind the failure. A
// page that leads back to where it was left from makes it wait in vain.
func (e *Env) late(ctx context.Context) {
	tab, err := e.tab()
	if err != nil {
		return // moved tells of it
	}
	ctx, cancel := context.WithTimeout(ctx, lateLimit)
	defer cancel()
	// What comes or does not come, moved tells where the tab is.
	_ = e.committed(ctx, tab)
}

func reload(ctx context.Context, e *Env, _ *verb.Call) (Result, error) {
	ctx, stop := e.guardNavigation(ctx)
	defer stop()
	tab, err := e.tab()
	if err != nil {
		return Result{}, err
	}
	note, err := e.leave(ctx, tab, func(ctx context.Context) error {
		if _, err := askTab(ctx, e.Browser.Session(tab.Session), page.Reload, page.ReloadParams{}); err != nil {
			return err
		}
		if err := e.committed(ctx, tab); err != nil {
			return e.navigationFailed(ctx, err, "reload "+tab.URL, tab)
		}
		return nil
	})
	if err != nil {
		return Result{}, e.explain(err, "reload")
	}
	return e.moved(note)
}

// committed waits until the tab shows another document than before, or moved
// within it, and has loaded.
func (e *Env) committed(ctx context.Context, before *model.Tab) error {
	return e.Browser.Wait(ctx, func(s *model.State) (bool, error) {
		t := s.Tabs[e.Tab]
		return t != nil && t.Commits > before.Commits && t.MainFrame().Loaded, lost(s, e.Tab)
	})
}

func (e *Env) moved(warning string) (Result, error) {
	tab, err := e.tab()
	if err != nil {
		return Result{}, err
	}
	return Result{Data: obj{"url": tab.URL}, Text: tab.URL, Warning: warning}, nil
}
