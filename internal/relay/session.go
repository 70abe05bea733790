package relay

import (
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/wire"
)

// kind is what a session is attached to.
type kind int

const (
	ofBrowser kind = iota
	ofTab          // the tab target, in which the page's is attached automatically (Puppeteer)
	ofDebuggee
)

// session is a CDP session of a client. The fields are guarded by Relay.mu.
type session struct {
	id     string
	client *client
	parent *session
	kind   kind
	of     *debuggee // of kind ofDebuggee
	tab    *tab      // likewise, and of kind ofTab
	ended  bool
	stage  stage
	limit  *time.Timer // ends that it waits for the page to answer

	discover       *filter     // Target.setDiscoverTargets
	downloadEvents bool        // Browser.setDownloadBehavior with eventsEnabled
	auto           *autoAttach // Target.setAutoAttach

	enabled   map[string]bool  // domains whose events it gets
	lifecycle bool             // gets Page.lifecycleEvent
	heldBack  heldBack         // lifecycle events
	bindings  map[string]bool  // Runtime.addBinding
	record    []recorded       // what is sent when the tab is attached
	worlds    []jsontext.Value // parameters of Page.createIsolatedWorld, one per world
	waiting   bool             // it has not sent Runtime.runIfWaitingForDebugger
	queue     []wire.Command   // wait until the tab is attached
	forwarded int              // tracked commands
	open      []int            // the numbers of those that are not answered
	answers   []localAnswer
	promises  int            // contexts that the browser has not answered for yet
	unkept    []wire.Command // wait for them
	fetch     *interception
	groups    map[string]bool // object groups

	told     *document       // what it was told of the page before the tab was attached
	toReal   map[int64]int64 // ids of contexts: the relay's, and the browser's
	fromReal map[int64]int64
	loader   [2]string // the browser's and the relay's id of the loader, while the document lives
}

// recorded is a command that makes state in the browser.
type recorded struct {
	key    string // a later one with the same key takes its place
	method string
	params jsontext.Value
	script *script // of Page.addScriptToEvaluateOnNewDocument
}

// script is a script for new documents.
type script struct {
	id   string // the client's
	real string // the browser's; "" while it does not have it
	// dropped says that the client has gone, maybe before the browser's reply.
	dropped bool
}

// newSession makes a session. No event announces it.
func (r *Relay) newSession(parent *session, k kind, t *tab, d *debuggee) *session {
	s := &session{id: newID(), client: parent.client, parent: parent, kind: k, tab: t, of: d, enabled: map[string]bool{}}
	s.client.sessions[s.id] = s
	switch k {
	case ofTab:
		t.tabViews = append(t.tabViews, s)
	case ofDebuggee:
		d.views = append(d.views, s)
		if d.id == "" && t.phase != idle {
			r.askPage(s) // the answer is likely to be there before the client's first command
		}
	case ofBrowser:
	}
	return s
}

// event sends an event in the session.
func (s *session) event(method string, params []byte) { s.client.event(s.id, method, params) }

// end ends a session and tells its client.
func (r *Relay) end(s *session) {
	if s.ended {
		return
	}
	target := ""
	switch s.kind {
	case ofTab:
		target = s.tab.tabTarget()
	case ofDebuggee:
		target = s.of.target
	case ofBrowser:
	}
	for _, cmd := range append(s.queue, s.unkept...) {
		s.client.fail(cmd, codeServer, "Target closed")
	}
	s.queue, s.unkept = nil, nil
	r.drop(s)
	s.parent.event("Target.detachedFromTarget", encode(map[string]string{"sessionId": s.id, "targetId": target}))
}

// drop ends a session, with those below it, and undoes what it set.
func (r *Relay) drop(s *session) {
	if s.ended {
		return
	}
	s.ended = true
	if s.limit != nil {
		s.limit.Stop()
	}
	for _, child := range s.client.sessions {
		if child.parent == s {
			r.drop(child)
		}
	}
	delete(s.client.sessions, s.id)
	is := func(other *session) bool { return other == s }
	switch s.kind {
	case ofTab:
		s.tab.tabViews = slices.DeleteFunc(s.tab.tabViews, is)
	case ofDebuggee:
		s.of.views = slices.DeleteFunc(s.of.views, is)
		r.undo(s)
		if s.of.id == "" {
			r.leaveSoon(s.tab)
		}
	case ofBrowser:
	}
}

// resets are the commands that end what others set, for when no session wants it any more.
var resets = map[string][2]string{
	"Emulation.setDeviceMetricsOverride":          {"Emulation.clearDeviceMetricsOverride", "{}"},
	"Emulation.setGeolocationOverride":            {"Emulation.clearGeolocationOverride", "{}"},
	"Emulation.setTouchEmulationEnabled":          {"Emulation.setTouchEmulationEnabled", `{"enabled":false}`},
	"Emulation.setFocusEmulationEnabled":          {"Emulation.setFocusEmulationEnabled", `{"enabled":false}`},
	"Emulation.setEmulatedMedia":                  {"Emulation.setEmulatedMedia", `{"media":"","features":[]}`},
	"Emulation.setScriptExecutionDisabled":        {"Emulation.setScriptExecutionDisabled", `{"value":false}`},
	"Emulation.setLocaleOverride":                 {"Emulation.setLocaleOverride", "{}"},
	"Emulation.setTimezoneOverride":               {"Emulation.setTimezoneOverride", `{"timezoneId":""}`},
	"Emulation.setUserAgentOverride":              {"Emulation.setUserAgentOverride", `{"userAgent":""}`},
	"Network.setUserAgentOverride":                {"Network.setUserAgentOverride", `{"userAgent":""}`},
	"Emulation.setDefaultBackgroundColorOverride": {"Emulation.setDefaultBackgroundColorOverride", "{}"},
	"Emulation.setCPUThrottlingRate":              {"Emulation.setCPUThrottlingRate", `{"rate":1}`},
	"Network.setExtraHTTPHeaders":                 {"Network.setExtraHTTPHeaders", `{"headers":{}}`},
	"Network.setCacheDisabled":                    {"Network.setCacheDisabled", `{"cacheDisabled":false}`},
	"Network.setBypassServiceWorker":              {"Network.setBypassServiceWorker", `{"bypass":false}`},
	"Network.emulateNetworkConditions":            {"Network.emulateNetworkConditions", `{"offline":false,"latency":0,"downloadThroughput":-1,"uploadThroughput":-1}`},
	"Network.setBlockedURLs":                      {"Network.setBlockedURLs", `{"urls":[]}`},
	"Page.setBypassCSP":                           {"Page.setBypassCSP", `{"enabled":false}`},
	"Page.setInterceptFileChooserDialog":          {"Page.setInterceptFileChooserDialog", `{"enabled":false}`},
	lifecycleMethod:                               {lifecycleMethod, `{"enabled":false}`},
	startScreencast:                               {stopScreencast, "{}"},
	"Input.setInterceptDrags":                     {"Input.setInterceptDrags", `{"enabled":false}`},
}

// undo takes back what a session set in the browser, unless another session wants it, too.
func (r *Relay) undo(s *session) {
	d := s.of
	if s.waiting {
		s.waiting = false
		r.runIfNobodyWaits(d)
	}
	if d.pauser == s {
		d.pauser = nil
	}
	if s.tab.gone || s.tab.phase != attached && s.tab.phase != replaying {
		return
	}
	send := func(method, params string) {
		_ = r.link.CDP(s.tab.id, d.id, method, []byte(params), ignore)
	}
	others := d.views
	for _, e := range s.record {
		wanted := false
		for _, o := range others {
			wanted = wanted || slices.ContainsFunc(o.record, func(x recorded) bool { return x.key == e.key })
		}
		domain, name, _ := strings.Cut(e.method, ".")
		switch {
		case e.script != nil:
			e.script.dropped = true
			if e.script.real != "" {
				send("Page.removeScriptToEvaluateOnNewDocument", string(encode(map[string]string{"identifier": e.script.real})))
			}
		case wanted:
			r.restore(d, e)
		case e.method == "Runtime.addBinding":
			send("Runtime.removeBinding", string(encode(map[string]string{"name": strings.TrimPrefix(e.key, "Runtime.addBinding ")})))
		case name == "enable":
			if domain == "Page" || domain == "Fetch" || domain == "Inspector" {
				continue // the relay itself needs the first; the second has patterns; the third costs a page nothing
			}
			if !d.linger(domain) {
				send(domain+".disable", "{}")
				r.forget(d, domain)
			}
		case e.method == lifecycleMethod && d.linger(lifecycleMethod):
		default:
			if reset, ok := resets[e.method]; ok {
				d.sending(e.method)
				send(reset[0], reset[1])
			}
		}
	}
	for group := range s.groups {
		send("Runtime.releaseObjectGroup", string(encode(map[string]string{"objectGroup": group})))
	}
	r.leaveFetch(s)
	if d.id != "" {
		r.applyAutoAttach(d)
	}
}

// restore sets again what a session had set that stays, where one that ends had set something else.
func (r *Relay) restore(d *debuggee, e recorded) {
	if _, settable := resets[e.method]; !settable || e.method == startScreencast {
		return
	}
	var last *recorded
	for _, o := range d.views {
		for i := range o.record {
			if o.record[i].key == e.key {
				last = &o.record[i]
			}
		}
	}
	if last == nil || normal(last.params) == normal(e.params) {
		return
	}
	number, params := d.sending(e.method), last.params
	_ = r.link.CDP(d.tab.id, d.id, e.method, params, func(_ []byte, failed bool) {
		r.mu.Lock()
		defer r.unlock()
		d.carriedOut(number, e.method, params, failed)
	})
}

// forget clears what is known because a domain was enabled.
func (r *Relay) forget(d *debuggee, domain string) {
	d.undone(domain)
	delete(d.lingers, domain)
	r.dropMessages(d, domain)
	switch domain {
	case "Runtime":
		d.contexts = nil
	case "Debugger":
		d.scripts = nil
	case "CSS":
		d.sheets = nil
	}
}

// wants reports whether another session than this has a domain enabled.
func (d *debuggee) wants(domain string, but *session) bool {
	return slices.ContainsFunc(d.views, func(o *session) bool { return o != but && o.enabled[domain] })
}
