// Package liveness distinguishes renderers that do not answer from those that are slow.
package liveness

import (
	"slices"
	"time"

	"github.com/usher-browser/usher/internal/supervisor/fold/core"
	"github.com/usher-browser/usher/internal/supervisor/fold/interrupts"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

// A renderer that does not answer is distinguished from one that is slow by a probe that costs it nothing. What answers
// which call while a command waits was measured on Chromium 156:
//
//	                        evaluate "0"   Performance.getMetrics   Browser.getVersion
//	quiet page, paused
//	debugger                yes            yes                      yes
//	endless or long script  no             yes (it interrupts V8)   yes
//	synchronous request     no             no                       yes
//	process stopped         no             no                       yes
//	open dialog             no             no                       yes
//	navigating to a server
//	that does not answer    no             yes                      yes
//	browser stopped         no             no                       no
//
// Dialogs and navigations are known from events, so the three calls distinguish all the others.

// Monitor determines which renderers do not answer.
type Monitor struct {
	*core.Core
	interrupts     *interrupts.Queue
	probes         map[string]*probe   // open ones, by CDP session
	browserProbed  time.Time           // when the unanswered call to the browser was sent; zero if there is none
	browserLatency time.Duration       // of its last answer
	scripts        map[string]*scripts // callers' own scripts, by CDP session
}

// New returns a monitor that has probed nothing.
func New(c *core.Core, queue *interrupts.Queue) *Monitor {
	return &Monitor{Core: c, interrupts: queue, probes: map[string]*probe{}, scripts: map[string]*scripts{}}
}

// Handlers returns the handlers of liveness.
func (m *Monitor) Handlers() core.Handlers {
	return core.Handlers{
		Replies: map[core.TagKind]func(*core.Reply){
			core.TagProbe:        func(r *core.Reply) { m.Answered(r.Session) },
			core.TagScriptProbe:  func(r *core.Reply) { m.scriptInterrupted(r.Session) },
			core.TagBrowserProbe: func(*core.Reply) { m.browserAnswered() },
			core.TagScriptBegins: m.barrierReached,
			core.TagScriptEnded:  m.barrierReached,
		},
		Commands: []core.CommandHandler{
			core.Handle(m.probe), core.Handle(m.ownScript), core.Handle(func(c *InputHandled) { m.InputHandled(c.Tab) }),
		},
	}
}

// Probe probes the renderers of a tab.
type Probe struct {
	Tab model.TargetID
	// Timeout is how long a probe may stay unanswered before its renderer counts as unresponsive.
	Timeout time.Duration `json:"Patience"`
	// Eager sends all calls at once and allows no time beyond Timeout, for callers that cannot wait for the next probe.
	Eager bool
}

// InputName returns the name in recordings.
func (*Probe) InputName() string { return "Probe" }

// probe is a question that a renderer has not answered.
type probe struct {
	since       time.Time
	reasonAsked bool // the questions that determine the reason have been sent
	runsScript  bool // V8 was interrupted for the second question: it runs a script
	ownScript   bool // it is a script of our own, which reports its progress

	timeout time.Duration // the longest that was given: the load of the machine goes up and down
}

// probe probes each process of a tab that has no open probe, and judges those that have.
func (m *Monitor) probe(p *Probe) {
	t := m.State().Tabs[p.Tab]
	if t == nil {
		return
	}
	for _, session := range m.processes(t) {
		q := m.probes[session]
		switch {
		case m.knownBlocked(t, session):
			if q != nil {
				q.since = m.Now() // its time begins when it can answer
			}
			continue
		case q == nil:
			q = &probe{since: m.Now()}
			m.probes[session] = q
			m.Send(session, "Runtime.evaluate", core.Params{"expression": "0", "silent": true}, core.Tag{Kind: core.TagProbe})
			if p.Eager {
				m.probeReason(session, q)
			}
		case !q.reasonAsked:
			m.probeReason(session, q)
		case p.Eager && q.ownScript:
		case m.Now().Sub(q.since) >= m.timeout(q, p):
			m.markUnresponsive(t, session, q, p)
		default:
			m.probeScript(session)
		}
	}
}

// probeScript makes Chromium deliver what our script has reported. The call waits in the renderer until the current task
// ends, or until V8 is interrupted for it (measured on Chromium 156).
func (m *Monitor) probeScript(session string) {
	m.Send(session, "Performance.getMetrics", nil, core.Tag{Kind: core.TagScriptProbe})
}

// OwnScriptAlive records that our script in a renderer makes progress: the timeout of the probe behind it starts again.
func (m *Monitor) OwnScriptAlive(session string) {
	if q := m.probes[session]; q != nil {
		q.since, q.ownScript = m.Now(), true
	}
}

// timeout returns how long a question may stay open. On an overloaded machine the
// browser itself is slow to answer, and a renderer gets more time in proportion:
// Chromium answers within 3 ms while a script loops, so that 45 ms are the first to
// count (measured on Chromium 156).
func (m *Monitor) timeout(q *probe, p *Probe) time.Duration {
	if p.Eager {
		return p.Timeout
	}
	q.timeout = max(q.timeout, p.Timeout)
	return max(q.timeout, min(25*m.browserLatency, MaxTimeout))
}

// MaxTimeout is the largest timeout, for a machine that is very slow.
const MaxTimeout = 4 * time.Second

// probeReason sends what determines the reason of a missing answer.
func (m *Monitor) probeReason(session string, q *probe) {
	q.reasonAsked = true
	m.probeScript(session)
	if m.browserProbed.IsZero() {
		m.browserProbed = m.Now()
		m.Send("", "Browser.getVersion", nil, core.Tag{Kind: core.TagBrowserProbe})
	}
}

// processes lists the CDP sessions of a tab's renderers, the page's first.
func (m *Monitor) processes(t *model.Tab) []string {
	var list []string
	for _, f := range t.Frames {
		if f.OOPIF && f.ID != t.Main && m.Sessions[f.Session].Running {
			list = append(list, f.Session)
		}
	}
	slices.Sort(list)
	if m.Sessions[t.Session].Running {
		list = slices.Insert(list, 0, t.Session)
	}
	return slices.Compact(list)
}

// knownBlocked reports whether there is a known reason why a process does not answer: one with an error of its own, or one
// that the caller caused. While a frame navigates to a server that does not answer Chromium holds back what is sent to
// its process.
func (m *Monitor) knownBlocked(t *model.Tab, session string) bool {
	root := m.ProcessRoot(t, session)
	return m.scripts[session].running() || t.Crash != nil || root == nil || root.Crash != nil || root.PendingURL != "" ||
		m.State().Dialog(t.ID) != nil || m.State().PendingInterruption(t.ID) != nil || m.State().RelatedDialog(t.ID) != nil
}

// markUnresponsive notes that a renderer does not answer.
func (m *Monitor) markUnresponsive(t *model.Tab, session string, q *probe, p *Probe) {
	reason := model.ReasonWaiting
	switch {
	case !m.browserProbed.IsZero() && m.Now().Sub(m.browserProbed) >= min(p.Timeout, Timeout/2):
		reason = model.ReasonBrowser
	case q.runsScript:
		reason = model.ReasonScript
	}
	known := m.ProcessRoot(t, session).Unresponsive
	if known != nil && known.Reason == reason {
		return
	}
	t = m.Tab(t.ID)
	root := m.Frame(t, m.ProcessRoot(t, session).ID)
	root.Unresponsive = &model.Unresponsive{Since: q.since, Reason: reason, Frame: root.ID}
	t.UpdateUnresponsive()
	if known == nil {
		m.NoteTab(t, model.Change{Kind: model.TabUnresponsive, Frame: root.ID, Detail: string(reason), URL: root.URL})
		m.interrupts.Open(&model.Interruption{Kind: model.KindUnresponsive, Tab: t.ID, Frame: root.ID, Blocks: root.ID == t.Main, Message: root.Unresponsive.String()})
	}
	m.CheckGuards(t.ID)
}

// Answered records a reply to a probe; an error is one, too.
func (m *Monitor) Answered(session string) {
	delete(m.probes, session)
	info := m.Sessions[session]
	if t := m.State().Tabs[info.Tab]; t != nil {
		m.clearUnresponsive(t, model.FrameID(info.Target))
	}
}

// InputHandled records activity of a tab's page that is no reply: it has handled some input, or a dialog held it until
// now. The time of the open probes starts again, because a page may open dialogs repeatedly and never handle the probe.
func (m *Monitor) InputHandled(tab model.TargetID) {
	for session, q := range m.probes {
		if m.Sessions[session].Tab == tab {
			q.since = m.Now()
		}
	}
}

// browserAnswered notes how long the browser took for its answer.
func (m *Monitor) browserAnswered() {
	m.browserLatency, m.browserProbed = m.Now().Sub(m.browserProbed), time.Time{}
}

// ForgetSessions drops all probes: nothing answers them.
func (m *Monitor) ForgetSessions() {
	clear(m.probes)
	m.browserProbed = time.Time{}
}

// ForgetSession drops the data of a CDP session that ended.
func (m *Monitor) ForgetSession(session string) {
	delete(m.probes, session)
	delete(m.scripts, session)
}

// scriptInterrupted notes that V8 was interrupted.
func (m *Monitor) scriptInterrupted(session string) {
	if q := m.probes[session]; q != nil {
		q.runsScript = true
	}
}

// clearUnresponsive clears the mark of a renderer that answers again, or has been replaced.
func (m *Monitor) clearUnresponsive(t *model.Tab, id model.FrameID) {
	if f := t.Frames[id]; f == nil || f.Unresponsive == nil {
		return
	}
	t = m.Tab(t.ID)
	f := m.Frame(t, id)
	f.Unresponsive = nil
	t.UpdateUnresponsive()
	m.NoteTab(t, model.Change{Kind: model.TabAnswers, Frame: id, URL: f.URL})
	m.interrupts.ResolveStale()
}

// InputHandled is the command after the page of a tab has handled input of a caller.
type InputHandled struct{ Tab model.TargetID }

// InputName returns the name in recordings.
func (*InputHandled) InputName() string { return "InputHandled" }

// The intervals of probes while a command waits. The first probe comes after one period, so that quick commands cost
// nothing; with the timeout for the page, a renderer that stops answering is detected within two seconds.
const (
	Period  = 400 * time.Millisecond
	Timeout = 1100 * time.Millisecond
)

// Probing reports whether a probe of a renderer of the tab is unanswered and not excused, and the renderer is not known
// to be unresponsive.
func (m *Monitor) Probing(tab model.TargetID) bool {
	t := m.State().Tabs[tab]
	if t == nil {
		return false
	}
	for _, session := range m.processes(t) {
		if m.probes[session] != nil && !m.knownBlocked(t, session) && m.ProcessRoot(t, session).Unresponsive == nil {
			return true
		}
	}
	return false
}
