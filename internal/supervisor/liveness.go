package supervisor

import (
	"slices"
	"time"

	"github.com/usher-browser/usher/internal/supervisor/model"
)

// Pulse asks how the renderers of a tab are.
type Pulse struct {
	Tab model.TargetID
	// Patience is how long a question may stay without an answer before its
	// renderer counts as unresponsive.
	Patience time.Duration
	// Eager asks all questions at once and gives no time beyond Patience, for who
	// cannot wait for the next pulse.
	Eager bool
}

// InputName is the name in recordings.
func (*Pulse) InputName() string { return "Pulse" }

// ping is a question on its way to a renderer.
type ping struct {
	sent   time.Time
	told   bool // the questions that tell the reason have been sent
	script bool // V8 was interrupted for the second question: it runs a script
	ours   bool // that is a search of our own, which tells of itself
}

// pulse asks each process of a tab that has no question open, and judges those
// that have.
func (m *Model) pulse(p *Pulse) {
	t := m.cur.Tabs[p.Tab]
	if t == nil {
		return
	}
	for _, session := range m.processes(t) {
		q := m.pings[session]
		switch {
		case m.excused(t, session):
			if q != nil {
				q.sent = m.now // its time begins when it can answer
			}
			continue
		case q == nil:
			q = &ping{sent: m.now}
			m.pings[session] = q
			m.send(session, "Runtime.evaluate", obj{"expression": "0", "silent": true}, Tag{Kind: TagPing})
			if p.Eager {
				m.askReason(session, q)
			}
		case !q.told:
			m.askReason(session, q)
		case p.Eager && q.ours:
		case m.now.Sub(q.sent) >= m.patience(p):
			m.hang(t, session, q, p)
		default:
			m.hear(session)
		}
	}
}

// hear has a script of ours that runs be heard. What it tells waits in the renderer until its task ends, or until V8 is
// interrupted for this question (measured on Chromium 156).
func (m *Model) hear(session string) {
	m.send(session, "Performance.getMetrics", nil, Tag{Kind: TagScript})
}

// searches notes that a script of ours is at work in a renderer: the time of the question behind it begins anew.
func (m *Model) searches(session string) {
	if q := m.pings[session]; q != nil {
		q.sent, q.ours = m.now, true
	}
}

// patience is how long a question may stay open. On an overloaded machine the
// browser itself is slow to answer, and a renderer gets more time in proportion:
// Chromium answers within 3 ms while a script loops, so that 45 ms are the first to
// count (measured on Chromium 156).
func (m *Model) patience(p *Pulse) time.Duration {
	if p.Eager {
		return p.Patience
	}
	return max(p.Patience, min(25*m.lag, mostPatience))
}

// mostPatience is what a renderer gets on a machine that is very slow.
const mostPatience = 4 * time.Second

// askReason sends what tells the reason of a missing answer.
func (m *Model) askReason(session string, q *ping) {
	q.told = true
	m.hear(session)
	if m.asked.IsZero() {
		m.asked = m.now
		m.send("", "Browser.getVersion", nil, Tag{Kind: TagBrowser})
	}
}

// processes lists the CDP sessions of a tab's renderers, the page's first.
func (m *Model) processes(t *model.Tab) []string {
	var list []string
	for _, f := range t.Frames {
		if f.OOPIF && f.ID != t.Main && m.sessions[f.Session].running {
			list = append(list, f.Session)
		}
	}
	slices.Sort(list)
	if m.sessions[t.Session].running {
		list = slices.Insert(list, 0, t.Session)
	}
	return slices.Compact(list)
}

// excused says that a process has a reason not to answer that is known: it has a
// name of its own, or is what a caller wants. While a frame leaves for a server that does not answer Chromium
// holds back what is sent to its process.
func (m *Model) excused(t *model.Tab, session string) bool {
	root := m.root(t, session)
	return m.works[session].goOn() || t.Crash != nil || root == nil || root.Crash != nil || root.Going != "" ||
		m.cur.Dialog(t.ID) != nil || m.cur.PendingInterruption(t.ID) != nil || m.cur.RelatedDialog(t.ID) != nil
}

// root is the frame at the top of what a CDP session speaks for.
func (m *Model) root(t *model.Tab, session string) *model.Frame {
	return t.Frames[model.FrameID(m.sessions[session].target)]
}

// hang notes that a renderer does not answer.
func (m *Model) hang(t *model.Tab, session string, q *ping, p *Pulse) {
	reason := model.HeldWaiting
	switch {
	case !m.asked.IsZero() && m.now.Sub(m.asked) >= min(p.Patience, pulsePatience/2):
		reason = model.HeldByBrowser
	case q.script:
		reason = model.HeldByScript
	}
	known := m.root(t, session).Unresponsive
	if known != nil && known.Reason == reason {
		return
	}
	t = m.tab(t.ID)
	root := m.frame(t, m.root(t, session).ID)
	root.Unresponsive = &model.Unresponsive{Since: q.sent, Reason: reason, Frame: root.ID}
	t.UpdateUnresponsive()
	if known == nil {
		m.note(t, model.Change{Kind: model.TabUnresponsive, Frame: root.ID, Detail: string(reason), URL: root.URL})
		m.interrupt(&model.Interruption{Kind: model.KindUnresponsive, Tab: t.ID, Frame: root.ID, Blocks: root.ID == t.Main, Message: root.Unresponsive.String()})
	}
	m.block(t.ID)
}

// ponged notes an answer; a refusal is one, too.
func (m *Model) ponged(session string) {
	delete(m.pings, session)
	info := m.sessions[session]
	if t := m.cur.Tabs[info.tab]; t != nil {
		m.answers(t, model.FrameID(info.target))
	}
}

// heard notes a sign of life of a tab's page that is no answer: it has handled some
// input, or a dialog held it until now. The time of the questions that are open begins anew, for a page may ask
// again and again and never be looked at while it does not.
func (m *Model) heard(tab model.TargetID) {
	for session, q := range m.pings {
		if m.sessions[session].tab == tab {
			q.sent = m.now
		}
	}
}

// browserAnswered notes how long the browser took for its answer.
func (m *Model) browserAnswered() {
	m.lag, m.asked = m.now.Sub(m.asked), time.Time{}
}

// forgetProbes drops all questions: nothing answers them.
func (m *Model) forgetProbes() {
	clear(m.pings)
	m.asked = time.Time{}
}

// forgetSession drops what is known of a CDP session that ended.
func (m *Model) forgetSession(session string) {
	delete(m.pings, session)
	delete(m.works, session)
}

// scriptRuns notes that V8 was interrupted.
func (m *Model) scriptRuns(session string) {
	if q := m.pings[session]; q != nil {
		q.script = true
	}
}

// answers clears the mark of a renderer that answers again, or has been replaced.
func (m *Model) answers(t *model.Tab, id model.FrameID) {
	if f := t.Frames[id]; f == nil || f.Unresponsive == nil {
		return
	}
	t = m.tab(t.ID)
	f := m.frame(t, id)
	f.Unresponsive = nil
	t.UpdateUnresponsive()
	m.note(t, model.Change{Kind: model.TabAnswers, Frame: id, URL: f.URL})
	m.moot()
}
