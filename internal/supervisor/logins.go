package supervisor

import (
	"bytes"
	"maps"
	"slices"
	"strings"

	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

// What Chromium 156, headless, does by itself when a server or proxy asks for a
// name and a password (all measured): a navigation of a tab fails at once with
// ERR_INVALID_AUTH_CREDENTIALS; a request of a page, or of a frame, to the page's own origin hangs for ever
// and no event tells of it. With Fetch enabled for its address, Fetch.authRequired
// tells and holds it; patterns that do not match the address, or that match its
// response only, do not, so it costs a round trip for each request there. What was
// accepted once Chromium remembers for the context. Requests to other origins than
// the page's do not hang: Chromium refuses their logins at once.
//
// So nothing is intercepted until a tab's navigation fails that way, or a request
// is found to hang ([HiddenLogin]), or there are credentials for an origin. Then
// requests to that origin are (all requests, for a proxy), and the tab is reloaded.

// Fetching sets which requests of a context are held for whoever taps the events.
// There is one owner of the Fetch domain: this.
type Fetching struct {
	Context model.ContextID
	// All holds every request, Origin those to one origin; neither takes away from
	// what was set before.
	All    bool
	Origin string
	// Logins makes logins that a tab's navigation meets interruptions.
	Logins bool
}

// InputName is the name in recordings.
func (*Fetching) InputName() string { return "Fetching" }

type fetching struct {
	all, logins bool
	origins     []string
}

// maxLogins is how many wrong answers one request may get. Then it gets none: a
// script is given the status 401, a tab the browser's own error page.
const maxLogins = 3

func (m *Model) setFetching(f *Fetching) {
	p := m.fetch[f.Context]
	before := p
	p.all = p.all || f.All
	p.logins = p.logins || f.Logins
	if f.Origin != "" && !slices.Contains(p.origins, f.Origin) {
		p.origins = append(slices.Clone(p.origins), f.Origin)
	}
	m.fetch[f.Context] = p
	if p.params() == nil || p.all == before.all && len(p.origins) == len(before.origins) {
		return
	}
	for _, id := range slices.Sorted(maps.Keys(m.sessions)) {
		if info := m.sessions[id]; info.context == f.Context && (info.kind == "page" || info.kind == "iframe") {
			m.send(id, "Fetch.enable", p.params(), Tag{})
		}
	}
}

// fetchIn holds in a new CDP session the requests that its context wants held.
func (m *Model) fetchIn(session string, c model.ContextID) {
	if params := m.fetch[c].params(); params != nil {
		m.send(session, "Fetch.enable", params, Tag{})
	}
}

// forgetLogins drops what is known of a tab that was closed.
func (m *Model) forgetLogins(tab model.TargetID) { delete(m.again, tab) }

// forgetFetching drops what is kept for a browser context that no longer exists.
func (m *Model) forgetFetching(c model.ContextID) {
	delete(m.fetch, c)
	delete(m.credentials, c)
}

// params are those of Fetch.enable, nil when nothing is to be held.
func (f fetching) params() obj {
	var patterns []obj
	switch {
	case f.all:
		patterns = []obj{{"urlPattern": "*"}}
	default:
		for _, o := range f.origins {
			patterns = append(patterns, obj{"urlPattern": o + "/*"})
		}
	}
	if patterns == nil {
		return nil
	}
	return obj{"patterns": patterns, "handleAuthRequests": true}
}

// loadingFailed looks for the navigation of a tab that a login stopped.
func (m *Model) loadingFailed(ev *cdp.Event) {
	if !bytes.Contains(ev.Params, []byte("ERR_INVALID_AUTH_CREDENTIALS")) {
		return
	}
	var p struct {
		Request string `json:"requestId"`
		Type    string `json:"type"`
	}
	info := m.sessions[ev.SessionID]
	t := m.cur.Tabs[info.tab]
	if t == nil || info.kind != "page" || !decodeEvent(ev, &p) || p.Type != "Document" || t.Response.Loader != p.Request {
		return
	}
	policy := m.fetch[t.Context]
	origin := model.Origin(t.Response.URL)
	proxy := t.Response.Status == 407
	known := m.credentialFor(t.Context, origin) >= 0 || proxy && len(m.credentials[t.Context].origins) > 0
	if !policy.logins && !known || policy.all || t.Response.Status == 401 && slices.Contains(policy.origins, origin) || origin == "" {
		return // a person answers there, or what was held failed all the same
	}
	m.setFetching(&Fetching{Context: t.Context, All: proxy, Origin: origin})
	m.again[t.ID] = t.Response.URL
}

// tryAgain reloads a tab whose navigation a login stopped, as soon as the page
// that tells so is there: only then a reload repeats the request, a POST included.
func (m *Model) tryAgain(t *model.Tab) {
	url, ok := m.again[t.ID]
	if !ok {
		return
	}
	delete(m.again, t.ID)
	m.send(t.Session, "Page.reload", nil, Tag{Kind: TagReload, URL: url})
}

// reloaded goes to the address if the reload was refused, as it is while one
// document gives way to another.
func (m *Model) reloaded(r *Reply) {
	if r.Err != nil && m.sessions[r.Session].kind == "page" {
		m.send(r.Session, "Page.navigate", obj{"url": r.Tag.URL}, Tag{})
	}
}

// loginAsked notes that a server or a proxy holds a request for a name and a
// password.
func (m *Model) loginAsked(ev *cdp.Event) {
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
	info, ok := m.sessions[ev.SessionID]
	t := m.cur.Tabs[info.tab]
	if !ok || t == nil || !decodeEvent(ev, &p) {
		return
	}
	login := &model.Login{Request: p.Request, URL: p.Sent.URL, Scheme: p.Challenge.Scheme, Realm: p.Challenge.Realm,
		Attempt: m.attempt(ev.SessionID, p.Request), Document: p.Type == "Document"}
	m.supersede(ev.SessionID, p.Frame, login)
	asked := challenge{info.context, p.Challenge.Source, p.Challenge.Scheme, p.Challenge.Origin, p.Challenge.Realm}
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
	case m.loginKnown(ev.SessionID, login, asked):
		m.given(ev.SessionID, p.Request, login.Attempt)
	case !m.fetch[info.context].logins: // a person answers in the browser's own window
		m.answerLogin(ev.SessionID, p.Request, "Default")
	case !login.Document || p.Frame != t.Main:
		m.answerLogin(ev.SessionID, p.Request, "CancelAuth")
		m.loginPassed(t, i, strings.ToLower(p.Type))
	default:
		i.Blocks = true
		m.interrupt(i)
		if login.Attempt > maxLogins {
			m.answerLogin(ev.SessionID, p.Request, "CancelAuth")
			m.closeInterruption(i, model.ByPolicy, "canceled after too many wrong credentials")
		}
	}
}

func (m *Model) answerLogin(session, request, response string) {
	m.send(session, "Fetch.continueWithAuth", obj{"requestId": request, "authChallengeResponse": obj{"response": response}}, Tag{})
}

// loginPassed tells of a login that a part of a page asked for and was not given:
// what the page shows does not wait for it, as in a browser without a person, in
// which Chromium itself refuses logins of other origins than the page's at once. It
// is told once for a page and realm.
func (m *Model) loginPassed(t *model.Tab, i *model.Interruption, what string) {
	for _, o := range m.cur.Interrupts {
		if o.Notice && o.Login != nil && o.Tab == i.Tab && o.Frame == i.Frame && o.Origin == i.Origin && o.Login.Realm == i.Login.Realm {
			return
		}
	}
	i.Notice, i.Session = true, ""
	i.Message += " for the " + what + " " + i.Login.URL + " and got no credentials; give --credentials user:password@" + i.Origin + ", then reload"
	m.interrupt(i)
	i.Loader, i.Going = t.MainFrame().Loader, ""
}

// given remembers that a request was answered with a credential.
func (m *Model) given(session, request string, attempt int) {
	if len(m.gave) >= maxGiven {
		clear(m.gave) // what is forgotten may get one more answer
	}
	m.gave[session+" "+request] = attempt
}

// maxGiven bounds what is remembered of answers.
const maxGiven = 4096

// attempt numbers the challenges for one request.
func (m *Model) attempt(session, request string) int {
	most := m.gave[session+" "+request]
	for _, list := range [][]*model.Interruption{m.cur.Interrupts, m.cur.RecentInterrupts} {
		for _, i := range list {
			if i.Login != nil && i.Session == session && i.Login.Request == request {
				most = max(most, i.Login.Attempt)
			}
		}
	}
	return most + 1
}

// supersede closes the logins that a new one makes void.
func (m *Model) supersede(session string, frame model.FrameID, by *model.Login) {
	for _, i := range slices.Clone(m.cur.Interrupts) {
		switch {
		case i.Login == nil || i.Session != session:
		case i.Login.Request == by.Request:
			m.closeInterruption(i, model.ByRemote, "asked again")
		case i.Login.Document && by.Document && i.Frame == frame:
			m.closeInterruption(i, model.ByRemote, "the page navigated away")
		}
	}
}

// SetFetching adds to the requests of a context that are held.
func (b *Browser) SetFetching(f Fetching) { b.input(Input{Command: &f}) }
