package relay

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/relay/link"
	"github.com/usher-browser/usher/internal/wire"
)

// tabInfo is what the extension tells of a tab.
type tabInfo struct {
	ID        int     `json:"tabId"`
	Window    int     `json:"windowId"`
	URL       string  `json:"url"`
	Title     string  `json:"title"`
	Active    bool    `json:"active"`
	Status    string  `json:"status"` // loading, complete or unloaded
	Discarded bool    `json:"discarded"`
	Opener    int     `json:"openerTabId"`
	Accessed  float64 `json:"lastAccessed"`
}

// phase is how far a tab is attached.
type phase int

const (
	idle      phase = iota // not attached
	attaching              // debugger.attach is on its way
	replaying              // attached; what sessions had recorded is being sent
	attached
)

// tab is a tab of the browser. The fields are guarded by Relay.mu.
type tab struct {
	id     int
	target string // id of its target, which is that of its main frame, too
	info   tabInfo
	opener string // id of the target that opened it
	// openerFrame is the id of the frame that opened it, if that is known.
	openerFrame string
	noopener    bool // it has no access to the opener
	announced   bool
	settling    bool    // it is announced when it is attached
	unanswered  bool    // the server of its first page has not answered in time
	created     bool    // by a client
	owner       *client // the only one that sees it; nil for all
	gone        bool
	phase       phase
	turn        int // counts attachments, so that late replies are recognised
	pinged      int // the turn in which the page was asked whether it answers, and has not; else 0
	waiting     int // replies that the replay waits for
	debuggees   map[string]*debuggee
	tabViews    []*session // sessions of the tab target
	retry       *time.Timer
	retries     int
	late        *time.Timer // announces it though it is not attached
	leave       *time.Timer // detaches when no client uses it any more
	ready       []func()    // called when it is attached, or cannot be
	refusal     string      // why it could not be attached last; empty after it was
	last        time.Time   // of the last command of a client
	known       time.Time   // when the relay learned of it
	notice      int         // the number of the notice that info is of
	saves       bool        // it was told of a download of the tab
}

// root is the CDP session of the page.
func (t *tab) root() *debuggee { return t.debuggees[""] }

// shownTo reports whether a client sees the tab, nil stands for any.
func (t *tab) shownTo(c *client) bool { return t.owner == nil || t.owner == c }

func (t *tab) stopTimers() {
	for _, timer := range []*time.Timer{t.retry, t.late, t.leave} {
		if timer != nil {
			timer.Stop()
		}
	}
}

// debuggee is a CDP session of chrome.debugger: of a tab, or of a child of one. The fields are guarded by Relay.mu.
type debuggee struct {
	tab       *tab
	id        string // of the CDP session in the tab; "" for the tab itself
	parent    *debuggee
	target    string
	kind      string         // page, iframe, worker, …
	info      jsontext.Value // its targetInfo, of a child
	views     []*session     // the sessions of clients that share it
	contexts  []scriptContext
	scripts   [][]byte // Debugger.scriptParsed events
	sheets    []sheet
	messages  messages
	life      life
	tree      knownTree
	auto      autoAttach          // what was sent
	navigates []*navigation       // by Page.navigate, without a reply
	held      map[string]*session // requests that wait, by the session that was told
	awaited   map[string]*session // requests whose response pauses, too, by the session that asked for that
	pauser    *session            // whose breakpoints it has
	downloads map[string]*running // by GUID
	sent      int                 // counts the commands in last
	last      map[string]int      // the number of the last command of a method that makes state, or whose state was ended
	done      map[string]string   // the parameters of the idempotent commands that it has carried out, by method
	lingers   map[string]bool     // what stays as it is though no session wants it: domains, and lifecycleMethod
}

// scriptContext is a script context that exists.
type scriptContext struct {
	id    int64
	frame string
	world string // "" for that of the page
	event []byte // the parameters of Runtime.executionContextCreated
}

// sheet is a style sheet that exists.
type sheet struct {
	id    string
	event []byte
}

// Up is called when an extension is connected.
func (r *Relay) Up(h link.Hello, resumed bool) {
	r.mu.Lock()
	defer r.unlock()
	r.hello, r.up = h, true
	r.applySettings(h.Settings)
	still := map[int]bool{}
	for _, a := range h.Attached {
		still[a.TabID] = true
		if t := r.tabs[a.TabID]; t == nil || t.phase == idle { // of an earlier relay: domains are enabled in a state that is not known
			_ = r.link.Start("debugger.detach", map[string]int{"tabId": a.TabID}, ignore)
		}
	}
	for _, t := range r.tabs {
		if t.phase != idle && !still[t.id] {
			r.detached(t)
			if !r.attachIfUsed(t) {
				t.failWaiting("the debugger was detached from the tab while the browser extension was not connected")
			}
		}
	}
	r.list()
}

// ignore is for replies that nobody needs.
func ignore([]byte, bool) {}

// Interrupted is called when the connection to the extension has ended; it may come back.
func (r *Relay) Interrupted() {}

// Down is called when the extension has not come back.
func (r *Relay) Down() {
	r.mu.Lock()
	defer r.unlock()
	r.up, r.listed = false, make(chan struct{})
	for _, t := range r.tabs {
		r.remove(t)
	}
}

// list asks for the tabs and their targets. The answers come in any order if the connection breaks meanwhile; if one of them is lost,
// nothing is known, and Up asks again.
func (r *Relay) list() {
	before := slices.Collect(maps.Values(r.tabs))
	var infos []tabInfo
	var ids map[int]string
	missing := 2
	ask := func(method string, take func(payload []byte)) {
		_ = r.link.Start(method, nil, func(payload []byte, failed bool) {
			r.mu.Lock()
			defer r.unlock()
			if failed {
				return
			}
			take(payload)
			if missing--; missing == 0 {
				r.listedAs(before, infos, ids)
			}
		})
	}
	ask("tabs.query", func(payload []byte) { decode(payload, &infos) })
	ask("debugger.getTargets", func(payload []byte) { ids = targetsByTab(payload) })
}

// listedAs takes the tabs that there are, and the targets of them. Those of before that are not among them have gone.
func (r *Relay) listedAs(before []*tab, infos []tabInfo, ids map[int]string) {
	seen := map[int]bool{}
	for _, info := range infos {
		seen[info.ID] = true
		if id := ids[info.ID]; id != "" {
			r.know(info, id, false)
		}
	}
	for _, t := range before {
		if !seen[t.id] {
			r.remove(t)
		}
	}
	select {
	case <-r.listed:
	default:
		close(r.listed)
	}
}

// targetsByTab reads the reply to debugger.getTargets.
func targetsByTab(payload []byte) map[int]string {
	var list []struct {
		ID   string `json:"id"`
		Tab  int    `json:"tabId"`
		Type string `json:"type"`
	}
	decode(payload, &list)
	ids := map[int]string{}
	for _, t := range list {
		if t.Tab != 0 && t.Type == "page" {
			ids[t.Tab] = t.ID
		}
	}
	return ids
}

// know takes what the extension tells of a tab, which may be new.
func (r *Relay) know(info tabInfo, target string, created bool) *tab {
	t := r.tabs[info.ID]
	fresh := t == nil
	if t != nil && t.target != target && target != "" {
		r.remove(t) // the page was replaced, such as by a prerendered one
		t = nil
	}
	if t == nil {
		t = &tab{id: info.ID, target: target, created: created, known: time.Now(), debuggees: map[string]*debuggee{}}
		t.debuggees[""] = &debuggee{tab: t, target: target, kind: "page"}
		if o := r.tabs[info.Opener]; o != nil && info.Opener != 0 {
			t.opener = o.target
		}
		r.tabs[info.ID] = t
	}
	t.created = t.created || created
	if c := r.owners[info.URL]; c != nil && !t.announced {
		t.owner = c
		delete(r.owners, info.URL)
	}
	r.update(t, info)
	switch {
	case t.announced || !visible(info.URL, t.created):
	case t.settling:
	case (t.created || fresh && r.expects() || r.isAttached(t.opener)) && !info.Discarded:
		r.settle(t)
	default:
		r.announce(t)
	}
	return t
}

// visible reports whether clients see a tab with this address. The extension reports only tabs that its settings show; pages of the
// browser itself cannot be debugged.
func visible(url string, created bool) bool {
	for _, scheme := range []string{"chrome://", "chrome-extension://", "chrome-untrusted://", "devtools://", "edge://", "about:devtools"} {
		if strings.HasPrefix(url, scheme) {
			return created && strings.HasPrefix(url, "chrome://new")
		}
	}
	return true
}

// faults are the addresses at which Chrome lets a page crash or hang: no document of them is shown.
var faults = map[string]bool{"crash": true, "checkcrash": true, "badcastcrash": true, "dump": true, "kill": true, "hang": true, "shorthang": true, "memory-exhaust": true}

// unreachable returns the address to which a command navigates if Chrome would detach the debugger from the tab there; "" otherwise. The client
// would lose the tab, and with it the way back.
func unreachable(cmd wire.Command) string {
	if cmd.Method != "Page.navigate" {
		return ""
	}
	var p struct {
		URL string `json:"url"`
	}
	decode(cmd.Params, &p)
	url := strings.ToLower(strings.TrimSpace(p.URL))
	if host, ok := strings.CutPrefix(url, "chrome://"); ok && faults[strings.TrimRight(host, "/")] || visible(url, true) {
		return ""
	}
	return p.URL
}

// byTarget returns the tab of a target; nil without one.
func (r *Relay) byTarget(id string) *tab {
	for _, t := range r.tabs {
		if t.target == id {
			return t
		}
	}
	return nil
}

// isAttached reports whether the tab of a target is attached.
func (r *Relay) isAttached(target string) bool {
	t := r.byTarget(target)
	return t != nil && t.phase == attached
}

// update takes new information on a tab.
func (r *Relay) update(t *tab, info tabInfo) {
	before := t.info
	t.info = info
	if !t.announced {
		return
	}
	if before.URL != info.URL {
		t.root().tree.payload = nil
	}
	if before.URL != info.URL || before.Title != info.Title {
		r.everyDiscoverer(t, "page", "Target.targetInfoChanged", encode(map[string]any{"targetInfo": r.infoOf(t, true)}))
	}
	if t.phase == idle {
		r.unattachedChanged(t, before)
		if t.unanswered && before.URL != info.URL && len(t.root().views) > 0 {
			t.unanswered = false
			r.attach(t)
		}
	}
	if !visible(info.URL, t.created) {
		r.remove(t)
	}
}

// remove ends a tab for all clients.
func (r *Relay) remove(t *tab) {
	if t.gone {
		return
	}
	t.gone = true
	r.followDownloads(t)
	t.stopTimers()
	delete(r.tabs, t.id)
	for _, d := range t.debuggees {
		if d.id != "" {
			r.childGone(d)
		}
	}
	r.dropMessages(t.root(), "")
	for _, s := range append(append([]*session{}, t.root().views...), t.tabViews...) {
		r.end(s)
	}
	if t.announced {
		t.announced = false
		r.everyDiscoverer(t, "page", "Target.targetDestroyed", encode(map[string]string{"targetId": t.target}))
		r.everyDiscoverer(t, "tab", "Target.targetDestroyed", encode(map[string]string{"targetId": t.tabTarget()}))
	}
	for _, f := range t.ready {
		f()
	}
	t.ready = nil
}

// removed ends a tab that Chrome has closed. A popup that closed itself before the debugger was attached is announced, too: somebody may wait
// for it.
func (r *Relay) removed(t *tab) {
	if t.opener != "" && r.byTarget(t.opener) != nil && visible(t.info.URL, t.created) {
		r.announce(t)
	}
	r.remove(t)
	r.missedDownload(t, 0)
}

// Notice gets an event of the extension.
func (r *Relay) Notice(method string, params []byte) {
	r.mu.Lock()
	defer r.unlock()
	var p struct {
		tabInfo
		Tab     tabInfo `json:"tab"`
		Reason  string  `json:"reason"`
		Added   int     `json:"addedTabId"`
		Removed int     `json:"removedTabId"`
		Tabs    []int   `json:"tabs"`
	}
	if method == "settings.onChanged" {
		r.applySettings(params)
		return
	}
	decode(params, &p)
	switch method {
	case "tabs.onCreated":
		r.notices++
		r.created(p.tabInfo, r.notices, nil)
	case "tabs.onUpdated":
		r.notices++
		if t := r.tabs[p.Tab.ID]; t != nil && t.target != "" {
			r.know(p.Tab, t.target, false).notice = r.notices
		} else if p.Tab.ID != 0 {
			r.created(p.Tab, r.notices, nil)
		}
	case "tabs.onActivated":
		for _, t := range r.tabs {
			if t.info.Window == p.Window {
				t.info.Active = t.id == p.ID
			}
		}
	case "tabs.onRemoved":
		if t := r.tabs[p.ID]; t != nil {
			r.removed(t)
		} else if _, asked := r.asked[p.ID]; asked {
			r.asked[p.ID] = true
		}
	case "tabs.onReplaced":
		if t := r.tabs[p.Removed]; t != nil {
			r.remove(t)
		}
		r.list()
	case "debugger.onDetach":
		if t := r.tabs[p.ID]; t != nil {
			r.onDetach(t, p.Reason)
		}
	case "events.lost":
		for _, id := range p.Tabs {
			if t := r.tabs[id]; t != nil && t.phase != idle { // what is known of it is not certain any more
				_ = r.link.Start("debugger.detach", map[string]int{"tabId": id}, ignore)
				r.detached(t)
				if !r.attachIfUsed(t) {
					t.failWaiting("the debugger was detached from the tab: events of it were lost")
				}
			}
		}
	}
}

// byClient is in the place of the number of a notice: the reply to a client's command to open a tab tells how the tab began.
const byClient = 0

// created takes a new tab, whose target is asked for. notice is the number of the notice that told of it: meanwhile there may be a later one. then is
// called when the target is known, with nil if it is not.
func (r *Relay) created(info tabInfo, notice int, then func(*tab)) {
	r.asked[info.ID] = false
	err := r.link.Start("debugger.getTargets", nil, func(payload []byte, failed bool) {
		r.mu.Lock()
		defer r.unlock()
		id := targetsByTab(payload)[info.ID]
		closed := r.asked[info.ID]
		delete(r.asked, info.ID)
		var t *tab
		switch {
		case closed:
			if id == "" { // what Chrome called its target cannot be learned any more
				id = fmt.Sprintf("%032X", info.ID)
			}
			r.removed(r.know(info, id, notice == byClient))
		case id != "":
			if known := r.tabs[info.ID]; known != nil && known.target == id && known.notice > notice {
				info = known.info
			}
			t = r.know(info, id, notice == byClient)
			t.notice = max(t.notice, notice)
		}
		if then != nil {
			then(t)
		}
	})
	if err == nil {
		return
	}
	delete(r.asked, info.ID)
	if then != nil {
		then(nil)
	}
}

// onDetach takes that Chrome has detached the debugger.
func (r *Relay) onDetach(t *tab, reason string) {
	r.detached(t)
	if reason == "target_closed" && r.attachIfUsed(t) { // which a navigation to another process may be, too
		return
	} // else the user or the extension wanted it, until a client sends something
	t.failWaiting("the debugger was detached from the tab: " + reason)
}

// retryAfter are the pauses before the debugger is attached again to a tab that goes on.
var retryAfter = []time.Duration{100 * time.Millisecond, 300 * time.Millisecond, time.Second}

// attachIfUsed attaches again to a tab in a moment, if a client's session had it attached. It returns false if it does not.
func (r *Relay) attachIfUsed(t *tab) bool {
	if len(t.root().views) == 0 || t.retries >= len(retryAfter) || t.gone {
		return false
	}
	after := retryAfter[t.retries]
	t.retries++
	t.retry = time.AfterFunc(after, func() {
		r.mu.Lock()
		defer r.unlock()
		if !t.gone && !r.closed && t.phase == idle {
			r.attach(t)
		}
	})
	return true
}
