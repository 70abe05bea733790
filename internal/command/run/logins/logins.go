// Package logins detects requests that hang because their server requires a login, which the browser does not report.
package logins

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/chromedp/cdproto/runtime"
	"github.com/go-json-experiment/json"

	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/fault"
	"github.com/usher-browser/usher/internal/journal"
	"github.com/usher-browser/usher/internal/policy"
	"github.com/usher-browser/usher/internal/supervisor"
	"github.com/usher-browser/usher/internal/supervisor/model"
	"github.com/usher-browser/usher/internal/world"
)

// How long a request must be unanswered before it is probed, how long the probe may take, and how many requests are
// probed at once.
const (
	unanswered = time.Second
	probeLimit = 2 * time.Second
	maxProbes  = 3
)

// connections is how many connections Chromium opens to one HTTP/1 server.
const connections = 6

// maxProbed bounds the probed addresses that are kept.
const maxProbed = 1000

// Prober probes requests of a session that hang.
type Prober struct {
	browser *supervisor.Browser
	worlds  *world.Worlds
	journal *journal.Journal

	mu     sync.Mutex
	probed map[string]bool // guarded by mu: addresses
}

// New returns the prober of a session.
func New(b *supervisor.Browser, w *world.Worlds, j *journal.Journal) *Prober {
	return &Prober{browser: b, worlds: w, journal: j, probed: map[string]bool{}}
}

// Watch probes, during a long command, requests that hang because their server requires a login: Chromium shows a login
// window that a headless browser does not have, and sends no event (see supervisor/fold/logins). It looks at the tab that is
// active at the time, and only at addresses that the site guard allows, if that is not nil. The returned function ends it.
func (p *Prober) Watch(ctx context.Context, sites *policy.Sites, active func() (model.TargetID, bool)) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	timer := time.AfterFunc(unanswered, fault.Guarded(ctx, func() {
		defer close(done)
		for ctx.Err() == nil {
			p.look(ctx, sites, active)
			select {
			case <-time.After(unanswered):
			case <-ctx.Done():
			}
		}
	}))
	return func() {
		cancel()
		if !timer.Stop() {
			<-done
		}
	}
}

// look repeats unanswered requests without the page's credentials: a server that requires a login answers 401
// at once, and a slow one has the cost of one HEAD. Only the page's own origin is probed, for only there requests hang
// (see supervisor/fold/logins), and a page could direct probes at other servers otherwise; each address is probed once.
func (p *Prober) look(ctx context.Context, sites *policy.Sites, active func() (model.TargetID, bool)) {
	tab, _ := active() // the command may go to another tab meanwhile
	t := p.browser.State().Tabs[tab]
	if t == nil || t.Session == "" || t.MainFrame() == nil {
		return
	}
	loader, probes := t.MainFrame().Loader, 0
	waiting := p.journal.Unanswered(t.ID, unanswered)
	for _, r := range waiting {
		if probes == maxProbes || !p.mayHideLogin(ctx, sites, t, &r) {
			continue
		}
		probes++
		realm, asks := p.requestsLogin(ctx, t, r.URL)
		if !asks {
			continue
		}
		p.browser.HiddenLogin(supervisor.HiddenLogin{Tab: t.ID, Frame: r.Frame, URL: r.URL, Realm: realm, Loader: loader,
			Full: len(waiting) >= connections, Repeat: p.isGET(t, loader)})
	}
}

// mayHideLogin reports whether a request may hang in a login that has not been reported, and has not been probed.
func (p *Prober) mayHideLogin(ctx context.Context, sites *policy.Sites, t *model.Tab, r *journal.Request) bool {
	if r.Method != http.MethodGet || !sameOrigin(r.URL, t.MainFrame().URL) || r.Type == "Document" && r.Frame == t.Main {
		return false
	}
	if sites != nil && sites.Open(ctx, r.URL) != nil {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.probed[r.URL] {
		return false
	}
	if len(p.probed) >= maxProbed {
		clear(p.probed)
	}
	p.probed[r.URL] = true
	return true
}

// sameOrigin reports whether two addresses, both written by the browser, are of one origin that HTTP can reach.
func sameOrigin(a, b string) bool {
	one, err := url.Parse(a)
	if err != nil || one.Scheme != "http" && one.Scheme != "https" {
		return false
	}
	other, err := url.Parse(b)
	return err == nil && one.Scheme == other.Scheme && one.Host == other.Host && one.Host != ""
}

// askForLogin requests an address without credentials, for which Chromium shows no login, and yields the challenge of
// its server, "" if there is none. If the page has navigated meanwhile, it sends nothing. The request is a HEAD, which
// has no effect on a correct server; redirects are not followed. (The protocol's own Network.loadNetworkResource shows
// a login, with credentials or without.)
const askForLogin = `async url => {
	if (new URL(url).origin !== location.origin) return ""
	const stop = new AbortController()
	try {
		const r = await fetch(url, {method: "HEAD", credentials: "omit", cache: "no-store", redirect: "manual", signal: stop.signal})
		return r.status == 401 && r.headers.get("www-authenticate") || ""
	} finally {
		stop.abort()
	}
}`

// requestsLogin reports whether an address requires a name and a password. The request comes from the isolated world of
// the page, whose policy may forbid it: then the result is false.
func (p *Prober) requestsLogin(ctx context.Context, t *model.Tab, address string) (realm string, asks bool) {
	ctx, cancel := context.WithTimeout(ctx, probeLimit)
	defer cancel()
	s, isolated, err := p.worlds.Context(ctx, t.Main)
	if err != nil {
		return "", false
	}
	words, err := json.Marshal(address)
	if err != nil {
		return "", false
	}
	got, err := cdp.Do(ctx, s, runtime.CallFunctionOn, runtime.CallFunctionOnParams{FunctionDeclaration: askForLogin, ExecutionContextID: isolated,
		Arguments: []*runtime.CallArgument{{Value: words}}, ReturnByValue: new(true), AwaitPromise: new(true), Silent: new(true)})
	if err != nil || got.ExceptionDetails != nil || got.Result == nil {
		return "", false // slow, as it was before, or forbidden
	}
	var challenge string
	if err := json.Unmarshal(got.Result.Value, &challenge); err != nil || challenge == "" {
		return "", false
	}
	return realmOf(challenge), true
}

// realmOf returns the realm in a challenge as a server writes it.
func realmOf(challenge string) string {
	_, rest, ok := strings.Cut(challenge, `realm="`)
	if !ok {
		return ""
	}
	realm, _, _ := strings.Cut(rest, `"`)
	return realm
}

// isGET reports whether a document was requested by GET, so that another request has no other effect.
func (p *Prober) isGET(t *model.Tab, loader string) bool {
	requests, _ := p.journal.Requests(journal.Filter{Types: []string{"Document"}}, t.ID)
	for _, r := range requests {
		if r.ID == loader {
			return r.Method == http.MethodGet
		}
	}
	return false
}
