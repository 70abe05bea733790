// Package logins handles HTTP authentication of servers and proxies.
package logins

import (
	"bytes"
	"slices"
	"strings"

	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/supervisor/fold/core"
	"github.com/usher-browser/usher/internal/supervisor/fold/fetch"
	"github.com/usher-browser/usher/internal/supervisor/fold/interrupts"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

// Logins detects HTTP authentication, and answers it with credentials if there are some.
type Logins struct {
	*core.Core
	interrupts  *interrupts.Queue
	fetch       *fetch.Fetch
	claimant    *fetch.Claimant
	noticed     map[model.ContextID]noticed
	credentials map[model.ContextID]credentials
	attempts    map[string]int            // answers given to requests, by CDP session and request
	reloads     map[model.TargetID]string // addresses of tabs to reload for a login
}

// New returns a Logins that pauses no requests.
func New(c *core.Core, queue *interrupts.Queue, domain *fetch.Fetch) *Logins {
	m := &Logins{
		Core: c, interrupts: queue, fetch: domain, noticed: map[model.ContextID]noticed{}, credentials: map[model.ContextID]credentials{},
		attempts: map[string]int{}, reloads: map[model.TargetID]string{},
	}
	m.claimant = &fetch.Claimant{Auth: m.authRequired}
	domain.Add(m.claimant)
	return m
}

// Handlers returns the handlers of logins.
func (m *Logins) Handlers() core.Handlers {
	return core.Handlers{
		Replies:  map[core.TagKind]func(*core.Reply){core.TagReload: m.reloaded},
		Commands: []core.CommandHandler{core.Handle(m.setFetching), core.Handle(m.hiddenLogin), core.Handle(m.setCredentials)},
	}
}

// What Chromium 156, headless, does by itself when a server or proxy asks for a
// name and a password (all measured): a navigation of a tab fails at once with
// ERR_INVALID_AUTH_CREDENTIALS; a request of a page, or of a frame, to the page's own origin hangs for ever
// and no event reports it. With Fetch enabled for its address, Fetch.authRequired
// reports and holds it; patterns that do not match the address, or that match its
// response only, do not, so it costs a round trip for each request there. What was
// accepted once Chromium caches for the context. Requests to other origins than
// the page's do not hang: Chromium refuses their logins at once.
//
// So nothing is intercepted until a tab's navigation fails that way, or a request
// is found to hang ([HiddenLogin]), or there are credentials for an origin. Then
// requests to that origin are (all requests, for a proxy), and the tab is reloaded.

// Fetching sets which logins of a context are noticed.
type Fetching struct {
	Context model.ContextID
	// All pauses every request, Origin those to one origin; neither removes what was set before. (In recordings from
	// before extra headers had their own input, All is set for them, too.)
	All    bool
	Origin string
	// Logins makes logins of a tab's navigation interruptions.
	Logins bool
}

// InputName returns the name in recordings.
func (*Fetching) InputName() string { return "Fetching" }

// noticed are the logins of a context that are noticed, besides those of credentials.
type noticed struct {
	all, logins bool
	origins     []string
}

// maxLogins is how many wrong answers one request may get. Then it gets none: a
// script is given the status 401, a tab the browser's own error page.
const maxLogins = 3

func (m *Logins) setFetching(f *Fetching) {
	p := m.noticed[f.Context]
	p.all = p.all || f.All
	p.logins = p.logins || f.Logins
	if f.Origin != "" && !slices.Contains(p.origins, f.Origin) {
		p.origins = append(slices.Clone(p.origins), f.Origin)
	}
	m.noticed[f.Context] = p
	m.claim(f.Context)
}

// claim updates the Fetch claim of a context to what its logins need, or releases it.
func (m *Logins) claim(c model.ContextID) {
	p, origins := m.noticed[c], m.credentials[c].origins
	var patterns []string
	if p.all {
		patterns = append(patterns, fetch.Everything)
	}
	for _, o := range p.origins {
		patterns = append(patterns, patternOf(o))
	}
	for _, o := range origins {
		switch glob, ok := o.Glob(); {
		case ok:
			patterns = append(patterns, patternOf(glob))
		case o.String() != "":
			patterns = append(patterns, fetch.Everything)
		}
	}
	if patterns == nil && !p.logins && len(origins) == 0 {
		m.fetch.Release(c, m.claimant)
		return
	}
	m.fetch.Claim(c, m.claimant, patterns...)
}

// patternOf returns a URL pattern that matches the origins.
func patternOf(origin string) string { return origin + "/*" }

// ForgetTab removes the data of a closed tab.
func (m *Logins) ForgetTab(tab model.TargetID) { delete(m.reloads, tab) }

// Forget drops the data of a browser context that no longer exists.
func (m *Logins) Forget(c model.ContextID) {
	delete(m.noticed, c)
	delete(m.credentials, c)
}

// LoadingFailed looks for the navigation of a tab that failed because of a login.
func (m *Logins) LoadingFailed(ev *cdp.Event) {
	if !bytes.Contains(ev.Params, []byte("ERR_INVALID_AUTH_CREDENTIALS")) {
		return
	}
	var p struct {
		Request string `json:"requestId"`
		Type    string `json:"type"`
	}
	info := m.Sessions[ev.SessionID]
	t := m.State().Tabs[info.Tab]
	if t == nil || info.Kind != "page" || !core.Decode(ev, &p) || p.Type != "Document" || t.Response.Loader != p.Request {
		return
	}
	origin := model.Origin(t.Response.URL)
	proxy := t.Response.Status == 407
	known := m.credentialFor(t.Context, origin) >= 0 || proxy && len(m.credentials[t.Context].origins) > 0
	held := m.fetch.HasPattern(t.Context, fetch.Everything) || t.Response.Status == 401 && m.fetch.HasPattern(t.Context, patternOf(origin))
	if !m.noticed[t.Context].logins && !known || held || origin == "" {
		return // a person answers there, or the request was paused and failed nevertheless
	}
	m.setFetching(&Fetching{Context: t.Context, All: proxy, Origin: origin})
	m.reloads[t.ID] = t.Response.URL
}

// Reload reloads a tab whose navigation a login stopped, as soon as its error page has committed: only then a reload
// repeats the request, a POST included.
func (m *Logins) Reload(t *model.Tab) {
	url, ok := m.reloads[t.ID]
	if !ok {
		return
	}
	delete(m.reloads, t.ID)
	m.Send(t.Session, "Page.reload", nil, core.Tag{Kind: core.TagReload, URL: url})
}

// reloaded navigates to the address if the reload was refused, as it is while one document replaces another.
func (m *Logins) reloaded(r *core.Reply) {
	if r.Err != nil && m.Sessions[r.Session].Kind == "page" {
		m.Send(r.Session, "Page.navigate", core.Params{"url": r.Tag.URL}, core.Tag{})
	}
}

// authRequired answers an authentication challenge of a paused request, or opens an interruption.
func (m *Logins) authRequired(ev *cdp.Event) (taken bool) {
	var p struct {
		Request string        `json:"requestId"`
		Frame   model.FrameID `json:"frameId"`
		Type    string        `json:"resourceType"`
		Sent    struct {
			URL string `json:"url"`
		} `json:"request"`
		Challenge struct {
			Source string `json:"source"`
			Origin string `json:"origin"`
			Scheme string `json:"scheme"`
			Realm  string `json:"realm"`
		} `json:"authChallenge"`
	}
	info, ok := m.Sessions[ev.SessionID]
	t := m.State().Tabs[info.Tab]
	if !ok || t == nil || !core.Decode(ev, &p) {
		return false
	}
	login := &model.Login{Request: p.Request, URL: p.Sent.URL, Scheme: p.Challenge.Scheme, Realm: p.Challenge.Realm,
		Attempt: m.attempt(ev.SessionID, p.Request), Document: p.Type == "Document"}
	m.closeSuperseded(ev.SessionID, p.Frame, login)
	asked := challenge{info.Context, p.Challenge.Source, p.Challenge.Scheme, p.Challenge.Origin, p.Challenge.Realm}
	i := &model.Interruption{Kind: model.KindHTTPLogin, Tab: t.ID, Frame: p.Frame, Origin: p.Challenge.Origin, Session: ev.SessionID, Login: login}
	who := "the server"
	if p.Challenge.Source == "Proxy" {
		i.Kind, who = model.KindProxyLogin, "the proxy"
	}
	i.Message = who + " requests HTTP authentication (" + login.Scheme + ", realm " + login.Realm + ")"
	if login.Attempt > 1 {
		i.Message = who + " rejected the last credentials and" + i.Message[len(who):]
	}
	switch {
	case m.answerKnown(ev.SessionID, login, asked):
		m.noteAttempt(ev.SessionID, p.Request, login.Attempt)
	case !m.noticed[info.Context].logins: // a person answers in the browser's own window
		return false
	case !login.Document || p.Frame != t.Main:
		m.fetch.Answer(ev.SessionID, p.Request, "CancelAuth")
		m.reportRefused(t, i, strings.ToLower(p.Type))
	default:
		// It stays paused until it is answered, even if the credential for which it was paused is removed meanwhile.
		m.setFetching(&Fetching{Context: info.Context, All: i.Kind == model.KindProxyLogin, Origin: model.Origin(p.Challenge.Origin)})
		i.Blocks = true
		m.interrupts.Open(i)
		if login.Attempt > maxLogins {
			m.fetch.Answer(ev.SessionID, p.Request, "CancelAuth")
			m.interrupts.Close(i, model.ByPolicy, "canceled after too many wrong credentials")
		}
	}
	return true
}

// reportRefused reports a login for a subresource that was refused: the page is shown without it, as in a browser
// without a user, in which Chromium itself refuses logins of other origins than the page's at once. It is reported once
// for a page and realm.
func (m *Logins) reportRefused(t *model.Tab, i *model.Interruption, what string) {
	for _, o := range m.State().Interrupts {
		if o.Notice && o.Login != nil && o.Tab == i.Tab && o.Frame == i.Frame && o.Origin == i.Origin && o.Login.Realm == i.Login.Realm {
			return
		}
	}
	i.Notice, i.Session = true, ""
	i.Message += " for the " + what + " " + i.Login.URL + " and got no credentials; set --credentials user:password@" + i.Origin + ", then reload"
	m.interrupts.Open(i)
	i.Loader, i.PendingURL = t.MainFrame().Loader, ""
}

// noteAttempt records that a request was answered with a credential.
func (m *Logins) noteAttempt(session, request string, attempt int) {
	if len(m.attempts) >= maxAttempts {
		clear(m.attempts) // a dropped request may get one more answer
	}
	m.attempts[session+" "+request] = attempt
}

// maxAttempts bounds the stored answers.
const maxAttempts = 4096

// attempt numbers the challenges for one request.
func (m *Logins) attempt(session, request string) int {
	most := m.attempts[session+" "+request]
	for _, list := range [][]*model.Interruption{m.State().Interrupts, m.State().RecentInterrupts} {
		for _, i := range list {
			if i.Login != nil && i.Session == session && i.Login.Request == request {
				most = max(most, i.Login.Attempt)
			}
		}
	}
	return most + 1
}

// closeSuperseded closes the logins that a new one replaces.
func (m *Logins) closeSuperseded(session string, frame model.FrameID, by *model.Login) {
	for _, i := range slices.Clone(m.State().Interrupts) {
		switch {
		case i.Login == nil || i.Session != session:
		case i.Login.Request == by.Request:
			m.interrupts.Close(i, model.ByRemote, "asked again")
		case i.Login.Document && by.Document && i.Frame == frame:
			m.interrupts.Close(i, model.ByRemote, "the page navigated away")
		}
	}
}
