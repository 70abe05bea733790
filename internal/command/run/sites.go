package run

import (
	"context"
	"errors"
	"strings"
	"time"

	protocol "github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/policy"
	"github.com/usher-browser/usher/internal/supervisor/model"
	"github.com/usher-browser/usher/internal/verb"
	"github.com/usher-browser/usher/internal/world"
)

// Enforcement of the site guard. It judges the supervisor's model, never an answer of the page, so that a dialog or a
// page that hangs cannot prevent a check.
//
//	before   addresses in the command (OpenArgs); the page shown, for verbs that read it or act on it
//	during   every call into a frame: its document, and those around it (world.WithGate)
//	after    every document that the tab has shown since: redirects, and pages that navigated between check and reading
//	out      secrets are redacted
//
// If a command led to a refused page, the tab is navigated to about:blank. A page that was there before is left alone:
// it may belong to another caller without that guard.

// OpenArgs judges the addresses that a command contains, before anything is done.
func OpenArgs(ctx context.Context, sites *policy.Sites, c *verb.Call) error {
	for _, arg := range c.Verb.Args {
		if arg.Kind != verb.URL || !c.Has(arg.Name) {
			continue
		}
		for _, url := range c.List(arg.Name) {
			if r := sites.Open(ctx, url); r != nil {
				return RefusedSite(c.Verb.Name+" "+r.URL+" is", r)
			}
		}
	}
	return nil
}

// RefusedSite returns a refusal as an error; what was refused goes before "refused by the site guard".
func RefusedSite(what string, r *policy.Refusal) *api.Error {
	err := api.Errorf(api.URLBlocked, "%s refused by the site guard: %s", what, r.Why).
		With("url", r.URL).With("host", r.Host).With("rule", r.Rule).With("source", r.Source)
	if r.Next != "" {
		err.WithHint("%s", r.Next)
	}
	return err
}

// withSiteGuard runs a verb under the site guard, if there is one.
func withSiteGuard(f Func) Func {
	return func(ctx context.Context, e *Env, c *verb.Call) (Result, error) {
		if e.Sites == nil {
			return f(ctx, e, c)
		}
		if err := e.judgeBefore(ctx, c.Verb); err != nil {
			return Redact(Result{}, err)
		}
		if emit := e.Emit; emit != nil {
			e.Emit = func(b []byte) error { return emit([]byte(policy.Text(string(b)))) }
		}
		since, silent := e.position(), e.pageRefused(ctx)
		res, err := f(world.WithGate(ctx, e.GateFrame), e, c)
		if silent {
			res, err = redacted(c.Verb, res, err)
		}
		if refused := e.judgeAfter(context.WithoutCancel(ctx), c.Verb, since); refused != nil {
			res, err = Result{}, refused
		}
		return Redact(res, err)
	}
}

// readsPage reports whether a verb reads the page shown, or acts on it. Verbs that leave it are judged where they arrive,
// those about tabs return only addresses, and a raw CDP call is judged method by method.
func readsPage(v *verb.Verb) bool {
	switch {
	case !v.Is(verb.NeedsBrowser), v.Category == verb.CatNavigate, v.Category == verb.CatSession:
		return false
	case v.Category == verb.CatState && !v.Is(verb.ChangesPage): // what it saves is chosen site by site
		return false
	case v.Is(verb.Control) && (v.Category == verb.CatTab || v.Category == verb.CatEval), answersDialog(v):
		return false
	}
	return true
}

// answersDialog reports whether a verb answers a dialog. It runs on refused pages too, because an open dialog would keep
// the tab there; the text of the dialog is not returned.
func answersDialog(v *verb.Verb) bool { return v.Category == verb.CatDialog && v.Is(verb.ChangesPage) }

// pageRefused reports whether the page shown is refused, so that its text is not returned.
func (e *Env) pageRefused(ctx context.Context) bool {
	f := e.Browser.State().MainFrame(e.Tab)
	return f != nil && e.Refusal(ctx, f) != nil
}

// redacted removes a refused page's text from the result of a verb that ran on that page.
func redacted(v *verb.Verb, res Result, err error) (Result, error) {
	switch {
	case err != nil && api.CodeOf(err) == api.DialogOpen:
		return Result{}, api.Errorf(api.DialogOpen, "%s: a dialog blocks the tab, and the site guard refuses its page", v.Name)
	case err == nil && answersDialog(v):
		return Result{Data: Answered{Answered: true}, Text: Done}, nil
	}
	res.Warning = ""
	return res, err
}

// Answered is the whole result of an answer to a dialog of a page whose text the site guard redacts.
type Answered struct {
	Answered bool `json:"answered"`
}

// showsAllFrames reports whether a verb shows every frame of the page as it looks.
func showsAllFrames(v *verb.Verb) bool {
	return v.Category == verb.CatSnapshot && v.Is(verb.SavesFiles)
}

func (e *Env) judgeBefore(ctx context.Context, v *verb.Verb) error {
	t := e.Browser.State().Tabs[e.Tab]
	if t == nil || t.MainFrame() == nil || !readsPage(v) {
		return nil
	}
	if r := e.Refusal(ctx, t.MainFrame()); r != nil {
		return RefusedSite(v.Name+": the page in the tab, "+r.URL+", is", r)
	}
	return e.judgeAllFrames(ctx, v, t)
}

func (e *Env) judgeAllFrames(ctx context.Context, v *verb.Verb, t *model.Tab) error {
	if !showsAllFrames(v) {
		return nil
	}
	return e.judgeFrames(ctx, v, t)
}

// judgeFrames judges every frame of a page that is shown as it looks.
func (e *Env) judgeFrames(ctx context.Context, v *verb.Verb, t *model.Tab) error {
	for f := range t.InOrder() {
		if r := e.Refusal(ctx, f); r != nil {
			return RefusedSite(v.Name+": the page contains the frame "+r.URL+", which is", r).With("frameId", string(f.ID)).
				WithHint("`snapshot` shows the page without that frame.")
		}
	}
	return nil
}

// Refusal judges a frame by its document and by the documents around it. A document without an address of its own, such
// as srcdoc and what a script wrote into about:blank, is also judged by its inherited origin: a refused page that opens
// such a window, or navigates its opener to one, can write into it.
func (e *Env) Refusal(ctx context.Context, f *model.Frame) *policy.Refusal {
	t := e.Browser.State().Tabs[f.Tab]
	for f != nil {
		if r := e.Sites.Loaded(ctx, f.URL); r != nil {
			return r
		}
		if r := e.Sites.Connected(ctx, f.URL, f.RemoteAddress); r != nil { // its name led elsewhere when the browser looked it up
			return r
		}
		if strings.HasPrefix(f.Origin, "http") && !strings.HasPrefix(f.URL, f.Origin) {
			if r := e.Sites.Loaded(ctx, f.Origin); r != nil {
				return r
			}
		}
		if r := e.inherited(ctx, f); r != nil {
			return r
		}
		if t == nil {
			return nil
		}
		f = t.Frames[f.Parent]
	}
	return nil
}

// originLimit is how long the browser may take to return the origin of a document.
const originLimit = 2 * time.Second

// How long the origin of the previous document may still be returned after an about: document has committed, and how
// often it is read meanwhile: the renderer reports a new document before the browser process has recorded it.
const (
	settling      = 200 * time.Millisecond
	retryInterval = 20 * time.Millisecond
)

// inherited judges the origin that an about: document inherits from its initiator. Neither its address nor the events
// of the frame contain it (Chromium 156: securityOrigin is "://"); its storage key does, which comes from the browser
// process, whatever the page does. A document without a known origin is refused. If the key of the previous document is
// returned for that of a refused one, no data leaks: what a command has read is judged again when it ends.
func (e *Env) inherited(ctx context.Context, f *model.Frame) *policy.Refusal {
	if f.URL != "" && !strings.HasPrefix(f.URL, "about:") || f.URL == "about:srcdoc" || f.Session == "" { // srcdoc's is that of the document around it
		return nil
	}
	ctx, cancel := context.WithTimeoutCause(ctx, originLimit, ErrLimit)
	defer cancel()
	again := time.NewTicker(retryInterval)
	defer again.Stop()
	for {
		r := e.judgeOrigin(ctx, f)
		if r == nil || time.Since(f.Since) > settling {
			return r
		}
		select {
		case <-again.C:
		case <-ctx.Done():
			return r
		}
	}
}

// judgeOrigin reads the origin of a frame's document from the browser and judges it.
func (e *Env) judgeOrigin(ctx context.Context, f *model.Frame) *policy.Refusal {
	var reported struct {
		Key string `json:"storageKey"`
	}
	err := e.Browser.Session(f.Session).Call(ctx, "Storage.getStorageKey", map[string]any{"frameId": f.ID}, &reported)
	var refused *cdp.Error
	switch {
	case err == nil:
	case errors.As(err, &refused) && strings.Contains(refused.Message, "opaque"):
		return nil // an opaque origin
	case errors.As(err, &refused), errors.Is(err, ErrLimit), errors.Is(context.Cause(ctx), ErrLimit):
		return &policy.Refusal{URL: f.URL, Rule: policy.RuleURL, Source: policy.BuiltIn, Why: "the browser does not report the document's origin (" + err.Error() + ")"}
	default:
		return nil // the connection, the tab or the caller has gone: there is nothing to read
	}
	origin, _, _ := strings.Cut(reported.Key, "^") // behind it is how it is partitioned
	if !strings.HasPrefix(origin, "http") {
		return nil
	}
	return e.Sites.Loaded(ctx, origin)
}

// GateFrame returns an error for a refused frame; see world.WithGate.
func (e *Env) GateFrame(ctx context.Context, f *model.Frame) error {
	if r := e.Refusal(ctx, f); r != nil {
		return RefusedSite("the frame "+r.URL+" is", r)
	}
	return nil
}

// MayEnter judges a frame as it is now, if there is a guard.
func (e *Env) MayEnter(ctx context.Context, id model.FrameID) error {
	f := e.Browser.State().Frame(id)
	if e.Sites == nil || f == nil {
		return nil
	}
	return e.GateFrame(ctx, f)
}

// position is how the tabs were when a verb began.
type position struct {
	loaders map[model.TargetID]string
	seq     uint64
}

func (e *Env) position() position {
	s := position{loaders: map[model.TargetID]string{}}
	_, s.seq = e.Browser.Stream(e.Context).Bounds()
	for _, t := range e.Tabs() {
		if f := t.MainFrame(); f != nil {
			s.loaders[t.ID] = f.Loader
		}
	}
	return s
}

// judgeAfter judges what the verb's tab, and the one that is active now, have shown since the verb began.
func (e *Env) judgeAfter(ctx context.Context, v *verb.Verb, since position) error {
	active, _ := e.Active()
	tabs := []model.TargetID{e.Tab}
	if active != e.Tab && v.Category != verb.CatTab {
		tabs = append(tabs, active)
	}
	for _, id := range tabs {
		t := e.Browser.State().Tabs[id]
		if t == nil || t.MainFrame() == nil {
			continue
		}
		before, known := since.loaders[id]
		if !known || before != t.MainFrame().Loader {
			if r := e.Refusal(ctx, t.MainFrame()); r != nil {
				return e.leaveRefused(ctx, v, t, r)
			}
		}
		// A pending navigation to a known refused address is stopped. One that redirects there is judged by the next
		// command.
		if going := t.MainFrame().PendingURL; going != "" && v.Is(verb.ChangesPage) {
			if r := e.Sites.Loaded(ctx, going); r != nil {
				return e.leaveRefused(ctx, v, t, r)
			}
		}
		if r := e.judgeSince(ctx, id, since.seq); r != nil {
			return RefusedSite(v.Name+": during the call the tab showed "+r.URL+", which is", r)
		}
	}
	if t := e.Browser.State().Tabs[e.Tab]; t != nil && t.MainFrame() != nil {
		return e.judgeAllFrames(ctx, v, t)
	}
	return nil
}

// In runs a part of a verb in another tab, and judges what that has shown meanwhile; with pictured also every frame, since
// a picture shows them all.
func (e *Env) In(ctx context.Context, v *verb.Verb, tab model.TargetID, pictured bool, f func(*Env) error) error {
	other := *e
	other.Tab, other.Frame = tab, ""
	since := e.position()
	err := f(&other)
	if e.Sites == nil {
		return err
	}
	if refused := other.judgeAfter(context.WithoutCancel(ctx), v, since); refused != nil {
		return refused
	}
	if t := e.Browser.State().Tabs[tab]; t != nil && pictured {
		if refused := other.judgeFrames(context.WithoutCancel(ctx), v, t); refused != nil {
			return refused
		}
	}
	return err
}

// judgeSince judges every document that a tab has shown since an event.
func (e *Env) judgeSince(ctx context.Context, id model.TargetID, since uint64) *policy.Refusal {
	const all = 1 << 20
	changes, lost := e.Browser.Stream(e.Context).After(since, all)
	if lost > 0 {
		return &policy.Refusal{URL: "other pages", Rule: policy.RuleURL, Source: policy.BuiltIn, Why: "too many events to know which pages the tab showed during the command"}
	}
	for i := range changes {
		if c := &changes[i]; c.Kind == model.TabNavigated && c.Tab == id {
			if r := e.Sites.Loaded(ctx, c.URL); r != nil {
				return r
			}
		}
	}
	return nil
}

// leaveLimit is how long leaving a refused page may take.
const leaveLimit = 5 * time.Second

// leaveRefused leaves a refused page that a verb led to. A verb that changes nothing did not lead there.
func (e *Env) leaveRefused(ctx context.Context, v *verb.Verb, t *model.Tab, r *policy.Refusal) error {
	if !v.Is(verb.ChangesPage) {
		return RefusedSite(v.Name+": the page navigated to "+r.URL+", which is", r)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, leaveLimit, ErrLimit)
	defer cancel()
	nav, err := cdp.Do(ctx, e.Browser.Session(t.Session), page.Navigate, page.NavigateParams{URL: "about:blank"})
	if err == nil {
		err = e.Browser.Wait(ctx, func(s *model.State) (bool, error) {
			f := s.MainFrame(t.ID)
			return f != nil && f.Loader == string(nav.LoaderID), s.TabLost(t.ID)
		})
	}
	// What the page has written is not to be read afterwards, either.
	e.Journal.ClearConsole(t.ID)
	e.Journal.ClearErrors(t.ID)
	out := RefusedSite(v.Name+": it navigated to "+r.URL+", which is", r)
	if err != nil {
		return out.WithHint("The page is still open, because navigating to about:blank failed (%v): try `open about:blank`, or `tab close`.", err)
	}
	return out.WithHint("The tab was navigated to about:blank.")
}

// JudgedTitles reads the titles of the session's tabs from the browser, each with the address that it belongs to, and
// omits those of refused pages and those that the browser does not return. The titles of targets are not used: right
// after a navigation, a target has the old title beside the new address.
func (e *Env) JudgedTitles(ctx context.Context) map[model.TargetID]string {
	asking, cancel := context.WithTimeout(ctx, titlesLimit)
	defer cancel()
	titles := map[model.TargetID]string{}
	for _, t := range e.Tabs() {
		f := t.MainFrame()
		if f == nil || e.Refusal(ctx, f) != nil {
			continue
		}
		h, err := DoInTab(asking, e.Browser.Session(t.Session), page.GetNavigationHistory, protocol.Empty{})
		if err != nil || h.CurrentIndex < 0 || h.CurrentIndex >= int64(len(h.Entries)) {
			continue
		}
		if now := h.Entries[h.CurrentIndex]; e.Sites.Loaded(ctx, now.URL) == nil {
			titles[t.ID] = now.Title
		}
	}
	return titles
}

// FilterReported removes from a list of records those of refused frames and addresses.
func FilterReported[T any](ctx context.Context, e *Env, list []T, from func(*T) (model.FrameID, string)) []T {
	if e.Sites == nil {
		return list
	}
	s, sites := e.Browser.State(), e.Sites.WithoutProbes()
	var out []T
	for i := range list {
		id, url := from(&list[i])
		if f := s.Frame(id); f != nil && e.Refusal(ctx, f) != nil || sites.Loaded(ctx, url) != nil {
			continue
		}
		out = append(out, list[i])
	}
	return out
}

// Filtered reports whether an event is of a refused address, frame or page.
func (e *Env) Filtered(ctx context.Context, ch *model.Change) bool {
	if ch.URL != "" && e.Sites.WithoutProbes().Loaded(ctx, ch.URL) != nil {
		return true
	}
	s := e.Browser.State()
	f := s.Frame(ch.Frame)
	if f == nil {
		f = s.MainFrame(ch.Tab)
	}
	return f != nil && e.Refusal(ctx, f) != nil
}
